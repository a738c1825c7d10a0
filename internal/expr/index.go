package expr

// index numbers names in the order in which they come. Names that come in
// order, as generated ones often do, are not looked up.
type index struct {
	numbers map[string]int32 // nil as long as each name came before or after all others
	names   []string
	last    int32
}

func (x *index) number(name string) int32 {
	if int(x.last) < len(x.names) && x.names[x.last] == name {
		return x.last
	}
	id, ok := x.find(name)
	if !ok {
		id = int32(len(x.names))
		x.names = append(x.names, name)
		if x.numbers != nil {
			x.numbers[name] = id
		}
	}
	x.last = id
	return id
}

func (x *index) find(name string) (int32, bool) {
	if x.numbers == nil {
		if x.inOrder(name) {
			return 0, false
		}
		x.numbers = make(map[string]int32, 2*len(x.names))
		for i, known := range x.names {
			x.numbers[known] = int32(i)
		}
	}
	id, ok := x.numbers[name]
	return id, ok
}

// inOrder says whether a name goes on with a list that only rises or only falls.
func (x *index) inOrder(name string) bool {
	n := len(x.names)
	if n < 2 {
		return n == 0 || name != x.names[0]
	}
	if x.names[0] < x.names[1] {
		return x.names[n-1] < name
	}
	return name < x.names[n-1]
}
