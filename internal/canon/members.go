package canon

// Members gives the members of an object in their order: each key, as it stands
// between its quotes, and the text of each value. It stops at an error of visit,
// which it returns, and at what is no JSON object.
func Members(raw []byte, visit func(key, value []byte) error) error {
	s := newScanner(raw)
	return s.members(visit)
}

// Inner is Members for a value that Members gave. It does not look into the strings
// again, which makes it far quicker where they are long.
func Inner(value []byte, visit func(key, value []byte) error) error {
	s := newScanner(value)
	s.passed = true
	return s.members(visit)
}

func (s *scanner) members(visit func(key, value []byte) error) error {
	s.limit = deepest
	if !s.next() || s.kind != beginObject {
		return s.notAnObject()
	}
	for s.next() && s.kind != endObject {
		if s.kind == comma {
			continue
		}
		key := s.text[s.from+1 : s.to-1]
		s.next() // the colon
		if !s.next() {
			break
		}
		from, depth := s.from, s.depth
		if s.kind == beginObject || s.kind == beginList {
			for s.next() && s.depth >= depth {
			}
		}
		if s.err != nil {
			break
		}
		if err := visit(key, s.text[from:s.to]); err != nil {
			return err
		}
	}
	for s.err == nil && s.next() { // nothing may follow
	}
	return s.err
}

func (s *scanner) notAnObject() error {
	if s.err == nil {
		s.fail(s.from, "not an object")
	}
	return s.err
}
