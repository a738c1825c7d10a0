package review

import (
	"fmt"
	"slices"
	"strings"
)

// Report is the outcome of the meeting.
type Report struct {
	Dirs   int     `json:"dirs"`
	Files  int     `json:"files"`
	Places []Place `json:"places"` // by directory, file and line
	Counts []Count `json:"counts"` // of every kind that was looked for
}

// Count is how many findings of one kind there are.
type Count struct {
	Kind string `json:"kind"`
	N    int    `json:"n"`
}

// newReport puts the parts together, in whatever order they come.
func newReport(parts []Summary, kinds []string) *Report {
	r := &Report{Dirs: len(parts), Counts: make([]Count, len(kinds))}
	for _, p := range parts {
		r.Files += p.Files
		r.Places = append(r.Places, p.Places...)
	}
	slices.SortFunc(r.Places, func(a, b Place) int { return a.Findings[0].compare(b.Findings[0]) })
	for i, kind := range kinds {
		r.Counts[i] = Count{kind, r.count(kind)}
	}
	return r
}

// join makes places of findings that are in order.
func join(findings []Finding) []Place {
	var places []Place
	for _, f := range findings {
		last := len(places) - 1
		if last < 0 || places[last].File != f.File || places[last].Line != f.Line {
			places = append(places, Place{File: f.File, Line: f.Line})
			last++
		}
		places[last].Findings = append(places[last].Findings, f)
	}
	return places
}

func (r *Report) count(kind string) int {
	n := 0
	for _, p := range r.Places {
		for _, f := range p.Findings {
			if f.Kind == kind {
				n++
			}
		}
	}
	return n
}

// String is the report for people: a paragraph for each place, then the counts.
func (r *Report) String() string {
	var b strings.Builder
	for _, p := range r.Places {
		b.WriteString(p.String())
	}
	if len(r.Places) > 0 {
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "%s\n", r.heading())
	for _, c := range r.Counts {
		fmt.Fprintf(&b, "%8d %s\n", c.N, c.Kind)
	}
	return b.String()
}

func (r *Report) heading() string {
	return fmt.Sprintf("%s in %s: %s", count(r.Files, "file"), count(r.Dirs, "directory"), r.found())
}

func (r *Report) found() string {
	if len(r.Places) == 0 {
		return "nothing found"
	}
	return fmt.Sprintf("%s at %s", count(r.total(), "finding"), count(len(r.Places), "place"))
}

func (r *Report) total() int {
	n := 0
	for _, c := range r.Counts {
		n += c.N
	}
	return n
}

// String is a line for each finding; the place stands before the first alone.
func (p Place) String() string {
	var b strings.Builder
	place := fmt.Sprintf("%s:%d:%d: ", p.File, p.Line, p.Findings[0].Column)
	for _, f := range p.Findings {
		fmt.Fprintf(&b, "%s%s: %s (%s)\n", place, f.Severity, f.Message, f.Kind)
		place = strings.Repeat(" ", len(place))
	}
	return b.String()
}
