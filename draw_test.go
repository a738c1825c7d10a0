package agentgraph

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph/internal/diagram"
)

// hostileNames break a drawing that does not escape them.
var hostileNames = []string{
	"", " ", "a", "end", "subgraph", "graph", "n0", "a b", `"`, `""`, `\`, `\"`, `\N`, `a\nb`, "a\nb", "a\r\nb", "a\tb", "\x00", "\xff", "\x7f",
	"#", "#quot;", ";", "a;b", "&amp;", "&#35;", "<b>x</b>", "</text>", "<script>alert(1)</script>", "<br/>", "]", "[", "](", "{{", "}}", "|", "||",
	"%%", "%%{init: {'theme':'dark'}}%%", "a --> b", "a->>b: c", "`md`", "**b**", "_i_", "1. list", "- list", "# head", "fa:fa-user", "$$x$$", "wrap: x",
	"team/x", "a, b", "http://x.y/z", "\u202eevil", "\u200b", "\u2066x\u2069", "\ufeff", "\u2028", "\u00a0", "שלום", "\u200fשלום", "漢字", "👩\u200d💻", "é",
	"click n0 href", "class n0 x", "style n0 fill:red", "links p0: {}", "autonumber", "as", "x as y", "over", "Note", strings.Repeat("long ", 50),
}

func written(t testing.TB, draw func(*strings.Builder) error) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, draw(&b))
	return b.String()
}

func dotOf(t testing.TB, g Drawable) string {
	return written(t, func(b *strings.Builder) error { return DOT(b, g) })
}

func mermaidOf(t testing.TB, g Drawable) string {
	return written(t, func(b *strings.Builder) error { return Mermaid(b, g) })
}

// entryList is a roster's entries to be drawn.
type entryList []GraphAgent

func (l entryList) drawing() *diagram.Diagram { return drawEntries(l) }

func agentEntry(name Name, k Kind, in, out ChannelSet) GraphAgent {
	return GraphAgent{Name: name, Kind: k, Wiring: Wiring{In: in, Out: out}}
}

var review = entryList{
	agentEntry("author", KindExternal, Channels("verdict"), Channels("draft")),
	{
		Name: "team", Kind: KindNested, Wiring: Wiring{Channels("draft"), Channels("verdict")},
		Entries: []GraphAgent{
			agentEntry("team/a", KindAtomic, Channels("draft", "team/talk"), Channels("team/talk")),
			agentEntry("team/b", KindAtomic, Channels("team/talk"), Channels("team/talk", "verdict")),
			{Name: "team/inner", Kind: KindNested, Entries: []GraphAgent{
				agentEntry("team/inner/z", KindAtomic, ChannelSet{}, ChannelSet{}),
			}},
		},
	},
}

func TestDOTOfRoster(t *testing.T) {
	require.Equal(t, `digraph {
	n0 [label="author", shape=box, style="rounded,dashed"];
	subgraph cluster_n1 {
		label="team";
		n2 [label="a", shape=box];
		n3 [label="b", shape=box];
		subgraph cluster_n4 {
			label="inner";
			n5 [label="z", shape=box];
		}
		n6 [label="team/talk", shape=hexagon, height=0.3];
	}
	n0 -> n2 [label="draft"];
	n2 -> n6;
	n3 -> n0 [label="verdict"];
	n3 -> n6;
	n6 -> n2;
	n6 -> n3;
}
`, dotOf(t, review))
}

func TestMermaidOfRoster(t *testing.T) {
	require.Equal(t, `flowchart LR
	n0(["author"])
	subgraph n1 ["team"]
		n2["a"]
		n3["b"]
		subgraph n4 ["inner"]
			n5["z"]
		end
		n6{{"team/talk"}}
	end
	n0 -->|"draft"| n2
	n2 --> n6
	n3 -->|"verdict"| n0
	n3 --> n6
	n6 --> n2
	n6 --> n3
`, mermaidOf(t, review))
}

