package review

// maxLines is how long a function may be, from its first line to its last.
const maxLines = 60

// longFuncs finds functions with more lines than that.
func longFuncs(f *file) []Finding {
	var all []Finding
	for _, fn := range f.funcs() {
		if n := f.line(fn.End()) - f.line(fn.Pos()) + 1; n > maxLines {
			all = append(all, f.at(fn.Name.Pos(), "%s is %d lines long, more than %d", title(fn), n, maxLines))
		}
	}
	return all
}
