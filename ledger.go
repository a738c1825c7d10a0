package agentgraph

import "slices"

// ledger is a log. Logs are long and most posts in them are much alike, so it
// keeps short records and puts a post together when it is read. It grows in parts
// and never moves them.
type ledger[B any] struct {
	roster *Roster[B]
	parts  [][]record[B]
	n      int

	guests    []Name      // authors from outside
	addresses [][]Channel // that are not those of the roster
	threads   [][]PostID  // that an author chose

	lastRead int      // the post whose thread was made last
	made     []PostID // the threads that were made, each of one post; grows in parts
}

// record is a post in a ledger. Numbers below zero are places in the ledger's own
// lists, from -1 down; the others are the roster's. Where the body has no pointer
// neither has the record, so that a long log is nothing to the garbage collector.
type record[B any] struct {
	author, n int32
	to        int32
	thread    int32 // the post that it answers; from -2 down a place in threads
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
	r := l.record(i)
	p.From = l.author(r.author)
	p.ID.From, p.ID.N = p.From, int(r.n)
	p.To = l.address(r.to)
	p.Thread = l.thread(i, r.thread)
	p.Body = r.body
}

func (l *ledger[B]) author(number int32) Name {
	if number >= 0 {
		return l.roster.paths[number]
	}
	return l.guests[^number]
}

func (l *ledger[B]) address(number int32) []Channel {
	if number >= 0 {
		return l.roster.address(number)
	}
	return l.addresses[^number]
}

// thread is made anew for each post that is read, but not for each of those who
// hear it in turn.
func (l *ledger[B]) thread(i int, place int32) []PostID {
	switch {
	case place == noThread:
		return nil
	case place < 0:
		return l.threads[-2-place]
	case i != l.lastRead || len(l.made) == 0:
		if len(l.made) == cap(l.made) {
			l.made = make([]PostID, 0, 64)
		}
		l.lastRead = i
		l.made = append(l.made, l.id(int(place)))
	}
	n := len(l.made)
	return l.made[n-1 : n : n]
}

func (l *ledger[B]) id(i int) PostID {
	r := l.record(i)
	return PostID{From: l.author(r.author), N: int(r.n)}
}

func (l *ledger[B]) record(i int) *record[B] {
	return &l.parts[uint(i)>>partBits][uint(i)%partSize]
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

// guest numbers an author from outside.
func (l *ledger[B]) guest(name Name) int32 {
	l.guests = append(l.guests, name)
	return -int32(len(l.guests))
}

// addressed keeps an address and returns its number.
func (l *ledger[B]) addressed(to []Channel) int32 {
	l.addresses = append(l.addresses, to)
	return -int32(len(l.addresses))
}

// citing keeps a thread, which is sorted, and returns its place.
func (l *ledger[B]) citing(thread []PostID) int32 {
	if len(thread) == 0 {
		return noThread
	}
	l.threads = append(l.threads, thread)
	return -1 - int32(len(l.threads))
}

func (l *ledger[B]) all() []Post[B] {
	posts := make([]Post[B], l.n)
	for i := range posts {
		posts[i] = l.post(i)
	}
	return posts
}
