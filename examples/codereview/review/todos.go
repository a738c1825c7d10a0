package review

import (
	"go/ast"
	"regexp"
	"strings"
	"unicode"
)

// marker is a word that says that work is left: "TODO: x", "FIXME(who) x". Without
// a colon or a name, as in "TODO x", it counts only where a comment begins with
// it, for elsewhere it may be the middle of a sentence.
var marker = regexp.MustCompile(`^[\s*]*(TODO|FIXME|XXX|HACK)(\([^)]*\):?|:|\s|$)(.*)`)

// leftToDo finds such comments.
func leftToDo(f *file) []Finding {
	var all []Finding
	for _, group := range f.syntax.Comments {
		for i, c := range group.List {
			all = append(all, leftIn(f, c, i == 0)...)
		}
	}
	return all
}

func leftIn(f *file, c *ast.Comment, begins bool) []Finding {
	var all []Finding
	for i, line := range strings.Split(c.Text, "\n") {
		text := strings.TrimSuffix(line, "*/")
		if i == 0 {
			text = text[2:] // the slashes, or the slash and the star
		}
		m := marker.FindStringSubmatchIndex(text)
		if m == nil || strings.TrimSpace(text[m[4]:m[5]]) == "" && (!begins || i > 0) {
			continue
		}
		left := f.at(c.Pos(), "%s", note(text[m[2]:m[3]], text[m[6]:m[7]]))
		if i > 0 {
			left.Line, left.Column = left.Line+i, 1
		}
		all = append(all, left)
	}
	return all
}

// note quotes the comment, without anything that would confuse a terminal.
func note(word, rest string) string {
	rest = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, rest))
	if rest == "" {
		return word + " left in a comment"
	}
	return word + " left: " + rest
}
