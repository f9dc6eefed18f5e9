package stages

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/sop"
)

// cell is one variant of a procedure, ready to draw from.
type cell struct {
	*sop.Sampler
	choice sop.Choice
	key    string    // what the variant is made of
	named  *sop.Case // the case of the corpus it was made from, if any
}

// pool makes the variants of one procedure. Variant number i is a function of
// (seed, domain, procedure, i) alone.
type pool struct {
	domain    *sop.Domain
	procedure *sop.Procedure
	seed      uint64
	cells     map[string]*cell
	failed    map[string]error
}

func newPool(d *sop.Domain, p *sop.Procedure, seed uint64) *pool {
	return &pool{domain: d, procedure: p, seed: seed, cells: map[string]*cell{}, failed: map[string]error{}}
}

// variant returns variant number i: a subset of the customizable rules (all
// of them for number 0), thresholds, an order of the rules, and names.
func (p *pool) variant(i int) (*cell, error) {
	rng := newRand(p.seed, "variant", p.domain.Name, p.procedure.Goal, i)
	if n := len(p.procedure.Cases); n > 0 {
		c := p.procedure.Cases[i%n]
		choice := sop.Choice{Rules: slices.Clone(c.Rules), Thresholds: c.Thresholds}
		if i >= n && rng.IntN(2) == 0 {
			choice.Names = p.aliases(rng)
		}
		if choice.Rules == nil {
			choice.Rules = []*sop.Tree{}
		}
		made, err := p.make(choice)
		if err == nil && choice.Names == nil {
			named := *made
			named.named = c
			made = &named
		}
		return made, err
	}
	choice := sop.Choice{Rules: slices.Clone(p.procedure.Required), Thresholds: map[string]float64{}}
	if choice.Rules == nil {
		choice.Rules = []*sop.Tree{}
	}
	for _, rule := range p.procedure.Customizable {
		if i == 0 || rng.IntN(3) > 0 {
			choice.Rules = append(choice.Rules, rule)
		}
	}
	if i > 0 {
		for _, name := range sortedKeys(p.domain.Thresholds) {
			if t := p.domain.Thresholds[name]; len(t.Choices) > 0 && rng.IntN(2) == 0 {
				choice.Thresholds[name] = t.Choices[rng.IntN(len(t.Choices))]
			}
		}
		rng.Shuffle(len(choice.Rules), func(a, b int) { choice.Rules[a], choice.Rules[b] = choice.Rules[b], choice.Rules[a] })
		if rng.IntN(2) == 0 {
			choice.Names = p.aliases(rng)
		}
	}
	return p.make(choice)
}

// make resolves a choice once.
func (p *pool) make(choice sop.Choice) (*cell, error) {
	key := choiceKey(choice)
	if c, ok := p.cells[key]; ok {
		return c, p.failed[key]
	}
	v, err := p.domain.Variant(p.procedure, choice)
	var s *sop.Sampler
	if err == nil {
		s, err = sop.NewSampler(v)
	}
	c := &cell{Sampler: s, choice: choice, key: key}
	p.cells[key], p.failed[key] = c, err
	return c, err
}

func choiceKey(c sop.Choice) string {
	var b strings.Builder
	for _, r := range c.Rules {
		b.WriteString(r.String() + ";")
	}
	for _, n := range sortedKeys(c.Thresholds) {
		fmt.Fprintf(&b, "%s=%s;", n, sop.Number(c.Thresholds[n]))
	}
	for _, n := range sortedKeys(c.Names) {
		fmt.Fprintf(&b, "%s>%s;", n, c.Names[n])
	}
	return b.String()
}

// withRule returns the variant that has one customizable rule more or fewer,
// under the same names and thresholds; nil where there is none.
func (p *pool) withRule(c *cell, rng *rand.Rand) *cell {
	custom := p.procedure.Customizable
	if len(p.procedure.Cases) > 0 || len(custom) == 0 {
		return nil
	}
	rule := custom[rng.IntN(len(custom))]
	choice := c.choice
	if i := slices.IndexFunc(choice.Rules, rule.Equal); i >= 0 {
		choice.Rules = slices.Delete(slices.Clone(choice.Rules), i, i+1)
	} else {
		choice.Rules = slices.Insert(slices.Clone(choice.Rules), rng.IntN(len(choice.Rules)+1), rule)
	}
	return p.usable(choice)
}

