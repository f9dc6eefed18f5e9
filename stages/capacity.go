package stages

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/sop"
)

// capacity estimates from above how many different contexts a procedure has:
// variants, and fact assignments of one of them.
type capacity struct{ variants, worlds float64 }

// groups are as many for each view of stage 2.
func (c capacity) groups() float64 { return 2 * c.variants * c.worlds }

func (c capacity) String() string {
	return fmt.Sprintf("%.0f variants of %.0f fact assignments", c.variants, c.worlds)
}

// Capacity estimates from above how many different groups of stages 2 and 3 a
// procedure can give.
func Capacity(d *sop.Domain, p *sop.Procedure) float64 {
	return capacityOf(&Job{Domain: d, Procedure: p, loan: new(loan)}, math.Inf(1)).groups()
}

// capacityOf counts no fact assignments where there are enough groups without.
func capacityOf(j *Job, enough float64) capacity {
	d, p := j.Domain, j.Procedure
	pool := newPool(d, p, 0)
	v, err := d.Variant(p, sop.Choice{Rules: pool.rules()})
	if err != nil {
		return capacity{}
	}
	c := capacity{variants: pool.variety(v), worlds: 1}
	if c.groups() >= enough {
		return c
	}
	pool.borrow(j.borrows(), j.borrows().most)
	if lent := pool.lent[:pool.most]; len(lent) > 0 {
		for n := range lent {
			c.variants *= float64(len(pool.lent) - n)
		}
		if with, err := d.Variant(p, sop.Choice{Rules: append(pool.rules(), lent...)}); err == nil {
			v = with
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

// allot divides the groups by weight.
func allot(shares []*share, groups int) {
	total := 0.0
	for _, s := range shares {
		total += s.weight
	}
	done, allotted := 0.0, 0
	for _, s := range shares {
		done += s.weight
		// Rounding the running sum makes the quotas add up to the whole.
		upTo := int(done/total*float64(groups) + 0.5)
		s.quota = upTo - allotted
		allotted = upTo
	}
}

// ofCapacity is the part of its different groups that a procedure is asked for
// at most: drawing the last ones would take too many draws.
const ofCapacity = 0.5

// allotWithin gives no procedure more groups than it can hold: the others get
// what is left over, and a note says so. If none can hold more, quotas stay as
// they are and jobs fall short.
func (p *Plan) allotWithin(shares []*share) {
	open, groups := shares, p.Options.Groups
	held := map[*share]capacity{}
	for _, s := range shares {
		held[s] = capacityOf(p.job(2, s), float64(groups)/ofCapacity)
	}
	for {
		allot(open, groups)
		rest := slices.DeleteFunc(slices.Clone(open), func(s *share) bool {
			return float64(s.quota) > held[s].groups()*ofCapacity
		})
		if len(rest) == len(open) || len(rest) == 0 {
			return
		}
		for _, s := range open {
			if most := held[s].groups() * ofCapacity; float64(s.quota) > most {
				p.Notes = append(p.Notes, fmt.Sprintf("stage 2: %s/%s was to have %d groups and gets %d: it has %s; the other procedures get the rest",
					s.domain.Name, s.proc.Goal, s.quota, int(most), held[s]))
				s.quota = int(most)
				groups -= s.quota
			}
		}
		open = rest
	}
}
