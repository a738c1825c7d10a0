package schedule

// queue is the posts in an inbox. Few inboxes hold more than one, so the oldest
// stands here, and those behind it in a list of cells.
type queue struct {
	oldest     int32 // 1 + the post, or 0 for an empty queue
	head, tail int32 // 0 for no cell
}

func (q *queue) isEmpty() bool { return q.oldest == 0 }

// first returns the oldest post.
func (q *queue) first() int { return int(q.oldest - 1) }

type cell struct{ post, next int32 }

// cells holds what waits in all inboxes of a meeting behind their oldest posts.
// Its memory is that of the most posts that ever waited so at once, and does not
// move.
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
	if q.isEmpty() {
		q.oldest = int32(post) + 1
		return
	}
	i := s.take()
	*s.at(i) = cell{post: int32(post)}
	if q.head == 0 {
		q.head = i
	} else {
		s.at(q.tail).next = i
	}
	q.tail = i
}

// pop takes the oldest post out of a queue that is not empty.
func (s *cells) pop(q *queue) int {
	post := q.first()
	if q.head == 0 {
		q.oldest = 0
		return post
	}
	i := q.head
	c := s.at(i)
	q.oldest, q.head = c.post+1, c.next
	c.next, s.free = s.free, i
	return post
}

// newest returns the post at the end of a queue that is not empty.
func (s *cells) newest(q *queue) int {
	if q.head == 0 {
		return q.first()
	}
	return int(s.at(q.tail).post)
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
