package stages

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/fmsop/fmsop/sop"
)

// recipe is what a variant is made of.
type recipe struct {
	rules      []*sop.Tree
	order      *[2]int // two rules that have to be settled in this order
	thresholds map[string]float64
	names      *renaming
}

// renaming is a variant's names for those of the domain; nil is none.
type renaming struct {
	names map[string]string // the domain's name -> the variant's
	key   string            // see namesKey
}

func newRenaming(names map[string]string) *renaming { return &renaming{names, namesKey(names)} }

// choice writes a demanded order as a seq in the place of its first rule.
func (r recipe) choice() sop.Choice {
	c := sop.Choice{Rules: []*sop.Tree{}, Thresholds: r.thresholds}
	if r.names != nil {
		c.Names = r.names.names
	}
	for i, rule := range r.rules {
		switch {
		case r.order != nil && i == r.order[0]:
			c.Rules = append(c.Rules, sop.T(sop.Seq, rule, r.rules[r.order[1]]))
		case r.order != nil && i == r.order[1]:
		default:
			c.Rules = append(c.Rules, rule)
		}
	}
	return c
}

// cell is one variant of a procedure, ready to draw from. What is derived from
// it is kept once it was asked for; it is not safe for concurrent use.
type cell struct {
	*sop.Sampler
	recipe recipe
	choice sop.Choice // with none but its own thresholds
	key    string     // of the choice under the domain's own names
	alias  string     // of the names that its calls and conditions bear
	named  *sop.Case  // the case of the corpus it was made from, if any

	near       []*cell                   // see pool.neighbours
	conditions []string                  // see side.about
	steps      []step                    // see pool.neighbour
	base       map[string]string         // see baseName
	others     []string                  // see outside
	names      map[string]bool           // see vocabulary
	same       map[string][]*sop.CallUse // see alike
	documents  map[documentKey]string    // see document
	written    *[3]string                // see reference
	wider      map[string]*cell          // see pool.about
	kept       func() bool               // see keepable
}

// pool makes the variants of one procedure. Variant number i is a function of
// (seed, domain, procedure, i) alone.
type pool struct {
	domain    *sop.Domain
	procedure *sop.Procedure
	seed      uint64
	variants  *sop.Variants
	lent      []*sop.Tree     // by other procedures, see borrow
	most      int             // of these a variant has
	cells     map[string]made // by key
	numbered  map[int]made    // see variant
	written   map[*sop.Tree]string
}

// made is a variant, or why there is none.
type made struct {
	*cell
	err error
}

func newPool(d *sop.Domain, p *sop.Procedure, seed uint64) *pool {
	return &pool{domain: d, procedure: p, seed: seed, variants: d.Variants(p), cells: map[string]made{}, numbered: map[int]made{}, written: map[*sop.Tree]string{}}
}

// variant returns variant number i, made once.
func (p *pool) variant(i int) (*cell, error) {
	if v, ok := p.numbered[i]; ok {
		return v.cell, v.err
	}
	c, err := p.draw(i)
	p.numbered[i] = made{c, err}
	return c, err
}

// draw makes variant number i: a subset of the customizable rules (all of them
// for number 0), perhaps lent ones, thresholds, an order of the rules in the
// text, in a quarter of the variants two rules that have to be settled in a
// given order, and names. The variants of a corpus that has cases are those of
// the cases.
func (p *pool) draw(i int) (*cell, error) {
	rng := newRand(p.seed, "variant", p.domain.Name, p.procedure.Goal, i)
	if n := len(p.procedure.Cases); n > 0 {
		c := p.procedure.Cases[i%n]
		r := recipe{rules: c.Rules, thresholds: c.Thresholds}
		if i >= n && rng.IntN(2) == 0 {
			r.names = newRenaming(p.aliases(rng))
		}
		made, err := p.make(r)
		if err == nil && r.names == nil {
			named := *made
			named.named = c
			made = &named
		}
		return made, err
	}
	r := recipe{rules: slices.Clone(p.procedure.Required), thresholds: map[string]float64{}}
	for _, rule := range p.procedure.Customizable {
		if i == 0 || rng.IntN(3) > 0 {
			r.rules = append(r.rules, rule)
		}
	}
	if i > 0 {
		r.rules = append(r.rules, p.borrowed(rng)...)
		for _, name := range sortedKeys(p.domain.Thresholds) {
			if t := p.domain.Thresholds[name]; len(t.Choices) > 0 && rng.IntN(2) == 0 {
				r.thresholds[name] = t.Choices[rng.IntN(len(t.Choices))]
			}
		}
		rng.Shuffle(len(r.rules), func(a, b int) { r.rules[a], r.rules[b] = r.rules[b], r.rules[a] })
		if rng.IntN(2) == 0 {
			r.names = newRenaming(p.aliases(rng))
		}
		if rng.IntN(4) == 0 {
			if c := p.ordered(r, rng); c != nil {
				return c, nil
			}
		}
	}
	return p.make(r)
}