func TestDrawingOfGraph(t *testing.T) {
	g := Overlay(Connect(Channels("d", "c"), Vertex("b"), Vertices("a", "b")), Vertex("c"))
	require.Equal(t, `digraph {
	n0 [label="a", shape=box];
	n1 [label="b", shape=box];
	n2 [label="c", shape=box];
	n1 -> n0 [label="c, d"];
	n1 -> n1 [label="c, d"];
}
`, dotOf(t, g))
	require.Equal(t, `flowchart LR
	n0["a"]
	n1["b"]
	n2["c"]
	n1 -->|"c, d"| n0
	n1 -->|"c, d"| n1
`, mermaidOf(t, g))
}

// TestDrawingKeepsSlashes: a name may begin with one, at the top and in a node.
func TestDrawingKeepsSlashes(t *testing.T) {
	l := entryList{
		agentEntry("/x", KindAtomic, ChannelSet{}, ChannelSet{}),
		agentEntry("x", KindAtomic, ChannelSet{}, ChannelSet{}),
		{Name: "team", Kind: KindNested, Entries: []GraphAgent{agentEntry("team//x", KindAtomic, ChannelSet{}, ChannelSet{})}},
	}
	labels := regexp.MustCompile(`label="([^"]*)"`).FindAllStringSubmatch(dotOf(t, l), -1)
	var found []string
	for _, label := range labels {
		found = append(found, label[1])
	}
	require.ElementsMatch(t, []string{"/x", "x", "team", "/x"}, found)
}

func TestDrawingOfNothing(t *testing.T) {
	for _, g := range []Drawable{nil, Graph{}, (*Roster[string])(nil)} {
		require.Equal(t, "digraph {\n}\n", dotOf(t, g))
		require.Equal(t, "flowchart LR\n", mermaidOf(t, g))
	}
}

func TestDrawingMergesDirectArrows(t *testing.T) {
	got := mermaidOf(t, entryList{
		agentEntry("a", KindAtomic, ChannelSet{}, Channels("z", "x", "y")),
		agentEntry("b", KindAtomic, Channels("x", "y", "z"), ChannelSet{}),
		agentEntry("c", KindAtomic, Channels("y"), ChannelSet{}),
	})
	require.Equal(t, `flowchart LR
	n0["a"]
	n1["b"]
	n2["c"]
	n0 -->|"x, y, z"| n1
	n0 -->|"y"| n2
`, got)
}

func TestDrawingShowsChannelWithoutHearer(t *testing.T) {
	got := mermaidOf(t, entryList{agentEntry("a", KindAtomic, ChannelSet{}, Channels("c"))})
	require.Equal(t, "flowchart LR\n\tn0[\"a\"]\n\tn1{{\"c\"}}\n\tn0 --> n1\n", got)
}

// A channel between two boxes stands outside of both.
func TestDrawingPutsChannelAroundItsUsers(t *testing.T) {
	member := func(path, name Name, in, out ChannelSet) GraphAgent {
		return GraphAgent{Name: path, Kind: KindNested, Entries: []GraphAgent{
			agentEntry(path+"/"+name, KindAtomic, in, out),
			agentEntry(path+"/"+name+"2", KindAtomic, in, out),
		}}
	}
	got := mermaidOf(t, entryList{{Name: "o", Kind: KindNested, Entries: []GraphAgent{
		member("o/l", "x", ChannelSet{}, Channels("o/c")),
		member("o/r", "y", Channels("o/c"), ChannelSet{}),
	}}})
	require.Equal(t, `flowchart LR
	subgraph n0 ["o"]
		subgraph n1 ["l"]
			n2["x"]
			n3["x2"]
		end
		subgraph n4 ["r"]
			n5["y"]
			n6["y2"]
		end
		n7{{"o/c"}}
	end
	n2 --> n7
	n3 --> n7
	n7 --> n5
	n7 --> n6
`, got)
}

func TestDrawingOfBusIsLinear(t *testing.T) {
	var bus entryList
	for _, name := range manyNames(1000) {
		bus = append(bus, agentEntry(name, KindAtomic, Channels("bus"), Channels("bus")))
	}
	require.Len(t, bus.drawing().Arrows, 2000)
}

func manyNames(n int) []Name {
	names := make([]Name, n)
	for i := range names {
		names[i] = fmt.Sprintf("a%07d", i)
	}
	return names
}

