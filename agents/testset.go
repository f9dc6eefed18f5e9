package agents

import (
	"cmp"
	_ "embed"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/rubric"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/corpus"
)

//go:embed testset.yaml
var testsetYAML []byte

// TestOptions of a test set. The zero value of a field stands for its default.
type TestOptions struct {
	PerCell int `yaml:"per_cell" json:"per_cell"` // questions a level and type, as evenly as can be; 8
	// n_min (FM SO.P §2.3.2): least questions of each dimension, level and type; 8.
	PerDimension int    `yaml:"per_dimension" json:"per_dimension"`
	PerLevel     int    `yaml:"per_level" json:"per_level"`
	PerType      int    `yaml:"per_type" json:"per_type"`
	Seed         uint64 `yaml:"seed" json:"seed"`
}

// WithDefaults fills in what is not set.
func (o TestOptions) WithDefaults() TestOptions {
	for _, n := range []*int{&o.PerCell, &o.PerDimension, &o.PerLevel, &o.PerType} {
		*n = cmp.Or(*n, 8)
	}
	return o
}

// Coverage says how far a test set fills what was asked for.
type Coverage struct {
	Domain     string         `json:"domain"`
	Cells      []CellCoverage `json:"cells"`      // by level, then type
	Levels     []CellCoverage `json:"levels"`     // of all types
	Types      []CellCoverage `json:"types"`      // of all levels
	Dimensions []CellCoverage `json:"dimensions"` // as in the rubric
	// Written is Cells again, of the questions that a model writes beside those
	// that are computed.
	Written []CellCoverage `json:"written,omitempty"`
}

// CellCoverage is one level and type, one of them, or one dimension. Impossible
// says why there can be none.
type CellCoverage struct {
	Name       string `json:"name"`
	Level      int    `json:"level"` // 0 of a type or dimension
	Type       string `json:"type"`  // "" of a level or dimension
	Wanted     int    `json:"wanted"`
	Made       int    `json:"made"`
	Impossible string `json:"impossible"`
}

// Shortfalls names the cells that have fewer questions than wanted, though
// some are possible.
func (c *Coverage) Shortfalls() []string {
	var list []string
	for _, cell := range slices.Concat(c.Cells, c.Levels, c.Types, c.Dimensions, c.Written) {
		if cell.Impossible == "" && cell.Made < cell.Wanted {
			list = append(list, fmt.Sprintf("%s: %s has %d questions of %d", c.Domain, cell.Name, cell.Made, cell.Wanted))
		}
	}
	return list
}

// newCoverage has every cell that the options ask for, none of them filled.
func newCoverage(r *rubric.Rubric, o TestOptions) *Coverage {
	c := &Coverage{Domain: r.Domain}
	for _, level := range rubric.Levels {
		for _, kind := range rubric.Types {
			c.Cells = append(c.Cells, CellCoverage{Name: fmt.Sprintf("level %d %s", level, kind), Level: level, Type: kind, Wanted: o.PerCell})
		}
		c.Levels = append(c.Levels, CellCoverage{Name: fmt.Sprintf("level %d", level), Level: level, Wanted: o.PerLevel})
	}
	for _, kind := range rubric.Types {
		c.Types = append(c.Types, CellCoverage{Name: kind, Type: kind, Wanted: o.PerType})
	}
	for _, d := range r.Dimensions {
		c.Dimensions = append(c.Dimensions, CellCoverage{Name: d.Name, Wanted: o.PerDimension})
	}
	return c
}

// count counts what questions fill the cells.
func (c *Coverage) count(questions []rubric.Question) {
	for _, cells := range [][]CellCoverage{c.Cells, c.Levels, c.Types, c.Dimensions} {
		for i := range cells {
			cells[i].Made = 0
			for k := range questions {
				if questions[k].Domain == c.Domain && cells[i].holds(&questions[k]) {
					cells[i].Made++
				}
			}
		}
	}
}

// holds tells whether a question is of the cell.
func (c *CellCoverage) holds(q *rubric.Question) bool {
	if c.Level == 0 && c.Type == "" {
		return slices.Contains(q.Dimensions, c.Name)
	}
	return (c.Level == 0 || c.Level == q.Level) && (c.Type == "" || c.Type == q.Type)
}

