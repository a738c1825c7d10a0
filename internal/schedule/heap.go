package schedule

// heap gives entries in order of place.
type heap []placed

type placed struct {
	at    Place
	entry int32
}

func (h *heap) push(x placed) {
	s := append(*h, x)
	i := len(s) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !x.at.less(s[up].at) {
			break
		}
		s[i] = s[up]
		i = up
	}
	s[i] = x
	*h = s
}

func (h *heap) pop() placed {
	s := *h
	first, x := s[0], s[len(s)-1]
	s[len(s)-1] = placed{}
	s = s[:len(s)-1]
	*h = s
	i := 0
	for {
		down := 2*i + 1
		if down >= len(s) {
			break
		}
		if down+1 < len(s) && s[down+1].at.less(s[down].at) {
			down++
		}
		if !s[down].at.less(x.at) {
			break
		}
		s[i] = s[down]
		i = down
	}
	if len(s) > 0 {
		s[i] = x
	}
	return first
}
