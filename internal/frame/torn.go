package frame

import "bytes"

// sector is what a disk writes whole or not at all.
const sector = 512

// Cut tells whether the bytes at the end of a journal, which are not a line, are the
// beginning of one: they have no newline. If only their last byte is wrong, then
// the line was whole once and this is damage.
func Cut(rest []byte, prev Sum) bool {
	if len(rest) == 0 || bytes.IndexByte(rest, '\n') >= 0 || bytes.IndexByte(rest, 0) >= 0 {
		return false
	}
	whole := bytes.Clone(rest)
	whole[len(whole)-1] = '\n'
	_, _, err := Decode(whole, prev)
	return err != nil
}

// Hole tells whether bytes that are not a line have a hole: zero bytes that a write
// at offset start leaves where a sector of it did not arrive. The bytes stand at
// offset at, and eof is where the file ends. A line itself holds no zero byte.
// One zero byte alone is damage.
func Hole(line []byte, start, at, eof int64) bool {
	found := false
	for i := 0; i < len(line); i++ {
		if line[i] != 0 {
			continue
		}
		begin := i
		for i < len(line) && line[i] == 0 {
			i++
		}
		from, to := at+int64(begin), at+int64(i)
		if !lost(from, to, start, eof) {
			return false
		}
		found = true
	}
	return found
}

// lost tells whether zeros in [from, to) can be lost sectors of a write at start.
func lost(from, to, start, eof int64) bool {
	if from == start && to == eof {
		return true
	}
	begins := from == start || from%sector == 0
	ends := to == eof || to%sector == 0
	return begins && ends && to-from > 1
}