// maker makes questions of one level and type, one at a time.
type maker struct {
	name  string
	level int
	kind  string
	// make fills the question in; false where this draw has nothing to ask.
	make func(d *draw) bool
}

var makers = slices.Concat(recallMakers, ruleMakers, caseMakers, sessionMakers)

// noQuestions says of level and type why no maker serves them.
var noQuestions = map[[2]string]string{{"1", rubric.MultiHop}: "recall takes a single step"}

// rounds after which a cell is left as it is: so often each maker may try each
// procedure.
const rounds = 30

// GenerateTestset asks about one corpus, evenly over levels, types and
// procedures, with at least so many questions of each dimension, level and type.
// Every question carries its key, computed from the formal model. The result is
// a function of the arguments alone. What could not be made is in the coverage.
func GenerateTestset(c *corpus.Corpus, r *rubric.Rubric, o TestOptions) ([]rubric.Question, *Coverage, error) {
	o = o.WithDefaults()
	if r.Domain != c.Domain.Name {
		return nil, nil, fmt.Errorf("rubric of %q for a test set of %q", r.Domain, c.Domain.Name)
	}
	if err := r.Validate(); err != nil {
		return nil, nil, err
	}
	t := &testset{Options: o, domain: c.Domain, rubric: r, seen: map[string]bool{}, variants: map[string][]*sop.Sampler{}}
	if err := yaml.Unmarshal(testsetYAML, &t.wordings); err != nil {
		return nil, nil, fmt.Errorf("testset.yaml: %w", err)
	}
	coverage := newCoverage(r, o)
	for i := range coverage.Cells {
		t.fillEvenly(&coverage.Cells[i])
	}
	for _, cells := range [][]CellCoverage{coverage.Levels, coverage.Types, coverage.Dimensions} {
		for i := range cells {
			t.topUp(&cells[i])
		}
	}
	coverage.count(t.questions)
	slices.SortFunc(t.questions, func(a, b rubric.Question) int {
		return cmp.Or(cmp.Compare(a.Level, b.Level), cmp.Compare(a.Type, b.Type), cmp.Compare(a.ID, b.ID))
	})
	return t.questions, coverage, nil
}

// testset is a test set in the making.
type testset struct {
	Options   TestOptions
	domain    *sop.Domain
	rubric    *rubric.Rubric
	wordings  map[string][]string
	questions []rubric.Question
	seen      map[string]bool // what was asked
	variants  map[string][]*sop.Sampler
}

// fillEvenly makes the questions of one level and type, the procedures and the
// makers taking turns.
func (t *testset) fillEvenly(cell *CellCoverage) {
	var serve []maker
	for _, m := range makers {
		if m.level == cell.Level && m.kind == cell.Type {
			serve = append(serve, m)
		}
	}
	made := 0
	for round := range rounds * max(1, len(serve)) {
		for _, p := range t.shuffled(cell.Name, round) {
			if len(serve) == 0 || made == cell.Wanted {
				break
			}
			if t.ask(serve[round%len(serve)], p, round, flipped(made, round), nil) {
				made++
			}
		}
	}
	if made == 0 {
		cell.Impossible = cmp.Or(noQuestions[[2]string{fmt.Sprint(cell.Level), cell.Type}], "nothing in these procedures to ask about")
	}
}

// topUp makes what a level, a type or a dimension still lacks.
func (t *testset) topUp(cell *CellCoverage) {
	made := 0
	for i := range t.questions {
		if cell.holds(&t.questions[i]) {
			made++
		}
	}
	for round := range rounds {
		for _, m := range makers {
			if cell.Level != 0 && cell.Level != m.level || cell.Type != "" && cell.Type != m.kind {
				continue
			}
			for _, p := range t.shuffled(cell.Name+m.name, round) {
				if made >= cell.Wanted {
					return
				}
				if t.ask(m, p, rounds*len(makers)+round, flipped(made, round), cell) {
					made++
				}
			}
		}
	}
	if made == 0 {
		cell.Impossible = "no question hangs on what it covers"
	}
}

