package agentgraph_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
)

// TestFilm runs each film of testdata/run, by the reference and by the library
// in every way, and compares what is recorded with what the film says. A film is
// a txtar archive; testdata/run/README.md explains its parts. With -update the
// record is written anew.
func TestFilm(t *testing.T) {
	for _, film := range films(t) {
		t.Run(strings.TrimSuffix(filepath.Base(film.path), ".txtar"), func(t *testing.T) {
			s := film.script(t)
			g, reg := s.Graph.graph(), s.Registry.registry(&world{}, "")
			roster, err := agentgraph.ToRoster(g, reg)
			require.NoError(t, err)
			for _, parallel := range []int{1, 2, 8} {
				r := roster.With(agentgraph.Options{MaxTurns: s.MaxTurns, Parallel: parallel})
				got := film.record(t, r.Open(), ears{r.Hearers, rosterHears(r.Entries())})
				if *update && parallel == 1 {
					film.write(t, got)
				}
				require.Equal(t, film.sections("record", "log", "pending"), got)
			}
		})
	}
}

func TestFilmOfReference(t *testing.T) {
	for _, film := range films(t) {
		t.Run(strings.TrimSuffix(filepath.Base(film.path), ".txtar"), func(t *testing.T) {
			s := film.script(t)
			m, err := newReference(&world{}, s.Graph, s.Registry, s.MaxTurns)
			require.NoError(t, err)
			got := film.record(t, m, ears{m.hearers, m.subscriptions})
			require.Equal(t, film.sections("record", "log", "pending"), got)
		})
	}
}

func films(t *testing.T) []*film {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", "run", "*.txtar"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	var all []*film
	for _, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		all = append(all, &film{path: path, files: readArchive(string(data))})
	}
	return all
}

// film is an archive. Its first file, without a name, is the comment on top.
type film struct {
	path  string
	files []archiveFile
}

type archiveFile struct{ name, data string }

// readArchive reads the txtar format: a file begins at a line "-- name --".
func readArchive(text string) []archiveFile {
	files := []archiveFile{{}}
	for line := range strings.Lines(text) {
		name, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "-- ")
		if name, ok2 := strings.CutSuffix(name, " --"); ok && ok2 {
			files = append(files, archiveFile{name: name})
			continue
		}
		files[len(files)-1].data += line
	}
	return files
}

func writeArchive(files []archiveFile) string {
	var b strings.Builder
	for _, f := range files {
		if f.name != "" {
			fmt.Fprintf(&b, "-- %s --\n", f.name)
		}
		b.WriteString(f.data)
	}
	return b.String()
}

func (f *film) section(name string) string {
	for _, file := range f.files {
		if file.name == name {
			return file.data
		}
	}
	return ""
}

func (f *film) sections(names ...string) []archiveFile {
	list := []archiveFile{}
	for _, name := range names {
		list = append(list, archiveFile{name, f.section(name)})
	}
	return list
}

func (f *film) write(t *testing.T, sections []archiveFile) {
	t.Helper()
	for _, s := range sections {
		i := slices.IndexFunc(f.files, func(file archiveFile) bool { return file.name == s.name })
		if i < 0 {
			i = len(f.files)
			f.files = append(f.files, archiveFile{})
		}
		f.files[i] = s
	}
	require.NoError(t, os.WriteFile(f.path, []byte(writeArchive(f.files)), 0o644))
}

// script reads what the film is about: the graph and who stands behind it.
func (f *film) script(t *testing.T) script {
	t.Helper()
	s := script{MaxTurns: 100}
	s.Graph, s.Registry = f.room(t, "")
	for line := range strings.Lines(f.section("options")) {
		limit, ok := strings.CutPrefix(strings.TrimSpace(line), "max turns ")
		require.True(t, ok, line)
		s.MaxTurns = atoi(t, limit)
	}
	return s
}

// room reads the sections "graph" and "who" of a nested node, or of the top.
func (f *film) room(t *testing.T, node string) (expr, registryExpr) {
	t.Helper()
	g := expr{Overlay: []expr{}}
	for line := range strings.Lines(f.section(strings.TrimSpace("graph " + node))) {
		g.Overlay = append(g.Overlay, readGraph(t, line))
	}
	reg := registryExpr{}
	for line := range strings.Lines(f.section(strings.TrimSpace("who " + node))) {
		name, what, ok := strings.Cut(strings.TrimSpace(line), ": ")
		require.True(t, ok, line)
		reg[name] = f.node(t, strings.TrimPrefix(node+"/"+name, "/"), what)
	}
	return g, reg
}

// readGraph reads a line such as "ask: lead -> w1 w2" or "bus talk: ann bob".
func readGraph(t *testing.T, line string) expr {
	t.Helper()
	head, list, ok := strings.Cut(line, ":")
	require.True(t, ok, line)
	names := strings.Fields(list)
	words := strings.Fields(head)
	switch words[0] {
	case "bus":
		return expr{Bus: &listExpr{names, words[1]}}
	case "chain":
		return expr{Chain: &listExpr{names, words[1]}}
	case "pipeline":
		return expr{Pipeline: &listExpr{names, words[1]}}
	case "star":
		return expr{Star: &starExpr{names[0], names[1:], words[1], words[2]}}
	}
	from, to, ok := strings.Cut(list, "->")
	require.True(t, ok, line)
	return expr{Connect: &connectExpr{words, expr{Vertices: strings.Fields(from)}, expr{Vertices: strings.Fields(to)}}}
}