// make resolves a recipe once.
func (p *pool) make(r recipe) (*cell, error) {
	key := p.key(r)
	if known, ok := p.cells[key]; ok {
		return known.cell, known.err
	}
	choice := r.choice()
	v, err := p.variants.Variant(choice)
	var s *sop.Sampler
	if err == nil {
		choice.Thresholds = ownThresholds(v)
		s, err = sop.NewSampler(v)
	}
	c := &cell{Sampler: s, recipe: r, choice: choice, key: p.key(recipe{rules: r.rules, order: r.order, thresholds: choice.Thresholds})}
	if err == nil {
		c.alias = namesKey(shownNames(v, choice.Names))
	}
	p.cells[key] = made{c, err}
	return c, err
}

// ownThresholds are those that the variant reads and that are not what they are
// by default: no others make it another variant.
func ownThresholds(v *sop.Variant) map[string]float64 {
	thresholds := map[string]float64{}
	for _, name := range thresholdsOf(v) {
		if x := v.Thresholds[name]; x != v.Domain.Thresholds[name].Default {
			thresholds[name] = x
		}
	}
	return thresholds
}

// key writes a recipe: those of one choice have one key.
func (p *pool) key(r recipe) string {
	var b []byte
	for i, rule := range r.rules {
		switch {
		case r.order != nil && i == r.order[0]:
			b = append(append(b, `{"seq":[`...), p.write(rule)...)
			b = append(append(append(b, ','), p.write(r.rules[r.order[1]])...), "]};"...)
		case r.order != nil && i == r.order[1]:
		default:
			b = append(append(b, p.write(rule)...), ';')
		}
	}
	for _, n := range sortedKeys(r.thresholds) {
		b = append(append(append(b, n...), '='), sop.Number(r.thresholds[n])...)
		b = append(b, ';')
	}
	if r.names != nil {
		b = append(b, r.names.key...)
	}
	return string(b)
}

// write returns the JSON of a rule, written once; leaves are made anew, see about.
func (p *pool) write(rule *sop.Tree) string {
	if rule.Op == sop.Leaf {
		return rule.String()
	}
	s, ok := p.written[rule]
	if !ok {
		s = rule.String()
		p.written[rule] = s
	}
	return s
}

// fullKey is the key of the choice under the variant's names.
func (c *cell) fullKey() string {
	if c.recipe.names == nil {
		return c.key
	}
	return c.key + c.recipe.names.key
}

func namesKey(names map[string]string) string {
	var b []byte
	for _, n := range sortedKeys(names) {
		b = append(append(append(append(b, n...), '>'), names[n]...), ';')
	}
	return string(b)
}

// ordered returns the variant in which two rules, drawn at random, have to be
// settled in a given order; nil where there are no two rules, or where the
// order makes a permitted request impossible to carry out.
func (p *pool) ordered(r recipe, rng *rand.Rand) *cell {
	if len(r.rules) < 2 {
		return nil
	}
	i := rng.IntN(len(r.rules))
	j := (i + 1 + rng.IntN(len(r.rules)-1)) % len(r.rules)
	r.order = &[2]int{i, j}
	return p.carriedOut(r)
}

