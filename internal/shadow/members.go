package shadow

// populate lists who posts to the suspect channels and who hears them.
func (s *search) populate(suspects []int32) {
	s.posters, s.hearers = make([][]int32, len(s.Sets.Channels())), make([][]int32, len(s.Sets.Channels()))
	suspect := make([]bool, len(s.Sets.Channels()))
	for _, ch := range suspects {
		suspect[ch] = true
	}
	for v := range int32(len(s.Names)) {
		for _, ch := range s.Sets.Members(s.Out[v]) {
			if suspect[ch] {
				s.posters[ch] = append(s.posters[ch], v)
			}
		}
		for _, ch := range s.Sets.Members(s.In[v]) {
			if suspect[ch] {
				s.hearers[ch] = append(s.hearers[ch], v)
			}
		}
	}
}

// marked returns the places in the sequence of everyone who posts to some of the
// channels or hears some, and for every place how many are before it.
func (s *search) marked(lists [][]int32, channels []int32) (places, before []int32) {
	in := make([]bool, len(s.Names))
	for _, ch := range channels {
		for _, v := range lists[ch] {
			in[v] = true
		}
	}
	before = make([]int32, len(s.sequence)+1)
	for i, v := range s.sequence {
		before[i] = int32(len(places))
		if in[v] {
			places = append(places, int32(i))
		}
	}
	before[len(s.sequence)] = int32(len(places))
	return places, before
}
