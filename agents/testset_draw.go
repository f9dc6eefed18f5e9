package agents

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/rubric"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/text"
	"github.com/fmsop/fmsop/stages"
)

// variantsPerProcedure is how many variants of a procedure questions are drawn
// from; the first has all rules.
const variantsPerProcedure = 4

// draw is one attempt at a question.
type draw struct {
	*testset
	procedure *sop.Procedure
	rng       *rand.Rand
	flip      bool // ask for the other answer, where there are two

	question   rubric.Question
	words      map[string]string // of the wording
	subject    string            // what is asked: the same is not asked twice
	conditions []*sop.ConditionUse
	shapes     []string
}

// sampler returns one of the procedure's variants.
func (d *draw) sampler() *sop.Sampler { return pick(d.rng, d.samplers(d.procedure)) }

// samplers builds the variants of a procedure once.
func (t *testset) samplers(p *sop.Procedure) []*sop.Sampler {
	if list, ok := t.variants[p.Goal]; ok {
		return list
	}
	var list []*sop.Sampler
	rng := t.rand("variants", p.Goal)
	for i := range variantsPerProcedure {
		v, err := t.domain.Variant(p, variantChoice(p, i, rng))
		if err != nil {
			continue // a subset of rules that does not stand by itself
		}
		if s, err := sop.NewSampler(v); err == nil && len(s.Worlds()) > 0 {
			list = append(list, s)
		}
	}
	t.variants[p.Goal] = list
	return list
}

// variantChoice is variant number i: all rules, then random subsets of the
// customizable ones, or the corpus's own cases.
func variantChoice(p *sop.Procedure, i int, rng *rand.Rand) sop.Choice {
	if i == 0 {
		return fullest(p)
	}
	if n := len(p.Cases); n > 0 {
		k := p.Cases[rng.IntN(n)]
		return sop.Choice{Rules: append([]*sop.Tree{}, k.Rules...), Thresholds: k.Thresholds}
	}
	c := sop.Choice{Rules: slices.Clone(p.Required)}
	for _, rule := range p.Customizable {
		if rng.IntN(2) == 0 {
			c.Rules = append(c.Rules, rule)
		}
	}
	if c.Rules == nil {
		c.Rules = []*sop.Tree{}
	}
	return c
}

// book is the SOP of a variant in one of the styles.
func (d *draw) book(v *sop.Variant) string {
	return text.RenderSOP(pick(d.rng, text.Styles), v, d.rng)
}

// about records the conditions of these names as what the question hangs on.
func (d *draw) about(v *sop.Variant, names ...string) {
	for _, n := range names {
		if use := v.Conditions[n]; use != nil {
			d.conditions = append(d.conditions, use)
		}
	}
}

// ask fills in the words of the wording, in pairs of name and text.
func (d *draw) ask(pairs ...string) {
	d.words = map[string]string{"deny": tick(sop.Deny)}
	for i := 0; i < len(pairs); i += 2 {
		d.words[pairs[i]] = pairs[i+1]
	}
}

// answer fills in the key and the reference in words.
func (d *draw) answer(kind string, values ...string) {
	d.question.Key = rubric.Key{Kind: kind, Value: values, Also: []string{}}
	if kind == rubric.KeySet {
		slices.Sort(d.question.Key.Value)
	}
	d.question.Reference = strings.Join(d.question.Key.Value, ", ")
	if len(values) == 0 {
		d.question.Key.Value, d.question.Reference = []string{}, "none"
	}
}

// scenario draws a case that ends in the given outcome, or in any other.
func (d *draw) scenario(s *sop.Sampler, outcome int) *sop.Scenario {
	worlds := s.Worlds()
	if outcome >= len(worlds) || len(worlds[outcome]) == 0 {
		return nil
	}
	sc, err := s.Scenario(pick(d.rng, worlds[outcome]), d.rng)
	if err != nil {
		return nil
	}
	return s.Complete(sc, d.rng)
}

// check makes the key one that several answers can satisfy.
func (d *draw) check(v *sop.Variant, sc *sop.Scenario, history []string) {
	d.question.Key.Check = stages.ReferenceJSON(v, sc, history)
}

func pick[T any](rng *rand.Rand, list []T) (x T) {
	if len(list) == 0 {
		return x
	}
	return list[rng.IntN(len(list))]
}

func tick(name string) string { return "`" + name + "`" }

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
