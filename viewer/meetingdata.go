package viewer

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/seed-a2b66b4f/agentgraph/internal/diagram"
	"github.com/seed-a2b66b4f/agentgraph/internal/journal"
	"github.com/seed-a2b66b4f/agentgraph/internal/minutes"
)

// meetingData is all that the drawing and the slider show. Texts are as they are to
// be shown; all else goes by number.
type meetingData struct {
	Seq      uint64        `json:"seq"`
	Nodes    []nodeData    `json:"nodes"`
	Channels []string      `json:"channels"`
	Inputs   int           `json:"inputs"` // how many posts there are before the first turn
	Posts    []postData    `json:"posts"`
	Turns    []turnData    `json:"turns"`
	Waiting  []waitingData `json:"waiting"`
}

type nodeData struct {
	Name   string `json:"name"`  // path
	Label  string `json:"label"` // its last part
	Kind   string `json:"kind"`
	Parent int    `json:"parent"` // -1 for none
	In     []int  `json:"in"`     // channels
	Out    []int  `json:"out"`
}

type postData struct {
	ID     string `json:"id"`
	Author int    `json:"author"` // node; -1 for somebody outside
	To     []int  `json:"to"`     // channels
	Thread []int  `json:"thread"` // posts
	Heard  []int  `json:"heard"`  // nodes
	Turn   int    `json:"turn"`   // that made it; -1 for none
	Text   string `json:"text"`   // its beginning
	Cut    bool   `json:"cut"`
	Size   string `json:"size"`
}

// turnData is a turn of an agent, or an answer at a seat.
type turnData struct {
	Agent  int    `json:"agent"` // or the seat
	Seat   bool   `json:"seat"`
	Took   int    `json:"took"` // -1 at a seat
	Made   []int  `json:"made"`
	End    int    `json:"end"` // how many posts there are after it
	Cached bool   `json:"cached"`
	Begun  bool   `json:"begun"`
	Error  string `json:"error"`
	At     string `json:"at"` // after the attempt began; empty at a seat
}

type waitingData struct {
	Seat  int   `json:"seat"`
	Posts []int `json:"posts"`
}

// dataOf costs O(the log), and O(the roster) for each address.
func dataOf(m *minutes.Minutes, seq uint64) meetingData {
	t := newTable(m)
	d := meetingData{Seq: seq, Nodes: t.nodes, Posts: []postData{}, Turns: []turnData{}, Waiting: []waitingData{}}
	for i, turn := range m.Turns {
		made := []int{}
		for n := range turn.Posts {
			made = append(made, turn.First+n)
			d.Posts = append(d.Posts, t.post(m.Posts[turn.First+n], i-1))
		}
		if i == 0 {
			d.Inputs = turn.Posts
			continue
		}
		d.Turns = append(d.Turns, t.turn(turn, made))
	}
	if m.Step.Status != journal.Done {
		d.Waiting = waits(d)
	}
	d.Channels = t.channels
	return d
}

// table has a number for each name.
type table struct {
	roster   []journal.Shape
	nodes    []nodeData
	byName   map[string]int // nodes
	channels []string       // as they are shown, in the order in which they come up
	byChan   map[string]int
	byID     map[minutes.ID]int // posts
	heard    map[string][]int   // hearers, by address
}

func newTable(m *minutes.Minutes) *table {
	t := &table{
		roster: m.Roster, nodes: []nodeData{}, channels: []string{}, byName: map[string]int{}, byChan: map[string]int{},
		byID: map[minutes.ID]int{}, heard: map[string][]int{},
	}
	t.enter(m.Roster, -1, 0)
	for i, p := range m.Posts {
		t.byID[p.ID] = i
	}
	return t
}

// enter takes in members, each node before what is in it. Their names go on after so
// many bytes.
func (t *table) enter(members []journal.Shape, parent, prefix int) {
	for _, s := range members {
		at := len(t.nodes)
		t.byName[s.Name] = at
		t.nodes = append(t.nodes, nodeData{
			Name: diagram.Visible(s.Name), Label: diagram.Visible(s.Name[min(prefix, len(s.Name)):]), Kind: s.Kind, Parent: parent,
			In: t.addresses(s.In), Out: t.addresses(s.Out),
		})
		t.enter(s.Entries, at, len(s.Name)+len("/"))
	}
}

func (t *table) addresses(names []string) []int {
	list := make([]int, len(names))
	for i, name := range names {
		at, known := t.byChan[name]
		if !known {
			at = len(t.channels)
			t.byChan[name] = at
			t.channels = append(t.channels, diagram.Visible(name))
		}
		list[i] = at
	}
	return list
}

// node is -1 for somebody outside.
func (t *table) node(name string) int {
	if at, known := t.byName[name]; known {
		return at
	}
	return -1
}

func (t *table) post(p minutes.Post, turn int) postData {
	d := postData{
		ID: diagram.Visible(p.ID.String()), Author: t.node(p.From), To: t.addresses(p.To), Thread: []int{},
		Heard: t.hearers(p.To), Turn: turn, Size: size(len(p.Body)),
	}
	for _, id := range p.Thread {
		if at, known := t.byID[id]; known {
			d.Thread = append(d.Thread, at)
		}
	}
	text := textOf(p.Body)
	begin := cutText(text, preview)
	d.Text, d.Cut = marked(begin), len(begin) < len(text)
	return d
}

// textOf is what a body says. Of a long one it is only a part, but more than a preview
// of it shows.
func textOf(body json.RawMessage) (text string) {
	const (
		longest = len(`\ud83d\ude00`)     // of what stands for one character
		most    = longest * (preview + 1) // bytes that are enough
	)
	if len(body) > most && body[0] == '"' {
		for end := most; end > most-longest; end-- { // one of them is between two characters
			if json.Unmarshal(slices.Concat(body[:end], []byte(`"`)), &text) == nil {
				return text
			}
		}
	}
	if len(body) <= most && json.Unmarshal(body, &text) == nil {
		return text
	}
	return string(body[:min(len(body), most)])
}

// preview is how much of a body the list of posts shows.
const preview = 400

func (t *table) hearers(to []string) []int {
	key := strings.Join(to, "\x00")
	list, known := t.heard[key]
	if !known {
		list = []int{}
		for _, name := range minutes.Hearers(t.roster, to) {
			list = append(list, t.node(name))
		}
		t.heard[key] = list
	}
	return list
}

func (t *table) turn(turn minutes.Turn, made []int) turnData {
	d := turnData{Made: made, End: turn.First + turn.Posts}
	if turn.Seat != "" {
		d.Agent, d.Seat, d.Took = t.node(turn.Seat), true, -1
		return d
	}
	d.Agent, d.Took = t.node(turn.Agent), t.byID[turn.Input]
	d.Cached, d.Begun, d.Error = turn.Mark.Cached, turn.Mark.Begun, marked(turn.Mark.Error)
	d.At = span(time.Duration(turn.Mark.At) * time.Microsecond)
	return d
}

// waits lists what each seat hears and does not cite later.
func waits(d meetingData) []waitingData {
	list := []waitingData{}
	for n, node := range d.Nodes {
		if node.Kind != "external" {
			continue
		}
		var open []int
		for i, p := range d.Posts {
			if p.Author == n {
				open = slices.DeleteFunc(open, func(post int) bool { return slices.Contains(p.Thread, post) })
			}
			if slices.Contains(p.Heard, n) {
				open = append(open, i)
			}
		}
		if len(open) > 0 {
			list = append(list, waitingData{n, open})
		}
	}
	return list
}
