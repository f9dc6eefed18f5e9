package document

import (
	"fmt"
	"strings"
)

// dump shows a document, a block a line: "12 title 5.1 Text", nested by two
// blanks.
func dump(d *Document) string {
	var b strings.Builder
	var put func(blocks []*Block, indent string)
	put = func(blocks []*Block, indent string) {
		for _, x := range blocks {
			fmt.Fprintf(&b, "%s%d %s", indent, x.Line(), x.Kind)
			if x.Number != "" {
				b.WriteString(" " + x.Number)
			}
			for i, l := range x.Lines {
				if i > 0 {
					fmt.Fprintf(&b, " |%d", l.Number)
				}
				b.WriteString(" " + l.Text)
			}
			b.WriteByte('\n')
			for _, row := range x.Rows {
				fmt.Fprintf(&b, "%s  %d | %s\n", indent, row.Line, strings.Join(row.Cells, " | "))
			}
			put(x.Parts, indent+"  ")
		}
	}
	put(d.Blocks, "")
	return b.String()
}
