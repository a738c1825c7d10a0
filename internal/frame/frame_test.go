package frame

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func sample() []Line {
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	return []Line{
		{Life: "ABC", Run: "run \"1\" \\ \u2028é", Seq: 1, Time: at, Kind: "begin", Data: []byte(`{"a":[1,2.0,9007199254740993]}`)},
		{Seq: 2, Time: at.Add(time.Second), Kind: "", Data: []byte(`"\u0000"`), More: true},
		{Seq: 3, Kind: "odd \" \\\n", Data: []byte(`{"more":true,"crc":"00000000"}`), More: true},
		{Seq: 1<<64 - 1, Time: at, Kind: "end", Data: []byte(`null`)},
	}
}

func TestForm(t *testing.T) {
	line, sum := Append(nil, sample()[0], 0)
	require.Equal(t, `{"life":"ABC","run":"run \"1\" \\ \u2028é","seq":1,"time":"2026-01-02T03:04:05.000000006Z","kind":"begin","data":{"a":[1,2.0,9007199254740993]},"crc":"64bc8311"}`+"\n", string(line))
	require.Equal(t, Sum(0x64bc8311), sum)
	next, _ := Append(nil, sample()[1], sum)
	require.Equal(t, `{"seq":2,"time":"2026-01-02T03:04:06.000000006Z","kind":"","data":"\u0000","more":true,"crc":"95d9e4de"}`+"\n", string(next))
}

func TestRoundTrip(t *testing.T) {
	var prev Sum
	for _, want := range sample() {
		text, sum := Append([]byte("before"), want, prev)
		line := text[len("before"):]
		require.True(t, json.Valid(line), "%s", line)
		got, again, err := Decode(line, prev)
		require.NoError(t, err)
		require.Equal(t, sum, again)
		require.Equal(t, want, got)
		require.Equal(t, !want.More, Ends(line))
		require.Equal(t, !want.More, Ends(line[max(0, len(line)-EndLen):]))
		prev = sum
	}
}

func TestLifeOf(t *testing.T) {
	line, _ := Append(nil, sample()[0], 0)
	require.Equal(t, "ABC", LifeOf(line[:LifeLen(3)]))
	require.Empty(t, LifeOf(line[:LifeLen(3)-1]))
	require.Empty(t, LifeOf(nil))
	line, _ = Append(nil, sample()[1], 0)
	require.Empty(t, LifeOf(line))
}

// TestEveryByte changes every byte of every line to every other value.
func TestEveryByte(t *testing.T) {
	var prev Sum
	for _, l := range sample() {
		line, sum := Append(nil, l, prev)
		for i, was := range line {
			for b := range 256 {
				if line[i] = byte(b); line[i] == was {
					continue
				}
				_, _, err := Decode(line, prev)
				require.ErrorIs(t, err, ErrBad, "byte %d to %d", i, b)
			}
			line[i] = was
		}
		prev = sum
	}
}

func TestChain(t *testing.T) {
	first, sum := Append(nil, sample()[1], 0)
	second, _ := Append(nil, sample()[2], sum)
	_, _, err := Decode(second, 0)
	require.ErrorIs(t, err, ErrBad)
	_, _, err = Decode(first, sum)
	require.ErrorIs(t, err, ErrBad)
}

// TestCut: every beginning of a line is one, and no whole line is.
func TestCut(t *testing.T) {
	line, _ := Append(nil, sample()[1], 7)
	for n := 1; n < len(line); n++ {
		require.True(t, Cut(line[:n], 7), "%d bytes", n)
	}
	require.False(t, Cut(line, 7))
	require.False(t, Cut(nil, 7))
	for _, last := range []byte("x }\x00") {
		changed := append(line[:len(line)-1:len(line)-1], last)
		require.False(t, Cut(changed, 7), "newline changed to %q", last)
	}
}

func TestHole(t *testing.T) {
	zeros := strings.Repeat("\x00", 2048)
	for _, c := range []struct {
		name      string
		line      string
		start, at int64
		eof       int64
		want      bool
	}{
		{"none", "abc", 0, 0, 3, false},
		{"whole tail", zeros[:7], 100, 100, 107, true},
		{"one byte is the whole tail", zeros[:1], 100, 100, 101, true},
		{"from the start to a sector", zeros[:412] + "x\n", 100, 100, 514, true},
		{"a sector inside", strings.Repeat("x", 412) + zeros[:512] + "x\n", 100, 100, 1026, true},
		{"a sector inside, not first line", strings.Repeat("x", 12) + zeros[:512] + "x\n", 100, 500, 1026, true},
		{"a sector to the end", strings.Repeat("x", 412) + zeros[:99], 100, 100, 611, true},
		{"two holes", zeros[:412] + strings.Repeat("x", 512) + zeros[:512] + "\n", 100, 100, 1537, true},
		{"one of two is none", zeros[:412] + strings.Repeat("x", 512) + zeros[:511] + "x\n", 100, 100, 1537, false},
		{"one byte", strings.Repeat("x", 412) + zeros[:1], 100, 100, 513, false},
		{"a first byte before a sector", zeros[:1] + "x\n", 511, 511, 514, false},
		{"not from a sector", "x" + zeros[:411] + "x\n", 100, 100, 514, false},
		{"not to a sector", zeros[:411] + "xx\n", 100, 100, 514, false},
	} {
		require.Equal(t, c.want, Hole([]byte(c.line), c.start, c.at, c.eof), c.name)
	}
}

func FuzzDecode(f *testing.F) {
	var prev Sum
	for _, l := range sample() {
		line, sum := Append(nil, l, prev)
		f.Add(line, uint32(prev))
		prev = sum
	}
	f.Add([]byte(`{"seq":1`), uint32(0))
	f.Fuzz(func(t *testing.T, line []byte, prev uint32) {
		_, _, err := Decode(line, Sum(prev))
		if err == nil {
			require.Equal(t, 1, bytes.Count(line, []byte("\n")))
		}
		// A body with the right sum comes to the parser too.
		body := bytes.ReplaceAll(line, []byte("\n"), nil)
		parse(body)
		Ends(line)
		LifeOf(line)
		Cut(line, Sum(prev))
		Hole(line, 0, 0, int64(len(line)))
	})
}

func FuzzRoundTrip(f *testing.F) {
	f.Add("run", uint64(1), int64(0), "kind", `{"a":1}`, true, uint32(0), 3, byte(0))
	f.Add("", uint64(0), int64(-1), "\x00\"\\", `[" "]`, false, uint32(9), 40, byte('\n'))
	f.Fuzz(func(t *testing.T, run string, seq uint64, ns int64, kind, data string, more bool, prev uint32, at int, to byte) {
		if !utf8.ValidString(run) || !utf8.ValidString(kind) || !utf8.ValidString(data) || !json.Valid([]byte(data)) {
			return // no line is made of these
		}
		var compact bytes.Buffer
		require.NoError(t, json.Compact(&compact, []byte(data)))
		want := Line{Seq: seq, Time: time.Unix(0, ns).UTC(), Kind: kind, Data: compact.Bytes(), More: more}
		if run != "" {
			want.Life, want.Run = "LIFE", run
		}
		line, sum := Append(nil, want, Sum(prev))
		got, again, err := Decode(line, Sum(prev))
		require.NoError(t, err)
		require.Equal(t, sum, again)
		require.Equal(t, want, got)

		i := int(uint(at) % uint(len(line)))
		if line[i] == to {
			return
		}
		line[i] = to
		_, _, err = Decode(line, Sum(prev))
		require.ErrorIs(t, err, ErrBad)
	})
}
