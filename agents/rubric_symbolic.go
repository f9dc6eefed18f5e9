package agents

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/fmsop/fmsop/rubric"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/corpus"
	"github.com/fmsop/fmsop/sop/text"
)

// Symbolic is the name of what works without a model.
const Symbolic = "symbolic"

const (
	// MinDimensions and MaxDimensions bound a generated rubric.
	MinDimensions = 6
	MaxDimensions = 12

	maxThemes      = 2    // dimensions of words that are peculiar to the domain
	maxPeculiarity = 3.0  // a dimension counts at most so much more than elsewhere
	minPeculiarity = 0.5  // and at least so much
	weightDecimals = 3    // of a generated weight
	evidencePieces = 3    // of a dimension
	longWorkflow   = 4    // calls from which on choosing among tools is a task of its own
	termsOfAll     = 24.0 // so many terms make terminology as weighty as what every procedure needs
)

//go:embed dimensions.yaml
var dimensionsYAML []byte

// candidate is an entry of dimensions.yaml.
type candidate struct {
	Name     string        `yaml:"name"`
	Covers   rubric.Covers `yaml:"covers"`
	Why      string        `yaml:"why"`
	Criteria []string      `yaml:"criteria"`
}

// GenerateRubric makes the rubric of a corpus from what its procedures hang
// on: the kinds of their conditions, their shape, and words of theirs that the
// other domains do not know. A weight goes by the square root of the share of
// procedures that the dimension concerns, times how much more often that is so
// here than in the built-in domains. Kinds of conditions come before shapes and
// words where there are too many. It is a function of the corpus alone.
func GenerateRubric(c *corpus.Corpus) (*rubric.Rubric, error) {
	var candidates []candidate
	if err := yaml.UnmarshalWithOptions(dimensionsYAML, &candidates, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("dimensions.yaml: %w", err)
	}
	own, err := newProfile(c.Domain)
	if err != nil {
		return nil, err
	}
	others, err := otherProfiles(c.Domain.Name)
	if err != nil {
		return nil, err
	}
	var choices []choice
	for _, k := range candidates {
		for _, covers := range own.themed(k.Covers, others) {
			share := own.share(covers)
			if share == 0 {
				continue
			}
			choices = append(choices, choice{own.dimension(k, covers), math.Sqrt(share * peculiarity(share, covers, others))})
		}
	}
	slices.SortStableFunc(choices, byShare)
	slices.SortStableFunc(choices, func(a, b choice) int { return cmp.Compare(b.kinds(), a.kinds()) })
	choices = choices[:min(len(choices), MaxDimensions)]
	slices.SortStableFunc(choices, byShare)
	if len(choices) < MinDimensions {
		return nil, fmt.Errorf("corpus %s: its procedures give %d dimensions, want at least %d: %s", c.Domain.Name, len(choices), MinDimensions,
			"more procedures, kinds of conditions or glossary terms would give more")
	}
	return weighed(c.Domain, Symbolic, choices)
}

