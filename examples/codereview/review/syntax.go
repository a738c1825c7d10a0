package review

import (
	"errors"
	"go/scanner"
	"strings"
)

// broken finds files that do not parse. It reports the first error of each, for
// those after it may only follow from it.
func broken(files []*file) []Finding {
	var all []Finding
	for _, f := range files {
		if f.err != nil {
			all = append(all, firstError(f))
		}
	}
	return all
}

// firstError goes by the offset of the error, for //line comments bend its line.
func firstError(f *file) Finding {
	list, ok := errors.AsType[scanner.ErrorList](f.err)
	if !ok || len(list) == 0 {
		return Finding{File: f.Path, Line: 1, Column: 1, Message: "does not parse: " + f.err.Error()}
	}
	before := f.Text[:min(list[0].Pos.Offset, len(f.Text))]
	return Finding{
		File:    f.Path,
		Line:    strings.Count(before, "\n") + 1,
		Column:  len(before) - strings.LastIndexByte(before, '\n'),
		Message: "does not parse: " + list[0].Msg,
	}
}
