package report

import (
	"fmt"
	"html/template"
	"math"
	"strings"

	"github.com/fmsop/fmsop/rubric"
)

// A radar has its first dimension at the top and goes on clockwise.
const (
	radarRadius = 120.0
	radarWidth  = 560.0
	radarHeight = 340.0
	radarRings  = 4
)

// radar draws one domain: a polygon a model, dimensions as axes from 0 in the
// middle to 1. A dimension without a value interrupts the polygon. It needs at
// least three dimensions.
func radar(r *rubric.Rubric, models []ModelSummary, domain int) template.HTML {
	n := len(r.Dimensions)
	if n < 3 {
		return ""
	}
	var b strings.Builder
	cx, cy := radarWidth/2, radarHeight/2
	point := func(i int, v float64) (x, y float64) {
		angle := 2*math.Pi*float64(i)/float64(n) - math.Pi/2
		return cx + v*radarRadius*math.Cos(angle), cy + v*radarRadius*math.Sin(angle)
	}
	fmt.Fprintf(&b, `<svg class="radar" viewBox="0 0 %g %g" role="img" aria-label="Radar of %s">`, radarWidth, radarHeight, escape(r.Domain))
	for ring := 1; ring <= radarRings; ring++ {
		v := float64(ring) / radarRings
		b.WriteString(`<polygon class="grid" points="`)
		for i := range n {
			x, y := point(i, v)
			fmt.Fprintf(&b, "%.1f,%.1f ", x, y)
		}
		b.WriteString(`"/>`)
		x, y := point(0, v)
		fmt.Fprintf(&b, `<text class="tick" x="%.1f" y="%.1f">%g</text>`, x+3, y+10, v)
	}
	for i, d := range r.Dimensions {
		x, y := point(i, 1)
		fmt.Fprintf(&b, `<line class="grid" x1="%g" y1="%g" x2="%.1f" y2="%.1f"/>`, cx, cy, x, y)
		label(&b, i, n, d.Name, point)
	}
	for k, m := range models {
		series(&b, k, m.Name, m.Results[domain].Dimensions, point)
	}
	b.WriteString(`</svg>`)
	return template.HTML(b.String())
}

// label names an axis, its words over as many lines as they take.
func label(b *strings.Builder, i, n int, name string, point func(int, float64) (float64, float64)) {
	x, y := point(i, 1.1)
	anchor := "middle"
	switch at := float64(i) / float64(n); {
	case at > 0.04 && at < 0.46:
		anchor = "start"
	case at > 0.54 && at < 0.96:
		anchor = "end"
	}
	lines := wrapped(name, 18)
	up := float64(len(lines)-1) / 2
	if i == 0 {
		up = float64(len(lines)) - 0.7
	}
	fmt.Fprintf(b, `<text class="axis" text-anchor="%s" y="%.1f">`, anchor, y)
	for k, line := range lines {
		rise := 1.1
		if k == 0 {
			rise = 0.35 - 1.1*up
		}
		fmt.Fprintf(b, `<tspan x="%.1f" dy="%.2fem">%s</tspan>`, x, rise, escape(line))
	}
	b.WriteString(`</text>`)
}

// wrapped cuts a name in snake_case into lines.
func wrapped(name string, width int) (lines []string) {
	for _, word := range strings.Split(name, "_") {
		if k := len(lines) - 1; k >= 0 && len(lines[k])+1+len(word) <= width {
			lines[k] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

// series draws a model's values: a closed shape where all are known, else the
// pieces between the gaps.
func series(b *strings.Builder, k int, name string, cells []rubric.Cell, point func(int, float64) (float64, float64)) {
	var pieces [][]string
	var piece []string
	whole := true
	for i, c := range cells {
		if c.Value == nil {
			whole = false
			if piece != nil {
				pieces, piece = append(pieces, piece), nil
			}
			continue
		}
		x, y := point(i, *c.Value)
		piece = append(piece, fmt.Sprintf("%.1f,%.1f", x, y))
	}
	if piece != nil {
		pieces = append(pieces, piece)
	}
	for _, p := range pieces {
		shape := "polyline"
		if whole {
			shape = "polygon"
		}
		fmt.Fprintf(b, `<%s class="model m%d" points="%s"><title>%s</title></%s>`, shape, k%palette, strings.Join(p, " "), escape(name), shape)
	}
	for i, c := range cells {
		if c.Value != nil {
			x, y := point(i, *c.Value)
			fmt.Fprintf(b, `<circle class="dot m%d" cx="%.1f" cy="%.1f" r="2.6"><title>%s, %s: %.2f</title></circle>`, k%palette, x, y, escape(name), escape(c.Name), *c.Value)
		}
	}
}

// palette is the number of colours for models; further ones begin again.
const palette = 8

// bar draws a mean from 0 to 1 as wide as there is room, its interval as a
// whisker.
func bar(k int, m rubric.Mean) template.HTML {
	if m.Value == nil {
		return ""
	}
	const width, height = 100.0, 12.0
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="bar" viewBox="0 0 %g %g" preserveAspectRatio="none" aria-hidden="true">`, width, height)
	fmt.Fprintf(&b, `<rect class="track" width="%g" height="%g"/><rect class="m%d" width="%.2f" height="%g"/>`, width, height, k%palette, width**m.Value, height)
	if m.Interval != nil {
		low, high := width*m.Interval.Low, width*m.Interval.High
		fmt.Fprintf(&b, `<path class="whisker" d="M%.2f 3V9M%.2f 6H%.2fM%.2f 3V9"/>`, low, low, high, high)
	}
	b.WriteString(`</svg>`)
	return template.HTML(b.String())
}

func escape(s string) string { return template.HTMLEscapeString(s) }
