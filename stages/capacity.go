package stages

import (
	"fmt"
	"math"
	"strings"

	"github.com/fmsop/fmsop/sop"
)

// capacity estimates from above how many different groups a procedure has:
// variants, fact assignments of one of them, and ways to fill in what a request
// tells.
type capacity struct{ variants, worlds, bindings float64 }

func (c capacity) groups() float64 { return c.variants * c.worlds * c.bindings }

func (c capacity) String() string {
	return fmt.Sprintf("%.0f variants of %.0f fact assignments, with %.0f ways to fill in a request", c.variants, c.worlds, c.bindings)
}

// Capacity estimates from above how many different groups of stages 2 and 3 a
// procedure can give.
func Capacity(d *sop.Domain, p *sop.Procedure) float64 {
	return capacityOf(d, p, func([]*sop.Tree) []*sop.Tree { return nil }, math.Inf(1)).groups()
}

// capacityOf counts no fact assignments where there are enough groups without.
func capacityOf(d *sop.Domain, p *sop.Procedure, open func([]*sop.Tree) []*sop.Tree, enough float64) capacity {
	pool := newPool(d, p, 0)
	v, err := d.Variant(p, sop.Choice{Rules: pool.rules()})
	if err != nil {
		return capacity{}
	}
	c := capacity{variants: pool.variety(v), worlds: 1, bindings: bindings(v)}
	if c.groups() >= enough {
		return c
	}
	pool.lend(open)
	if lent := pool.lent[:min(maxLent, len(pool.lent))]; len(lent) > 0 {
		for n := range lent {
			c.variants *= float64(len(pool.lent) - n)
		}
		if with, err := d.Variant(p, sop.Choice{Rules: append(pool.rules(), lent...)}); err == nil {
			v, c.bindings = with, bindings(with)
		}
	}
	if s, err := sop.NewSampler(v); err == nil && c.groups() < enough {
		c.worlds = 0
		for _, worlds := range s.Worlds() {
			c.worlds += float64(len(worlds))
		}
	}
	return c
}

// variety is how many variants there are, from subsets of the rules, thresholds
// and names.
func (p *pool) variety(full *sop.Variant) float64 {
	n := math.Pow(2, float64(len(p.procedure.Customizable)))
	if cases := len(p.procedure.Cases); cases > 0 {
		n = float64(cases)
	} else {
		for _, name := range thresholdsOf(full) {
			n *= float64(max(1, len(p.domain.Thresholds[name].Choices)))
		}
	}
	words := map[string]bool{}
	for _, use := range full.Calls {
		for _, word := range strings.Split(use.Base, "_") {
			words[word] = true
		}
	}
	for word := range words {
		n *= float64(1 + len(synonyms[word]))
	}
	return n
}

// bindings is how many ways there are to bind what calls and conditions take.
func bindings(v *sop.Variant) float64 {
	sources := map[string]bool{}
	for _, use := range v.Calls {
		for _, source := range use.Args {
			sources[source] = true
		}
	}
	for _, use := range v.Conditions {
		for _, source := range use.Args {
			sources[source] = true
		}
	}
	n := 1.0
	for source := range sources {
		switch value, parameter := v.Domain.Values[source], v.Domain.Parameters[source]; {
		case value != nil:
			n *= 1 + math.Floor((value.Max-value.Min)/value.Step)
		case parameter != nil && len(parameter.Examples) > 0:
			n *= float64(len(parameter.Examples))
		}
	}
	return n
}