// withThreshold returns the variant with another number for one threshold
// that it reads; nil where there is none.
func (p *pool) withThreshold(c *cell, rng *rand.Rand) *cell {
	var names []string
	for _, use := range c.V.Conditions {
		if use.Compare == nil {
			continue
		}
		read, err := sop.ParseComparison(use.Condition.Compare)
		if err != nil {
			continue
		}
		for _, n := range read.Names() {
			if t := p.domain.Thresholds[n]; t != nil && len(t.Choices) > 1 && !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
	}
	if len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	name := names[rng.IntN(len(names))]
	choices := p.domain.Thresholds[name].Choices
	x := choices[rng.IntN(len(choices))]
	if x == c.V.Thresholds[name] {
		return nil
	}
	choice := c.choice
	choice.Thresholds = map[string]float64{name: x}
	for n, y := range c.choice.Thresholds {
		if n != name {
			choice.Thresholds[n] = y
		}
	}
	return p.usable(choice)
}

func (p *pool) usable(choice sop.Choice) *cell {
	c, err := p.make(choice)
	if err != nil {
		return nil
	}
	return c
}

// synonyms are words that can stand for each other in the names of calls and
// conditions without changing what they say.
var synonyms = map[string][]string{
	"get": {"fetch", "retrieve", "read"}, "check": {"verify", "confirm"}, "set": {"update", "change"},
	"internal": {"system", "backoffice"}, "login": {"sign_in"}, "logout": {"sign_out"},
	"authenticate": {"validate"}, "authenticated": {"validated"}, "user": {"customer", "client"},
	"pay": {"settle"}, "cancel": {"revoke"}, "apply": {"request"}, "submit": {"file"}, "exist": {"on_file"}, "exists": {"is_on_file"},
	"sufficient": {"enough"}, "minimal": {"minimum"}, "maximum": {"highest"}, "restr": {"rule", "limit_rule"},
	"eligible": {"qualifies"}, "available": {"on_offer"}, "details": {"record"}, "info": {"information"}, "history": {"log"},
	"schedule": {"book"}, "appeal": {"contest"}, "deactivate": {"suspend"}, "reactivate": {"resume"}, "amount": {"sum"},
	"within": {"inside"}, "valid": {"acceptable"}, "transfer": {"send"}, "deposit": {"pay_in"}, "enough": {"sufficient"},
	"provider": {"care_provider"}, "policy": {"plan"}, "claim": {"claim_case"}, "bill": {"invoice"}, "box": {"vault"},
}

// aliases renames actions and conditions consistently: in one variant a word
// of their names has one synonym everywhere. Names that would collide keep
// theirs.
func (p *pool) aliases(rng *rand.Rand) map[string]string {
	pick := map[string]string{}
	for _, w := range sortedKeys(synonyms) {
		if rng.IntN(2) == 0 {
			pick[w] = synonyms[w][rng.IntN(len(synonyms[w]))]
		}
	}
	taken := map[string]bool{sop.Deny: true, sop.Conversation: true}
	bases := map[string]bool{}
	for n := range p.domain.Actions {
		bases[n], taken[n] = true, true
	}
	for n := range p.domain.Conditions {
		bases[n], taken[n] = true, true
	}
	names := map[string]string{}
	for _, base := range sortedKeys(bases) {
		words := strings.Split(base, "_")
		for i, w := range words {
			if s, ok := pick[w]; ok {
				words[i] = s
			}
		}
		if alias := strings.Join(words, "_"); alias != base && !taken[alias] {
			names[base], taken[alias] = alias, true
		}
	}
	return names
}

// outside returns calls of the domain that are no part of the variant, under
// its names.
func (c *cell) outside() []string {
	var names []string
	used := map[string]bool{}
	for _, call := range c.V.Calls {
		used[call.Base] = true
	}
	for _, base := range sortedKeys(c.V.Domain.Actions) {
		if used[base] || c.V.Domain.Conditions[base] != nil && c.V.EstablishedBy[base] != nil {
			continue
		}
		if alias, ok := c.choice.Names[base]; ok {
			base = alias
		}
		names = append(names, base)
	}
	return names
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
