package stages

import (
	"github.com/fmsop/fmsop/augment"
	"github.com/fmsop/fmsop/sop"
)

// balance counts how often an answer was right and how often wrong, under the
// domain's own names: what a reader could learn who never sees the context.
type balance map[string]*tally

type tally struct{ right, wrong int }

func (b balance) of(c *cell, w sop.Workflow, add bool) *tally {
	base := make(sop.Workflow, len(w))
	for i, item := range w {
		base[i] = c.baseName(item)
	}
	key := augment.Key(base)
	if b[key] == nil && add {
		b[key] = &tally{}
	}
	return b[key]
}

// debt is how much oftener the answer would have to be wrong for its being
// right to be as likely as any answer's of a group of m negatives.
func (b balance) debt(c *cell, w sop.Workflow, m int) int {
	t := b.of(c, w, false)
	if t == nil {
		return 0
	}
	return t.right*m - t.wrong
}

func (b balance) count(c *cell, right sop.Workflow, negatives []wrong) {
	b.of(c, right, true).right++
	for _, n := range negatives {
		b.of(c, n.workflow, true).wrong++
	}
}

// baseName undoes the variant's renaming.
func (c *cell) baseName(item string) string {
	n, err := sop.ParseName(item)
	if err != nil {
		return item
	}
	if c.base == nil {
		c.base = map[string]string{}
		for from, to := range c.choice.Names {
			c.base[to] = from
		}
	}
	if b, ok := c.base[n.Base]; ok {
		n.Base = b
	}
	return n.String()
}