// Fingerprint identifies what a corpus says: sha256 in hex.
func Fingerprint(d *sop.Domain) string {
	h := sha256.New()
	for _, part := range []any{d, d.Procedures} {
		if err := json.NewEncoder(h).Encode(part); err != nil {
			panic(err) // plain data always encodes
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// otherProfiles are those of the built-in domains but the named one.
func otherProfiles(name string) ([]*profile, error) {
	var others []*profile
	for _, b := range corpus.Builtin() {
		if b == name {
			continue
		}
		c, err := corpus.Load(b)
		if err != nil {
			return nil, err
		}
		p, err := newProfile(c.Domain)
		if err != nil {
			return nil, err
		}
		others = append(others, p)
	}
	return others, nil
}

func peculiarity(share float64, covers rubric.Covers, others []*profile) float64 {
	elsewhere := 0.0
	for _, o := range others {
		elsewhere += o.share(covers) / float64(len(others))
	}
	return min(maxPeculiarity, max(minPeculiarity, share/elsewhere))
}

// profile is what the procedures of a domain hang on.
type profile struct {
	domain     *sop.Domain
	procedures []*traits
	words      map[string]bool // of the names of all actions and conditions
}

// traits of a procedure with all its rules.
type traits struct {
	variant  *sop.Variant
	kinds    map[string]bool
	words    map[string]map[string]bool // of conditions' names, with these
	shapes   map[string]bool
	examples map[string]string // by kind, word or shape: a name of the variant that stands for it
}

func newProfile(d *sop.Domain) (*profile, error) {
	p := &profile{domain: d, words: map[string]bool{}}
	for name := range d.Actions {
		p.addWords(name)
	}
	for name := range d.Conditions {
		p.addWords(name)
	}
	for _, proc := range d.Procedures {
		v, err := d.Variant(proc, fullest(proc))
		if err != nil {
			return nil, fmt.Errorf("procedure %s: %w", proc.Goal, err)
		}
		p.procedures = append(p.procedures, traitsOf(v))
	}
	return p, nil
}

func (p *profile) addWords(name string) {
	for _, w := range strings.Split(name, "_") {
		p.words[w] = true
	}
}

// fullest is the choice of all rules, or of the case with most rules.
func fullest(p *sop.Procedure) sop.Choice {
	if len(p.Cases) == 0 {
		return sop.Choice{}
	}
	k := slices.MaxFunc(p.Cases, func(a, b *sop.Case) int { return cmp.Compare(len(a.Rules), len(b.Rules)) })
	return sop.Choice{Rules: append([]*sop.Tree{}, k.Rules...), Thresholds: k.Thresholds}
}

func traitsOf(v *sop.Variant) *traits {
	t := &traits{variant: v, kinds: map[string]bool{}, words: map[string]map[string]bool{}, shapes: map[string]bool{}, examples: map[string]string{}}
	has := func(set map[string]bool, key, name string) {
		set[key] = true
		if t.examples[key] == "" {
			t.examples[key] = name
		}
	}
	for _, name := range sortedKeys(v.Conditions) {
		use := v.Conditions[name]
		has(t.kinds, use.Kind, name)
		for _, w := range strings.Split(use.Base, "_") {
			if t.words[w] == nil {
				t.words[w] = map[string]bool{}
			}
			has(t.words[w], use.Base, name)
			if t.examples[w] == "" {
				t.examples[w] = name
			}
		}
	}
	for _, call := range sortedKeys(v.Requires) {
		tree := v.Requires[call]
		if tree == nil || len(tree.Names()) == 0 { // an empty any: what nothing allows
			continue
		}
		has(t.shapes, rubric.ShapeOrder, tree.Names()[0])
		if part := under(tree, sop.Any, sop.FirstOf); part != nil && len(part.Names()) > 0 {
			has(t.shapes, rubric.ShapeAlternatives, part.Names()[0])
		}
	}
	if goal := v.Requires[v.Goal]; goal != nil && len(goal.Names()) > 0 {
		has(t.shapes, rubric.ShapeRefusal, goal.Names()[0])
	}
	if len(v.Requires) > longWorkflow {
		has(t.shapes, rubric.ShapeTools, v.Goal)
	}
	return t
}

// under returns the first part of the tree that is of one of the operators.
func under(t *sop.Tree, ops ...sop.Op) *sop.Tree {
	if slices.Contains(ops, t.Op) {
		return t
	}
	for _, part := range t.Parts {
		if found := under(part, ops...); found != nil {
			return found
		}
	}
	return nil
}

// by returns what makes the procedure one that the dimension concerns, or "".
func (t *traits) by(c rubric.Covers) string {
	for _, k := range c.Kinds {
		if t.kinds[k] {
			return k
		}
	}
	for _, w := range c.Words {
		if t.words[w] != nil {
			return w
		}
	}
	for _, s := range c.Shapes {
		if t.shapes[s] {
			return s
		}
	}
	return ""
}

// concerns counts the procedures that the dimension concerns.
func (p *profile) concerns(c rubric.Covers) int {
	count := 0
	for _, t := range p.procedures {
		if t.by(c) != "" {
			count++
		}
	}
	return count
}

// share of the domain that the dimension concerns, from 0 to 1: of its
// procedures, or for terminology by the number of its terms.
func (p *profile) share(c rubric.Covers) float64 {
	if slices.Contains(c.Shapes, rubric.ShapeTerms) {
		return min(1, float64(len(p.domain.Glossary))/termsOfAll)
	}
	return float64(p.concerns(c)) / float64(len(p.procedures))
}

// theme stands in dimensions.yaml for a word that is found in the domain.
const theme = "{word}"

// themed returns the covers as they are, or, of a theme, one for each of the
// words that are most peculiar to the domain: words of at least two conditions
// in at least two procedures and of a glossary term, which no other domain has
// in any name.
func (p *profile) themed(c rubric.Covers, others []*profile) []rubric.Covers {
	if !slices.Contains(c.Words, theme) {
		return []rubric.Covers{c}
	}
	type found struct {
		word  string
		count int
	}
	var list []found
	for _, w := range sortedKeys(p.words) {
		conditions, procedures := map[string]bool{}, 0
		for _, t := range p.procedures {
			if t.words[w] != nil {
				procedures++
			}
			for name := range t.words[w] {
				conditions[name] = true
			}
		}
		if len(w) < 4 || procedures < 2 || len(conditions) < 2 || !p.termNames(w) ||
			slices.ContainsFunc(others, func(o *profile) bool { return o.words[w] }) {
			continue
		}
		list = append(list, found{w, procedures * len(conditions)})
	}
	slices.SortStableFunc(list, func(a, b found) int { return cmp.Compare(b.count, a.count) })
	var all []rubric.Covers
	for _, f := range list[:min(len(list), maxThemes)] {
		all = append(all, rubric.Covers{Words: []string{f.word}})
	}
	return all
}

func (p *profile) termNames(word string) bool {
	return slices.ContainsFunc(p.domain.Glossary, func(t *sop.Term) bool {
		return slices.Contains(strings.FieldsFunc(strings.ToLower(t.Term), func(r rune) bool { return r == ' ' || r == '-' }), word)
	})
}

// dimension words a candidate for the domain.
func (p *profile) dimension(k candidate, covers rubric.Covers) rubric.Dimension {
	evidence, examples := p.evidence(covers)
	word := strings.Join(covers.Words, "_")
	fill := strings.NewReplacer("{domain}", p.domain.Title, theme, word,
		"{count}", fmt.Sprint(p.concerns(covers)), "{procedures}", fmt.Sprint(len(p.procedures)),
		"{tools}", fmt.Sprint(len(p.domain.Actions)), "{terms}", fmt.Sprint(len(p.domain.Glossary)),
		"{examples}", strings.Join(examples, "; "))
	d := rubric.Dimension{Name: fill.Replace(k.Name), Covers: covers, Why: fill.Replace(k.Why), Evidence: evidence}
	for _, c := range k.Criteria {
		d.Criteria = append(d.Criteria, fill.Replace(c))
	}
	return d
}

// evidence quotes lines of the SOPs that the dimension concerns, and words the
// conditions in them; for terminology, definitions.
func (p *profile) evidence(c rubric.Covers) (list []rubric.Evidence, examples []string) {
	if slices.Contains(c.Shapes, rubric.ShapeTerms) {
		for _, t := range p.domain.Glossary[:min(len(p.domain.Glossary), evidencePieces)] {
			list = append(list, rubric.Evidence{Source: p.domain.Name + ", glossary, " + t.Term, Quote: t.Definition})
		}
		return list, nil
	}
	seen := map[string]bool{}
	for _, t := range p.procedures {
		name := t.examples[t.by(c)]
		if name == "" || seen[name] || len(list) == evidencePieces {
			continue
		}
		if quote := lineWith(SOPText(t.variant), name); quote != "" {
			seen[name] = true
			list = append(list, rubric.Evidence{Source: p.domain.Name + "/" + t.variant.Procedure.Goal, Quote: quote})
			if use := t.variant.Conditions[name]; use != nil && !slices.Contains(examples, use.Text) {
				examples = append(examples, use.Text)
			}
		}
	}
	return list, examples
}

// SOPText is the text of a variant that evidence is quoted from.
func SOPText(v *sop.Variant) string {
	return text.RenderSOP(text.RuleList, v, rand.New(rand.NewPCG(0, 0)))
}

// lineWith returns the first line that has the name in backticks.
func lineWith(document, name string) string {
	for line := range strings.Lines(document) {
		if strings.Contains(line, "`"+name+"`") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}
