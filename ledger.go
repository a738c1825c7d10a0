package agentgraph

import "slices"

// ledger is a log. Logs are long and most posts in them are much alike, so it
// keeps short records and puts a post together when it is read. It grows in parts
// and never moves them.
type ledger[B any] struct {
	roster *Roster[B]
	parts  [][]record[B]
	n      int

	guests    []Name // authors from outside
	numbers   map[Name]int32
	addresses [][]Channel // that are not those of the roster
	threads   [][]PostID  // of more than one
	cited     [][]PostID  // threads of one, in parts
	cites     int32
}

// record is a post in a ledger. Numbers below zero are places in the ledger's own
// lists, from -1 down; the others are the roster's.
type record[B any] struct {
	author, n int32
	to        int32
	thread    int32 // a place in cited; from -2 down one in threads
	body      B
}

const (
	partBits = 8
	partSize = 1 << partBits
	noThread = -1
)

func (l *ledger[B]) post(i int) Post[B] {
	var p Post[B]
	l.read(i, &p)
	return p
}

// read is post for the step loop, which has a place for it.
func (l *ledger[B]) read(i int, p *Post[B]) {
	r := &l.parts[uint(i)>>partBits][uint(i)%partSize]
	p.From = l.author(r.author)
	p.ID.From, p.ID.N = p.From, int(r.n)
	p.To = l.address(r.to)
	p.Thread = l.thread(r.thread)
	p.Body = r.body
}

func (l *ledger[B]) author(number int32) Name {
	if number >= 0 {
		return l.roster.entries[number].path
	}
	return l.guests[^number]
}

func (l *ledger[B]) address(number int32) []Channel {
	if number >= 0 {
		return l.roster.address(number)
	}
	return l.addresses[^number]
}

func (l *ledger[B]) thread(place int32) []PostID {
	switch {
	case place >= 0:
		i := uint(place) % partSize
		return l.cited[uint(place)>>partBits][i : i+1 : i+1]
	case place == noThread:
		return nil
	}
	return l.threads[-2-place]
}

// add puts a record at the end and returns its place.
func (l *ledger[B]) add(r record[B]) int {
	i := l.n
	switch {
	case i < partSize: // many meetings are short
		if i == 0 {
			l.parts = [][]record[B]{nil}
		}
		l.parts[0] = slices.Grow(l.parts[0], 1)[:i+1]
	case i%partSize == 0:
		l.parts = append(l.parts, make([]record[B], partSize))
	}
	l.parts[i>>partBits][i%partSize] = r
	l.n++
	return i
}

// guest returns the number of an author from outside.
func (l *ledger[B]) guest(name Name) int32 {
	number, ok := l.numbers[name]
	if !ok {
		if l.numbers == nil {
			l.numbers = map[Name]int32{}
		}
		l.guests = append(l.guests, name)
		number = -int32(len(l.guests))
		l.numbers[name] = number
	}
	return number
}

// addressed keeps an address and returns its number.
func (l *ledger[B]) addressed(to []Channel) int32 {
	l.addresses = append(l.addresses, to)
	return -int32(len(l.addresses))
}

// citing keeps a thread, which is sorted, and returns its place.
func (l *ledger[B]) citing(thread []PostID) int32 {
	switch len(thread) {
	case 0:
		return noThread
	case 1:
		return l.cite(thread[0])
	}
	l.threads = append(l.threads, thread)
	return -1 - int32(len(l.threads))
}

func (l *ledger[B]) cite(id PostID) int32 {
	place := l.cites
	if place%partSize == 0 {
		l.cited = append(l.cited, make([]PostID, partSize))
	}
	l.cited[place>>partBits][place%partSize] = id
	l.cites++
	return place
}

func (l *ledger[B]) all() []Post[B] {
	posts := make([]Post[B], l.n)
	for i := range posts {
		posts[i] = l.post(i)
	}
	return posts
}