// node reads "seat", "nested", "nested hears x speaks y z", or a program.
func (f *film) node(t *testing.T, path, what string) nodeExpr {
	t.Helper()
	if what == "seat" {
		return nodeExpr{External: true}
	}
	if ports, ok := strings.CutPrefix(what, "nested"); ok {
		n := &nestedExpr{}
		n.Graph, n.Registry = f.room(t, path)
		into := &n.Entry
		for _, word := range strings.Fields(ports) {
			switch word {
			case "hears":
				into = &n.Entry
			case "speaks":
				into = &n.Exit
			default:
				*into = append(*into, word)
			}
		}
		return nodeExpr{Nested: n}
	}
	var p program
	require.NoError(t, json.Unmarshal([]byte(what), &p), what)
	return nodeExpr{Agent: &p}
}

// ears says who hears channels, and which channels an agent hears.
type ears struct {
	hearers func(channels ...string) []string
	hears   func(agent string) []string
}

func rosterHears(entries []agentgraph.GraphAgent) func(string) []string {
	return func(agent string) []string {
		for _, e := range entries {
			if e.Name == agent {
				return channelNames(e.In)
			}
			if strings.HasPrefix(agent, e.Name+"/") && e.Kind == agentgraph.KindNested {
				return rosterHears(e.Entries)(agent)
			}
		}
		return nil
	}
}

func (m *refMeeting) subscriptions(agent string) []string { return m.byPath[agent].hears.sorted() }

// record plays the film's script and returns what is to be seen.
func (f *film) record(t *testing.T, m meeting, e ears) []archiveFile {
	t.Helper()
	var b strings.Builder
	for line := range strings.Lines(f.section("script")) {
		line = strings.TrimSpace(line)
		turns, bounded := strings.CutPrefix(line, "turns ")
		switch {
		case line == "run":
			e.play(&b, m, -1)
		case bounded:
			e.play(&b, m, atoi(t, turns))
		default:
			e.say(t, &b, m, line)
		}
	}
	return []archiveFile{{"record", b.String()}, {"log", tellLog(m.Log())}, {"pending", tellPending(m.Pending())}}
}

// say makes a post: "user to talk: hi", "seat to c answers a#0: yes".
func (e ears) say(t *testing.T, b *strings.Builder, m meeting, line string) {
	t.Helper()
	head, body, ok := strings.Cut(line, ": ")
	require.True(t, ok, line)
	from, rest, ok := strings.Cut(head, " to ")
	require.True(t, ok, line)
	to, cited, answers := strings.Cut(rest, " answers ")
	p := agentgraph.NewPost(from, strings.Fields(to), body)
	if answers {
		var id agentgraph.PostID
		require.NoError(t, id.UnmarshalText([]byte(cited)))
		p.Thread = []agentgraph.PostID{id}
	}
	if err := m.Post(p); err != nil {
		fmt.Fprintf(b, "refused: %v\n", err)
		return
	}
	log := m.Log()
	fmt.Fprintf(b, "%s\n", e.spoken(log[len(log)-1]))
}

// play lets the meeting run, for so many turns if there is a bound.
func (e ears) play(b *strings.Builder, m meeting, bound int) {
	for turn, err := range m.Turns(context.Background()) {
		if err != nil {
			fmt.Fprintf(b, "stopped: %s\n", reason(err))
			return
		}
		fmt.Fprintf(b, "turn %d  %s hears %s %q on %s\n", turn.N, turn.Agent, turn.Input.ID, turn.Input.Body, e.on(turn))
		for _, p := range turn.Outputs {
			fmt.Fprintf(b, "        %s\n", e.spoken(p))
		}
		if bound--; bound == 0 {
			b.WriteString("left\n")
			return
		}
	}
	b.WriteString("at rest\n")
}

// on is the channels by which a post came to the agent of a turn.
func (e ears) on(turn agentgraph.Turn[string]) string {
	hears := append(e.hears(turn.Agent), agentgraph.Everyone)
	return commas(slices.DeleteFunc(slices.Clone(turn.Input.To), func(channel string) bool {
		return !slices.Contains(hears, channel)
	}))
}

func (e ears) spoken(p post) string {
	return fmt.Sprintf("says %s %q to %s -> %s", p.ID, p.Body, commas(p.To), commas(e.hearers(p.To...)))
}

// reason is an error in words that the reference knows too.
func reason(err error) string {
	if kind(err) == "limit" {
		return "turn limit"
	}
	return err.Error()
}

func tellLog(log []post) string {
	var b strings.Builder
	for _, p := range log {
		fmt.Fprintf(&b, "%s to %s", p.ID, commas(p.To))
		if len(p.Thread) > 0 {
			cited := []string{}
			for _, id := range p.Thread {
				cited = append(cited, id.String())
			}
			fmt.Fprintf(&b, " answers %s", commas(cited))
		}
		fmt.Fprintf(&b, ": %s\n", p.Body)
	}
	return b.String()
}

func tellPending(pending []agentgraph.Waiting[string]) string {
	var b strings.Builder
	for _, w := range pending {
		fmt.Fprintf(&b, "%s: %s\n", w.At, commas(ids(w.Posts)))
	}
	return b.String()
}

func commas(names []string) string {
	if len(names) == 0 {
		return "nobody"
	}
	return strings.Join(names, ", ")
}

func atoi(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	require.NoError(t, err)
	return n
}
