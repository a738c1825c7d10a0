package schedule

// queue is the posts in an inbox, as a list of cells. Cell 0 is the end of it.
type queue struct{ head, tail int32 }

type cell struct {
	post int
	next int32
}

// cells holds what waits in all inboxes of a meeting. Its memory is that of the
// most posts that ever waited at once, and does not move.
type cells struct {
	blocks [][]cell
	used   int32 // cells that were ever used, with cell 0
	free   int32 // the first of those that can be used again
}

const blockBits = 9

func (s *cells) at(i int32) *cell {
	return &s.blocks[i>>blockBits][i&(1<<blockBits-1)]
}

func (s *cells) push(q *queue, post int) {
	i := s.take()
	*s.at(i) = cell{post: post}
	if q.head == 0 {
		q.head = i
	} else {
		s.at(q.tail).next = i
	}
	q.tail = i
}

func (s *cells) pop(q *queue) int {
	i := q.head
	c := s.at(i)
	q.head = c.next
	c.next = s.free
	s.free = i
	return c.post
}

func (s *cells) take() int32 {
	if i := s.free; i != 0 {
		s.free = s.at(i).next
		return i
	}
	if s.used&(1<<blockBits-1) == 0 {
		s.grow()
	}
	s.used++
	return s.used - 1
}

// grow adds a block. Cell 0 of the first one stays unused.
func (s *cells) grow() {
	s.blocks = append(s.blocks, make([]cell, 1<<blockBits))
	if s.used == 0 {
		s.used = 1
	}
}