// carriedOut returns the variant if its orders can be kept.
func (p *pool) carriedOut(r recipe) *cell {
	c, err := p.make(r)
	if err != nil || !c.keepable() {
		return nil
	}
	return c
}

// keepable asks the oracle once. Where one call can settle several conditions of
// demanded orders at a time, earlier calls may leave no way to keep the orders
// though none is broken yet; whether that blocks the goal can be read in two
// ways, so such variants are not used.
func (c *cell) keepable() bool {
	if c.kept == nil {
		c.kept = sync.OnceValue(func() bool { return !entangled(&c.V.Graph) && c.M.Keepable() })
	}
	return c.kept()
}

// entangled tells whether two conditions of orders in the goal's rule can become
// known by one call, after others: the same call is in sources of both, and not
// alone in one of them.
func entangled(g *sop.Graph) bool {
	users := map[string]map[string]bool{} // of each call that is a source
	alone := map[string]bool{}            // of each: all sources that have it have no other
	add := func(name string) {
		sets, err := sop.MinimalSets(g.EstablishedBy[name])
		if err != nil {
			sets = nil // not a graph that anything is asked of
		}
		for _, set := range sets {
			for _, call := range set {
				if users[call] == nil {
					users[call], alone[call] = map[string]bool{}, true
				}
				users[call][name] = true
				alone[call] = alone[call] && len(set) == 1
			}
		}
	}
	g.Requires[g.Goal].Walk(func(t *sop.Tree) {
		if t.Op.Ordered() {
			for _, name := range t.Names() {
				add(name)
			}
		}
	})
	for call, of := range users {
		if len(of) > 1 && !alone[call] {
			return true
		}
	}
	return false
}

// outside returns calls of the domain that are no part of the variant, under
// its names.
func (c *cell) outside() []string {
	if c.others != nil {
		return c.others
	}
	c.others = []string{}
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
		c.others = append(c.others, base)
	}
	return c.others
}

// alike returns the calls of every action that the variant calls with different
// arguments.
func (c *cell) alike() map[string][]*sop.CallUse {
	if c.same == nil {
		c.same = map[string][]*sop.CallUse{}
		for _, use := range c.V.Calls {
			c.same[use.Base] = append(c.same[use.Base], use)
		}
		maps.DeleteFunc(c.same, func(_ string, calls []*sop.CallUse) bool { return len(calls) < 2 })
	}
	return c.same
}

// vocabulary is the names of the variant: its calls, its ends, and the calls
// from outside.
func (c *cell) vocabulary() map[string]bool {
	if c.names == nil {
		c.names = map[string]bool{}
		for call := range c.V.Requires {
			c.names[call] = true
		}
		for _, call := range c.outside() {
			c.names[call] = true
		}
		for _, o := range c.V.Outcomes {
			c.names[o.End] = true
		}
	}
	return c.names
}

// possible tells whether there is a case with these facts beside what is shown,
// by the domain's dependences, exclusions and numbers.
func (p *pool) possible(c *cell, shown, facts map[string]bool) bool {
	all := maps.Clone(facts)
	for name, f := range shown {
		if told, twice := all[name]; twice && told != f {
			return false
		}
		all[name] = f
	}
	about := p.about(c, all)
	return about != nil && about.Possible(all)
}

// about returns a variant that has all the conditions named, under c's names and
// thresholds: c itself where it has them, else one whose rules are these
// conditions. It is nil where there is no such variant.
func (p *pool) about(c *cell, conditions map[string]bool) *cell {
	own := true
	for name := range conditions {
		own = own && c.V.EstablishedBy[name] != nil
	}
	if own {
		return c
	}
	names := sortedKeys(conditions)
	key := strings.Join(names, ";")
	if d, known := c.wider[key]; known {
		return d
	}
	var rules []*sop.Tree
	for _, name := range names {
		rules = append(rules, sop.L(c.baseName(name)))
	}
	if c.wider == nil {
		c.wider = map[string]*cell{}
	}
	c.wider[key] = p.usable(recipe{rules: rules, thresholds: c.choice.Thresholds, names: c.recipe.names})
	return c.wider[key]
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
