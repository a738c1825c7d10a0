// Package frame is the line format of a journal: one record a line, each line a
// JSON object that ends in a CRC-32C of itself, chained over the lines before.
// It is a pure codec and touches no file.
//
// A line is, in this order and without white space,
//
//	{"life":"...","run":"...","seq":1,"time":"...","kind":"...","data":...,"more":true,"crc":"0a1b2c3d"}
//
// and a newline. Life and run stand in the first line alone. More stands in each
// line of a batch but its last: a batch whose last line is missing was never whole.
package frame

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash/crc32"
	"strconv"
	"time"
)

// Line is what one line holds.
type Line struct {
	Life string // which journal of that run this is; the first line's alone
	Run  string // the run's ID; the first line's alone
	Seq  uint64
	Time time.Time
	Kind string
	Data []byte // JSON without white space between its tokens
	More bool   // the batch goes on in the next line
}

// Sum is the checksum of a line and all before it; 0 before the first.
type Sum uint32

// next is the sum of a line with that body after s. Since a CRC finds every burst
// of up to 32 bits, no change of one byte goes unnoticed.
func (s Sum) next(body []byte) Sum {
	return Sum(crc32.Update(uint32(s), crc32.MakeTable(crc32.Castagnoli), body))
}

// ErrBad: the bytes are not a line that Append wrote after a line of that sum.
var ErrBad = errors.New("not a line of this journal")

const (
	lifeKey = `"life":"`
	runKey  = `"run":`
	seqKey  = `"seq":`
	timeKey = `,"time":"`
	kindKey = `","kind":`
	dataKey = `,"data":`
	moreKey = `,"more":true`
	sumKey  = `,"crc":"`
	closing = "\"}\n"

	sumLen  = 8 // hex digits
	tailLen = len(sumKey) + sumLen + len(closing)
)

// Append appends the line that comes after one of sum prev, and returns its sum.
// The texts must be valid UTF-8,
// the life must need no escapes and the data must be compact JSON.
func Append(dst []byte, l Line, prev Sum) ([]byte, Sum) {
	begin := len(dst)
	dst = append(dst, '{')
	if l.Life != "" {
		dst = append(dst, lifeKey...)
		dst = append(dst, l.Life...)
		dst = append(dst, `",`...)
		dst = append(dst, runKey...)
		dst = append(appendString(dst, l.Run), ',')
	}
	dst = append(dst, seqKey...)
	dst = strconv.AppendUint(dst, l.Seq, 10)
	dst = append(dst, timeKey...)
	dst = l.Time.UTC().AppendFormat(dst, time.RFC3339Nano)
	dst = append(dst, kindKey...)
	dst = appendString(dst, l.Kind)
	dst = append(dst, dataKey...)
	dst = append(dst, l.Data...)
	if l.More {
		dst = append(dst, moreKey...)
	}
	sum := prev.next(dst[begin:])
	dst = append(dst, sumKey...)
	dst = hex.AppendEncode(dst, binary.BigEndian.AppendUint32(nil, uint32(sum)))
	return append(dst, closing...), sum
}

// appendString appends a JSON string.
func appendString(dst []byte, s string) []byte {
	quoted, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always has a JSON form
	}
	return append(dst, quoted...)
}

// Decode takes a line apart, with its newline, that comes after one of sum prev.
// Any change of the line is ErrBad, and so is a line that came after another. The
// data is a part of the line and not a copy.
func Decode(line []byte, prev Sum) (Line, Sum, error) {
	body, stated, ok := split(line)
	if !ok {
		return Line{}, 0, ErrBad
	}
	sum := prev.next(body)
	if sum != stated {
		return Line{}, 0, ErrBad
	}
	l, ok := parse(body)
	if !ok {
		return Line{}, 0, ErrBad
	}
	return l, sum, nil
}

