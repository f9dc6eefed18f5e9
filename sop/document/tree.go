package document

import (
	"regexp"
	"strings"
)

// Depths in a tree: titles by their rank, then text, then items by their
// indent. A block stands in the nearest block before it that is less deep.
const (
	textDepth = 1000
	itemDepth = 1001
)

// tree nests blocks as they come.
type tree struct {
	roots []*Block
	open  []opened
}

type opened struct {
	block *Block
	depth int
}

// add puts the block into what is open and less deep than it.
func (t *tree) add(b *Block, depth int) {
	for n := len(t.open); n > 0 && (t.open[n-1].depth >= depth || n > maxDepth); n-- {
		t.open = t.open[:n-1]
	}
	if n := len(t.open); n > 0 {
		parent := t.open[n-1].block
		parent.Parts = append(parent.Parts, b)
	} else {
		t.roots = append(t.roots, b)
	}
	if b.Kind == Title || b.Kind == Item {
		t.open = append(t.open, opened{b, depth})
	}
}

// within adds a block that belongs to the item that is open, if there is one.
func (t *tree) within(b *Block) { t.add(b, 1<<30) }

var (
	// decimalNumber counts in a title or before a step: "5.1.2 ", "3. ", "4) ".
	decimalNumber = regexp.MustCompile(`^(\d{1,3}(?:\.\d{1,3}){0,6})(?:[.):]\s+|\s*[–—-]\s+|\s+)(\S.*)$`)
	// namedNumber is a word that counts: "Step 4: ", "PART 2 — ".
	namedNumber = regexp.MustCompile(`(?i)^(?:step|part|phase|stage|section|task)\s+(\d{1,3}(?:\.\d{1,3})*)\s*(?:[.:)]|[–—-])?\s*(.*)$`)
	letterItem  = regexp.MustCompile(`^\(?([a-z]|[ivx]{2,4})[.)]\s+(\S.*)$`)
	bulletItem  = regexp.MustCompile(`^(?:[-*•‣▪◦–]|\[[ xX]?\])\s+(?:\[[ xX]?\]\s+)?(\S.*)$`)
	atxHeading  = regexp.MustCompile(`^#{1,6}\s+\S`)
)

// numbered takes the number off a title or a step; ok is false where it has
// none. Named says that a word such as Step stands before it.
func numbered(text string) (number, rest string, named, ok bool) {
	if m := namedNumber.FindStringSubmatch(text); m != nil {
		return m[1], strings.TrimSpace(m[2]), true, true
	}
	if m := decimalNumber.FindStringSubmatch(text); m != nil {
		if startsWord(m[2]) {
			return m[1], m[2], false, true
		}
	}
	return "", text, false, false
}

// startsWord keeps "30 days" and "10 - 20 units" from being a number and a
// title: what follows a number that counts begins in upper case.
func startsWord(text string) bool {
	text = strings.TrimLeft(text, "*_`\"'“‘([<")
	return text != "" && (text[0] >= 'A' && text[0] <= 'Z' || text[0] >= 0x80)
}

func rank(number string) int { return strings.Count(number, ".") + 1 }
