package agentgraph

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Lint reports what is legal in a graph and its registry, and in all that is
// nested there, but suspicious. See [FindingKind] for what it looks for. The
// graph need not be valid: what [ToRoster] refuses is taken as it is, a vertex
// without an entry as an agent, and a node inside itself as one without members.
//
// Lint looks at agents and channels as two kinds of vertex, so that n agents on
// one channel cost 2n, and not their square. Beside shadow edges it costs
// O(size log size) of the graph and all graphs nested in it, as often as they
// are nested. The search for shadow edges is bounded: see [LintShadow].
func Lint[B any](g Graph, reg Registry[B]) Report {
	var findings []Finding
	s := survey(g, reg)
	w := s.web()
	findings = append(findings, s.unusedEntries()...)
	findings = append(findings, w.oneSided()...)
	findings = append(findings, w.feedback()...)
	findings = append(findings, s.shadows(w)...)
	slices.SortFunc(findings, Finding.compare)
	return Report{Findings: findings}
}

// Report is what Lint found, in order of path, then of kind, then of names and
// channels.
type Report struct{ Findings []Finding }

// Finding is one suspicious thing. Names and channels are full ones, as
// "team/x" for x inside the nested node team.
type Finding struct {
	Kind     FindingKind
	Path     Name       // the nested node that it is inside of; empty for the top graph
	Names    []Name     // sorted; what they are depends on the kind
	Channels ChannelSet // likewise
	Shadows  []Edge     // of LintShadow: the first of them, by To and then From
	Count    int        // of LintShadow: how many there are
	Partial  bool       // of LintShadow: there may be more than Count
}

// FindingKind says what is suspicious.
type FindingKind int

const (
	// LintUnreachable: Names are agents that nobody can reach, for they subscribe
	// to no channel that an agent or a seat posts to. Only a post from outside to
	// Everyone, or straight to their channel if they have one, gives them a turn.
	// What stands behind such an agent is not reported again, and seats are not
	// reported, for they need not hear to speak.
	LintUnreachable FindingKind = iota + 1

	// LintNoSubscriber: Names post to the channel, and no agent or seat hears it.
	// It takes a nested node whose ports name no member.
	LintNoSubscriber

	// LintNoPoster: Names subscribe to the channel, and no seat posts to it, nor
	// any agent that can be reached. Posts from outside can still go there.
	LintNoPoster

	// LintUnused: Names are entries of a registry that no graph with that registry
	// has a vertex for.
	LintUnused

	// LintLoop: what one of Names posts can come back to it, over Channels, by way
	// of the others, and so on for ever if they always answer. Path is the
	// innermost node around all of them. Seats are in no loop, for they wait.
	LintLoop

	// LintShadow: Shadows are pairs of which one hears the other over the channel
	// though no edge joins them: two edges name one channel. Names are those of
	// Shadows that hear.
	//
	// A channel all of whose posters and hearers one Connect joins has no shadow,
	// and to see that costs O(size log size) over the graph. Other channels cost
	// up to the number of edges between their posters and hearers. Beyond some
	// eight million of those, Count is what follows from the numbers of edges,
	// only some hearers are looked at for Shadows, and a channel can be reported
	// with neither because that did not settle it; Partial says so.
	LintShadow
)

// String returns the kind in words.
func (k FindingKind) String() string {
	switch k {
	case LintUnreachable:
		return "unreachable"
	case LintNoSubscriber:
		return "no subscriber"
	case LintNoPoster:
		return "no poster"
	case LintUnused:
		return "unused"
	case LintLoop:
		return "loop"
	case LintShadow:
		return "shadow"
	}
	return "finding " + strconv.Itoa(int(k))
}

// String returns a line for each finding, or says that there is none.
func (r Report) String() string {
	if len(r.Findings) == 0 {
		return "no findings\n"
	}
	var b strings.Builder
	for _, f := range r.Findings {
		b.WriteString(f.String())
		b.WriteByte('\n')
	}
	return b.String()
}

// String tells the finding in one line. It shows ten of the names at most.
func (f Finding) String() string {
	text := fmt.Sprintf("%v: %s", f.Kind, f.text())
	if f.Path == "" {
		return text
	}
	return fmt.Sprintf("in %q: %s", f.Path, text)
}

func (f Finding) text() string {
	names, channels := list(f.Names), list(f.Channels.names)
	switch f.Kind {
	case LintUnreachable:
		return "nobody can reach " + names
	case LintNoSubscriber:
		return fmt.Sprintf("nobody hears %s, where %s can post", channels, names)
	case LintNoPoster:
		return fmt.Sprintf("nobody inside can post to %s, which %s can hear", channels, names)
	case LintUnused:
		return "no vertex for the registry's " + names
	case LintLoop:
		if len(f.Names) == 1 {
			return fmt.Sprintf("%s hears itself over %s and can go on for ever", names, channels)
		}
		return fmt.Sprintf("%s hear each other over %s and can go on for ever", names, channels)
	case LintShadow:
		return f.shadowText(channels)
	}
	return names
}

func (f Finding) shadowText(channels string) string {
	if f.Count == 0 {
		return fmt.Sprintf("over %s not all pairs could be compared", channels)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "over %s", channels)
	for i, rest := 0, f.Shadows; len(rest) > 0; i++ {
		if i == shownFaults {
			b.WriteString("; and so on")
			break
		}
		var heard []Name
		for len(rest) > len(heard) && rest[len(heard)].To == rest[0].To {
			heard = append(heard, rest[len(heard)].From)
		}
		if i > 0 {
			b.WriteByte(';')
		}
		fmt.Fprintf(&b, " %q hears %s", rest[0].To, list(heard))
		rest = rest[len(heard):]
	}
	least := ""
	if f.Partial {
		least = "at least "
	}
	fmt.Fprintf(&b, ": %s%s without an edge", least, count(f.Count, "pair"))
	return b.String()
}

func (f Finding) compare(g Finding) int {
	if c := strings.Compare(f.Path, g.Path); c != 0 {
		return c
	}
	if c := int(f.Kind) - int(g.Kind); c != 0 {
		return c
	}
	if c := slices.Compare(f.Names, g.Names); c != 0 {
		return c
	}
	return f.Channels.names.Compare(g.Channels.names)
}