// flipped makes every other question one with the other answer; after a few
// rounds in vain the turn changes.
func flipped(made, round int) bool {
	const patience = 4
	return (made+round/patience)%2 == 1
}

func (t *testset) shuffled(salt string, round int) []*sop.Procedure {
	list := slices.Clone(t.domain.Procedures)
	rng := t.rand("order", salt, round)
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

func (t *testset) rand(parts ...any) *rand.Rand {
	return seeded(t.Options.Seed, slices.Concat([]any{t.domain.Name}, parts)...)
}

// seeded draws from a seed and what the draw is for.
func seeded(seed uint64, parts ...any) *rand.Rand {
	h := fnv.New64a()
	for _, p := range parts {
		fmt.Fprintln(h, p)
	}
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

// ask lets a maker make a question of a procedure, and keeps it unless the same
// or nearly the same was asked before, it tests no dimension of the rubric, or
// is not of the cell that is to be topped up.
func (t *testset) ask(m maker, p *sop.Procedure, round int, flip bool, lacking *CellCoverage) bool {
	d := &draw{testset: t, procedure: p, rng: t.rand(m.name, p.Goal, round), flip: flip}
	q := &d.question
	q.Domain, q.Unit, q.Procedure, q.Level, q.Type = t.domain.Name, t.domain.Name+"/"+p.Goal, p.Goal, m.level, m.kind
	if !m.make(d) {
		return false
	}
	q.Dimensions = t.covering(d)
	if len(q.Dimensions) == 0 || lacking != nil && !lacking.holds(q) {
		return false
	}
	subject := m.name + "/" + p.Goal + "/" + d.subject
	if t.seen[subject] {
		return false
	}
	q.ID = fmt.Sprintf("q-%s-%s-%s-%08x", t.domain.Name, p.Goal, m.name, hash32(subject))
	list := t.wordings[m.name]
	k := d.rng.IntN(len(list))
	q.Wording = fmt.Sprintf("%s/%d", m.name, k)
	q.Query = fill(list[k], d.words)
	if t.nearlyAsked(q) {
		return false
	}
	if len(q.Source) == 0 {
		q.Source = []string{t.domain.Name + "/" + p.Goal}
	}
	if err := q.Validate(); err != nil {
		panic(err) // a program error: makers fill in all of it
	}
	t.seen[subject] = true
	t.questions = append(t.questions, *q)
	return true
}

// nearDuplicate is the dataset.Similarity from which on two questions about a
// procedure are one. Computed ones are compared with their cases, and only where
// their answers are the same: else they are a minimal pair, and both stay.
const nearDuplicate = 0.8

func (t *testset) nearlyAsked(q *rubric.Question) bool {
	asked := q.Case + "\n" + q.Query
	return slices.ContainsFunc(t.questions, func(o rubric.Question) bool {
		return o.Procedure == q.Procedure && slices.Equal(o.Key.Value, q.Key.Value) &&
			dataset.Similarity(o.Case+"\n"+o.Query, asked) >= nearDuplicate
	})
}

// covering returns the dimensions that the question tests, in rubric order.
func (t *testset) covering(d *draw) []string {
	var list []string
	for _, dim := range t.rubric.Dimensions {
		c := dim.Covers
		covered := slices.ContainsFunc(c.Shapes, func(s string) bool { return slices.Contains(d.shapes, s) })
		for _, use := range d.conditions {
			covered = covered || slices.Contains(c.Kinds, use.Kind) ||
				slices.ContainsFunc(c.Words, func(w string) bool { return slices.Contains(strings.Split(use.Base, "_"), w) })
		}
		if covered {
			list = append(list, dim.Name)
		}
	}
	return list
}

func hash32(s string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(s))
	return h.Sum32()
}

// fill puts words in the place of {names}.
func fill(sentence string, words map[string]string) string {
	var pairs []string
	for _, k := range sortedKeys(words) {
		pairs = append(pairs, "{"+k+"}", words[k])
	}
	return strings.NewReplacer(pairs...).Replace(sentence)
}