// split parts the body of a line from the sum that it states.
func split(line []byte) (body []byte, stated Sum, ok bool) {
	if len(line) < tailLen {
		return nil, 0, false
	}
	body, tail := line[:len(line)-tailLen], line[len(line)-tailLen:]
	digits, ok := bytes.CutPrefix(tail, []byte(sumKey))
	if !ok {
		return nil, 0, false
	}
	digits, ok = bytes.CutSuffix(digits, []byte(closing))
	if !ok || bytes.IndexByte(body, '\n') >= 0 {
		return nil, 0, false
	}
	for _, d := range digits {
		if 'A' <= d && d <= 'F' { // one sum has one form
			return nil, 0, false
		}
	}
	var sum [sumLen / 2]byte
	if _, err := hex.Decode(sum[:], digits); err != nil {
		return nil, 0, false
	}
	return body, Sum(binary.BigEndian.Uint32(sum[:])), true
}

// parse takes a body apart. It knows the one form that Append writes.
func parse(body []byte) (Line, bool) {
	var l Line
	p := parser{rest: body}
	p.skip("{")
	if bytes.HasPrefix(p.rest, []byte(lifeKey)) {
		p.skip(lifeKey)
		l.Life = string(p.until('"'))
		p.skip(`",` + runKey)
		l.Run = p.str()
		p.skip(",")
	}
	p.skip(seqKey)
	l.Seq = p.number()
	p.skip(timeKey)
	l.Time = p.time()
	p.skip(kindKey)
	l.Kind = p.str()
	p.skip(dataKey)
	l.Data, l.More = bytes.CutSuffix(p.rest, []byte(moreKey))
	return l, !p.failed
}

// parser eats a body from its front.
type parser struct {
	rest   []byte
	failed bool
}

func (p *parser) skip(text string) {
	rest, ok := bytes.CutPrefix(p.rest, []byte(text))
	p.rest, p.failed = rest, p.failed || !ok
}

// until takes what comes before the byte.
func (p *parser) until(end byte) []byte {
	i := bytes.IndexByte(p.rest, end)
	if i < 0 {
		p.failed = true
		return nil
	}
	taken := p.rest[:i]
	p.rest = p.rest[i:]
	return taken
}

func (p *parser) number() uint64 {
	n, err := strconv.ParseUint(string(p.until(',')), 10, 64)
	p.failed = p.failed || err != nil
	return n
}

func (p *parser) time() time.Time {
	t, err := time.Parse(time.RFC3339Nano, string(p.until('"')))
	p.failed = p.failed || err != nil
	return t.UTC()
}

// str takes a JSON string.
func (p *parser) str() string {
	n := quotedLen(p.rest)
	if n == 0 {
		p.failed = true
		return ""
	}
	quoted := p.rest[:n]
	p.rest = p.rest[n:]
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1 : n-1])
	}
	var s string
	p.failed = p.failed || json.Unmarshal(quoted, &s) != nil
	return s
}

// quotedLen is the length of the JSON string that begins b, 0 if there is none.
func quotedLen(b []byte) int {
	if len(b) == 0 || b[0] != '"' {
		return 0
	}
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return 0
}

// Ends tells whether the bytes end as the last line of a batch ends. It looks at
// no checksum.
func Ends(b []byte) bool {
	body, _, ok := split(b[bytes.LastIndexByte(b[:max(0, len(b)-1)], '\n')+1:])
	return ok && !bytes.HasSuffix(body, []byte(moreKey))
}

// EndLen is how many bytes [Ends] needs to see.
const EndLen = len(moreKey) + tailLen

// LifeOf is the life that the first bytes of a journal state, empty if none.
func LifeOf(head []byte) string {
	p := parser{rest: head}
	p.skip("{" + lifeKey)
	life := p.until('"')
	if p.failed {
		return ""
	}
	return string(life)
}

// LifeLen is how many bytes [LifeOf] needs to see for a life of n bytes.
func LifeLen(n int) int { return len("{") + len(lifeKey) + n + 1 }
