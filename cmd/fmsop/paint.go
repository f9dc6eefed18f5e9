package main

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// paint colours text, or leaves it as it is.
type paint bool

func (p paint) with(code, s string) string {
	if !p || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (p paint) bold(s string) string  { return p.with("1", s) }
func (p paint) faint(s string) string { return p.with("2", s) }
func (p paint) good(s string) string  { return p.with("32", s) }
func (p paint) bad(s string) string   { return p.with("31", s) }

// removed and added mark a change; without colours, in the way of wdiff.
func (p paint) removed(s string) string {
	if !p {
		return "[-" + s + "-]"
	}
	return p.with("9;31", s)
}

func (p paint) added(s string) string {
	if !p {
		return "{+" + s + "+}"
	}
	return p.with("32", s)
}

// heading is a line that separates parts.
func (p paint) heading(s string) string {
	return p.bold("── "+s+" ") + p.faint(strings.Repeat("─", max(3, 76-utf8.RuneCountInString(s))))
}

// columns lays rows out under each other; cells that look like numbers stand
// at the right.
func columns(rows [][]string) string {
	var width []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			space := strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell))
			if numeric(cell) {
				line.WriteString(space + cell + "  ")
			} else {
				line.WriteString(cell + space + "  ")
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

func numeric(cell string) bool {
	return cell != "" && strings.Trim(cell, "0123456789.% ") == ""
}

// count writes 1 row, 2 rows, 0 rows.
func count(n int, singular string) string {
	if n == 1 {
		return "1 " + singular
	}
	return fmt.Sprintf("%d %ss", n, singular)
}