func TestDrawingNestsDeeply(t *testing.T) {
	entry := agentEntry("leaf", KindAtomic, ChannelSet{}, ChannelSet{})
	for range 10_000 {
		entry = GraphAgent{Name: "n", Kind: KindNested, Entries: []GraphAgent{entry}}
	}
	require.Equal(t, 10_000, strings.Count(visibleIn(mermaidOf(t, entryList{entry})), "end"))
}

func visibleIn(s string) string { return strings.ReplaceAll(s, "\t", "") }

type brokenWriter struct{ err error }

func (w brokenWriter) Write([]byte) (int, error) { return 0, w.err }

func TestDrawingReportsWriter(t *testing.T) {
	broken := brokenWriter{errors.New("disk full")}
	for _, err := range []error{
		DOT(broken, Vertex("a")),
		Mermaid(broken, Vertex("a")),
		Sequence(broken, []Post[string]{NewPost("a", nil, "x")}),
	} {
		require.ErrorIs(t, err, broken.err)
		require.EqualError(t, err, "agentgraph: drawing: disk full")
	}
}

// The grammar of what is written: strict, and with no way for a name to leave
// its quotes. Between them stand visible characters only.
var (
	dotText      = `"(?:[^"\\\pC\pZ]| |\\["\\])*"`
	dotLine      = regexp.MustCompile(`^\t*(?:digraph \{|subgraph cluster_n\d+ \{|\}|label=` + dotText + `;|n\d+ \[label=` + dotText + `, shape=(?:box|box, style="rounded,dashed"|hexagon, height=0\.3)\];|n\d+ -> n\d+(?: \[label=` + dotText + `\])?;)$`)
	mermaidChars = `(?:[A-Za-z0-9 _.,/?!'-]|[^\x00-\x7f\pC\pZ]|#\d+;)`
	mermaidQuote = `"` + mermaidChars + `+"`
	mermaidLine  = regexp.MustCompile(`^\t*(?:flowchart LR|subgraph n\d+ \[` + mermaidQuote + `\]|end|n\d+(?:\[` + mermaidQuote + `\]|\(\[` + mermaidQuote + `\]\)|\{\{` + mermaidQuote + `\}\})|n\d+ -->(?:\|` + mermaidQuote + `\|)? n\d+)$`)
)

func requireLines(t testing.TB, text string, line *regexp.Regexp) {
	t.Helper()
	require.True(t, strings.HasSuffix(text, "\n"))
	for l := range strings.Lines(text) {
		require.Regexp(t, line, strings.TrimSuffix(l, "\n"))
	}
}

// hostile draws with names wherever a name can stand.
func hostile(a, b, ch string) []Drawable {
	return []Drawable{
		Connect(Channels(ch, a), Vertex(a), Vertices(a, b)),
		entryList{
			agentEntry(a, KindExternal, Channels(ch, b), Channels(a)),
			{Name: b, Kind: KindNested, Entries: []GraphAgent{
				agentEntry(b+"/"+a, KindAtomic, Channels(ch), Channels(ch, b)),
				agentEntry(b+"/"+ch, KindExternal, Channels(a), Channels(ch)),
			}},
		},
	}
}

func TestDrawingsOfHostileNames(t *testing.T) {
	for i, a := range hostileNames {
		b, ch := hostileNames[(i*7+3)%len(hostileNames)], hostileNames[(i*5+1)%len(hostileNames)]
		for _, g := range hostile(a, b, ch) {
			requireLines(t, dotOf(t, g), dotLine)
			requireLines(t, mermaidOf(t, g), mermaidLine)
		}
	}
}

func seedNames(f *testing.F) {
	for i, a := range hostileNames {
		f.Add(a, hostileNames[(i*7+3)%len(hostileNames)], hostileNames[(i*5+1)%len(hostileNames)])
	}
}

func FuzzDOT(f *testing.F) {
	seedNames(f)
	f.Fuzz(func(t *testing.T, a, b, ch string) {
		for _, g := range hostile(a, b, ch) {
			requireLines(t, dotOf(t, g), dotLine)
		}
	})
}

func FuzzMermaid(f *testing.F) {
	seedNames(f)
	f.Fuzz(func(t *testing.T, a, b, ch string) {
		for _, g := range hostile(a, b, ch) {
			requireLines(t, mermaidOf(t, g), mermaidLine)
		}
	})
}
