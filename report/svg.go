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
	y -= 6 * float64(len(lines)-1)
	if i == 0 {
		y -= 5 * float64(len(lines))
	}
	fmt.Fprintf(b, `<text class="axis" text-anchor="%s">`, anchor)
	for k, line := range lines {
		fmt.Fprintf(b, `<tspan x="%.1f" y="%.1f">%s</tspan>`, x, y+12*float64(k)+4, escape(line))
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

const (
	barWidth  = 640.0
	barHeight = 22.0
	barLabel  = 220.0
	barRight  = 60.0
)

// bars draws one bar a model with its interval as a whisker, or its bounds where
// there is no interval.
func bars(models []ModelSummary, domain int) template.HTML {
	var b strings.Builder
	height := barHeight*float64(len(models)) + 18
	fmt.Fprintf(&b, `<svg class="bars" viewBox="0 0 %g %g" role="img" aria-label="Final scores">`, barWidth, height)
	scale := func(v float64) float64 { return barLabel + v*(barWidth-barLabel-barRight) }
	for tick := 0.0; tick <= 1; tick += 0.25 {
		fmt.Fprintf(&b, `<line class="grid" x1="%.1f" x2="%.1f" y1="0" y2="%.1f"/><text class="tick" text-anchor="middle" x="%.1f" y="%.1f">%g</text>`,
			scale(tick), scale(tick), height-16, scale(tick), height-4, tick)
	}
	for k, m := range models {
		f := m.Results[domain].Final
		y := barHeight * float64(k)
		fmt.Fprintf(&b, `<text class="name" text-anchor="end" x="%g" y="%.1f">%s</text>`, barLabel-8, y+barHeight*0.66, escape(shorten(m.Name, 32)))
		if f.Value == nil {
			fmt.Fprintf(&b, `<text class="tick" x="%g" y="%.1f">unscored</text>`, barLabel+6, y+barHeight*0.66)
			continue
		}
		fmt.Fprintf(&b, `<rect class="bar m%d" x="%g" y="%.1f" width="%.1f" height="%.1f"><title>%s: %.3f</title></rect>`,
			k%palette, barLabel, y+4, scale(*f.Value)-barLabel, barHeight-8, escape(m.Name), *f.Value)
		if f.Interval != nil {
			middle := y + barHeight/2
			fmt.Fprintf(&b, `<path class="whisker" d="M%.1f %.1fV%.1fM%.1f %.1fH%.1fM%.1f %.1fV%.1f"/>`,
				scale(f.Interval.Low), middle-4, middle+4, scale(f.Interval.Low), middle, scale(f.Interval.High), scale(f.Interval.High), middle-4, middle+4)
		}
		fmt.Fprintf(&b, `<text class="value" x="%.1f" y="%.1f">%.2f</text>`, barWidth-barRight+14, y+barHeight*0.66, *f.Value)
	}
	b.WriteString(`</svg>`)
	return template.HTML(b.String())
}

func escape(s string) string { return template.HTMLEscapeString(s) }

// shorten cuts the middle out of a long name.
func shorten(s string, width int) string {
	r := []rune(s)
	if len(r) <= width {
		return s
	}
	return string(r[:width/2]) + "…" + string(r[len(r)-width/2+1:])
}
