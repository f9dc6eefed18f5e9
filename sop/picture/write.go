package picture

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-graphviz"

	"github.com/fmsop/fmsop/sop"
)

// Formats are the notations of a picture.
var Formats = []string{"svg", "dot", "mermaid"}

// Render draws a variant in one of the Formats. Equal variants have equal
// pictures. What leans on a reading that nobody has accepted is dashed.
func Render(ctx context.Context, format string, v *sop.Variant) ([]byte, error) {
	p := draw(v)
	switch format {
	case "svg":
		return svg(ctx, p.dot())
	case "dot":
		return []byte(p.dot()), nil
	case "mermaid":
		return []byte(p.mermaid()), nil
	}
	return nil, fmt.Errorf("format is %q, want one of %s", format, strings.Join(Formats, ", "))
}

// lineLength is where the words of a node are broken, in characters.
const lineLength = 26

var dotShapes = map[shape]string{
	start:    `shape=oval`,
	call:     `shape=box, style="rounded,filled", fillcolor="#e8f0fa", margin="0.25,0.08"`,
	question: `shape=hexagon, style="filled", fillcolor="#fdf6dd", margin="0.05,0.03"`,
	junction: `shape=circle, width=0.3, fixedsize=false, margin=0.02, fontsize=9`,
	end:      `shape=oval, style="filled", fillcolor="#e6f4e6"`,
}

// dot writes the picture for Graphviz.
func (p *picture) dot() string {
	var b strings.Builder
	b.WriteString("digraph procedure {\n")
	fmt.Fprintf(&b, "  label=%s; labelloc=t; fontname=Helvetica; fontsize=16;\n", quoted(p.title))
	b.WriteString("  rankdir=TB; nodesep=0.35; ranksep=0.45;\n")
	b.WriteString("  node [fontname=Helvetica, fontsize=11]; edge [fontname=Helvetica, fontsize=10, color=\"#555555\"];\n")
	for _, n := range p.nodes {
		shape := dotShapes[n.shape]
		if n.open {
			shape = strings.Replace(shape, "filled", "filled,dashed", 1)
		}
		if n.last {
			shape += ", penwidth=2.5"
		}
		fmt.Fprintf(&b, "  %s [label=%s, %s];\n", n.id, quoted(wrap(n.text)), shape)
	}
	for _, n := range p.nodes {
		if n.shape == end && !slices.ContainsFunc(p.edges, func(e edge) bool { return e.to == n.id }) {
			fmt.Fprintf(&b, "  {rank=sink; %s}\n", n.id) // what is left over stands below all else
		}
	}
	for _, e := range p.edges {
		fmt.Fprintf(&b, "  %s -> %s", e.from, e.to)
		var with []string
		if e.text != "" {
			with = append(with, "label="+quoted(e.text))
		}
		if e.weak {
			with = append(with, "style=dashed")
		}
		if len(with) > 0 {
			b.WriteString(" [" + strings.Join(with, ", ") + "]")
		}
		b.WriteString(";\n")
	}
	b.WriteString("}\n")
	return b.String()
}

func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}

var mermaidShapes = map[shape][2]string{
	start: {"([", "])"}, call: {"[", "]"}, question: {"{{", "}}"}, junction: {"((", "))"}, end: {"([", "])"},
}

// mermaid writes the picture as Markdown pages show it.
func (p *picture) mermaid() string {
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	for _, n := range p.nodes {
		s := mermaidShapes[n.shape]
		text := strings.NewReplacer("&", "#amp;", `"`, "#quot;", "<", "#lt;", ">", "#gt;", "\n", "<br>").Replace(n.text)
		fmt.Fprintf(&b, "    %s%s\"%s\"%s\n", n.id, s[0], text, s[1])
		if n.last {
			fmt.Fprintf(&b, "    style %s stroke-width:3px\n", n.id)
		}
		if n.open {
			fmt.Fprintf(&b, "    style %s stroke-dasharray: 4 3\n", n.id)
		}
	}
	for _, e := range p.edges {
		arrow := "-->"
		if e.weak {
			arrow = "-.->"
		}
		if e.text != "" {
			arrow += "|" + e.text + "|"
		}
		fmt.Fprintf(&b, "    %s %s %s\n", e.from, arrow, e.to)
	}
	return b.String()
}

// svg has Graphviz lay the picture out.
func svg(ctx context.Context, dot string) ([]byte, error) {
	g, err := graphviz.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("graphviz: %w", err)
	}
	defer g.Close()
	graph, err := graphviz.ParseBytes([]byte(dot))
	if err != nil {
		return nil, fmt.Errorf("graphviz: %s", strings.TrimSpace(err.Error()))
	}
	defer graph.Close()
	var b bytes.Buffer
	if err := g.Render(ctx, graph, graphviz.SVG, &b); err != nil {
		return nil, fmt.Errorf("graphviz: %w", err)
	}
	return b.Bytes(), nil
}

// wrap breaks lines between words.
func wrap(s string) string {
	var out []string
	for _, paragraph := range strings.Split(s, "\n") {
		line := ""
		for _, w := range strings.Fields(paragraph) {
			if line != "" && len([]rune(line))+len([]rune(w)) >= lineLength {
				out = append(out, line)
				line = ""
			}
			line = strings.TrimSpace(line + " " + w)
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

func keys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func number(n int) string { return strconv.Itoa(n) }
