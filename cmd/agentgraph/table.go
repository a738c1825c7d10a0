package main

import (
	"strings"
	"unicode/utf8"
)

// table writes rows in columns, the first row as a heading. One of the columns is a
// status, and coloured.
func (a *app) table(rows [][]string, status int) {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for n, row := range rows {
		for i, cell := range row {
			shown := cell
			if i == status && n > 0 {
				shown = a.coloured(cell)
			}
			if i < len(row)-1 {
				shown += strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2)
			}
			a.print("%s", shown)
		}
		a.print("\n")
	}
}
