package review

import (
	"fmt"
	"strings"
)

// Body is what a post carries; exactly one of its fields is set. It is plain
// data that survives JSON, and it holds all that an agent needs for its turn, the
// sources too: no agent but the reader looks at the disk, and that one only for a
// request without sources.
type Body struct {
	Request *Request `json:"request,omitempty"` // from the author
	Part    *Part    `json:"part,omitempty"`    // from the reader, passed on by the lead
	Review  *Review  `json:"review,omitempty"`  // from each reviewer, then from the lead for all
	Summary *Summary `json:"summary,omitempty"` // from the merger
	Report  *Report  `json:"report,omitempty"`  // from the editor
}

// Request asks for a review of files and directories. With sources it can go to
// another machine.
type Request struct {
	Paths   []string `json:"paths"`
	Tests   bool     `json:"tests,omitempty"`   // test files too
	All     bool     `json:"all,omitempty"`     // vendor, testdata and generated files too
	Sources []Source `json:"sources,omitempty"` // what is at the paths; if empty the reader looks
}

// Portion says which part of the whole a post is about.
type Portion struct {
	N     int    `json:"n"`  // from 1
	Of    int    `json:"of"` // how many parts there are
	Dir   string `json:"dir"`
	Files int    `json:"files"`
}

// Part is the sources of one directory.
type Part struct {
	Portion
	Sources []Source `json:"sources"`
}

// Source is one file.
type Source struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

// Review is what was found in one part, in order of place.
type Review struct {
	Portion
	Findings []Finding `json:"findings"`
}

// Finding is one thing found.
type Finding struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	Kind     string `json:"kind"` // the reviewer
	Severity string `json:"severity"`
	Message  string `json:"message"`
}

// Summary is a review with the findings of each line joined.
type Summary struct {
	Portion
	Places []Place `json:"places"`
}

// Place is a line and all that was found there.
type Place struct {
	File     string    `json:"file"`
	Line     int       `json:"line"`
	Findings []Finding `json:"findings"`
}

// String is the body on one line, for the log.
func (b Body) String() string {
	switch {
	case b.Request != nil:
		return "please review " + strings.Join(b.Request.Paths, " ")
	case b.Part != nil:
		return b.Part.String()
	case b.Review != nil:
		return fmt.Sprintf("%s in %v", count(len(b.Review.Findings), "finding"), b.Review.Portion)
	case b.Summary != nil:
		return fmt.Sprintf("%s in %v", count(len(b.Summary.Places), "place"), b.Summary.Portion)
	case b.Report != nil:
		return "the report: " + b.Report.found()
	}
	return ""
}

// String is "part 1 of 2: cmd with 3 files".
func (p Portion) String() string {
	return fmt.Sprintf("part %d of %d: %s with %s", p.N, p.Of, p.Dir, count(p.Files, "file"))
}

func count(n int, what string) string {
	switch {
	case n == 1:
		return "1 " + what
	case strings.HasSuffix(what, "y"):
		return fmt.Sprintf("%d %sies", n, strings.TrimSuffix(what, "y"))
	}
	return fmt.Sprintf("%d %ss", n, what)
}
