package agents

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/rubric"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/corpus"
	"github.com/fmsop/fmsop/sop/text"
)

// WriteOptions of questions that a model writes.
type WriteOptions struct {
	PerCell      int // questions a level and type; 0: WrittenPerCell
	PerDimension int // least questions of a dimension, with those that are there
	Seed         uint64
	Questions    *Writer
	References   *Writer // another model, which answers the questions
	Force        bool    // the same model after all
}

const (
	// WrittenPerCell is the default of PerCell.
	WrittenPerCell = 2

	questionsPerRequest = 2
	writingRounds       = 4 // so often what is missing is asked for again
)

// Independent is an error where the model of the references would write the
// questions too, or has written the rubric (FM SO.P §2.3.3).
func Independent(questions, references string, r *rubric.Rubric) error {
	same := func(a, b string) bool {
		_, a, _ = strings.Cut(a, ":") // ollama:M and openai:M are one model
		_, b, _ = strings.Cut(b, ":")
		return strings.TrimSuffix(a, ":latest") == strings.TrimSuffix(b, ":latest")
	}
	if same(questions, references) {
		return fmt.Errorf("%s would write questions and their references, want another model for one of them", references)
	}
	if r.Generator != Symbolic && same(r.Generator, references) {
		return fmt.Errorf("%s wrote the rubric of %s and would write references too, want another model", references, r.Domain)
	}
	return nil
}

// WriteTestset has one model write questions about a corpus, beside those that
// it has already, and another one their references. Each cell of level and type
// gets its questions, then each dimension that has too few is topped up.
// Questions and references are checked against the SOPs that they are about, and
// dropped with a reason; what nevertheless is missing is in the coverage, which
// has the written cells, and all questions by dimension. They have no key: only a judge can score their answers. A server's fault is an
// error. The result depends on the arguments and the replies alone.
func WriteTestset(ctx context.Context, c *corpus.Corpus, r *rubric.Rubric, have []rubric.Question, o WriteOptions, jobs run.Options) ([]rubric.Question, *Coverage, []Drop, error) {
	o.PerCell = cmp.Or(o.PerCell, WrittenPerCell)
	if r.Domain != c.Domain.Name {
		return nil, nil, nil, fmt.Errorf("rubric of %q for a test set of %q", r.Domain, c.Domain.Name)
	}
	if err := r.Validate(); err != nil {
		return nil, nil, nil, err
	}
	if !o.Force {
		if err := Independent(o.Questions.Name, o.References.Name, r); err != nil {
			return nil, nil, nil, err
		}
	}
	t, err := newWriting(c.Domain, r, have, o)
	if err != nil {
		return nil, nil, nil, err
	}
	for phase, plan := range []func(*planned, int) []assignment{t.cellsLeft, t.dimensionsLeft} {
		for round := range writingRounds {
			list := plan(t.planned(), phase*writingRounds+round)
			jobs.Name = func(i int) string { return "questions of " + list[i].String() }
			work := func(ctx context.Context, i int) ([]attempt, error) { return t.write(ctx, list[i]) }
			if err := run.Ordered(ctx, jobs, len(list), work, t.take); err != nil {
				return nil, nil, nil, err
			}
		}
	}
	slices.SortFunc(t.accepted, func(a, b rubric.Question) int {
		return cmp.Or(cmp.Compare(a.Level, b.Level), cmp.Compare(a.Type, b.Type), cmp.Compare(a.ID, b.ID))
	})
	return t.accepted, t.coverage(), t.drops, nil
}

// writing is a test set in the making.
type writing struct {
	domain   *sop.Domain
	rubric   *rubric.Rubric
	options  WriteOptions
	schemas  writingSchemas
	cells    []cell
	variants map[string]*sop.Variant // by goal, with all rules
	concerns map[string][]*sop.Procedure
	have     []rubric.Question
	accepted []rubric.Question
	drops    []Drop
}

// cell is one level and type, and why it cannot be filled.
type cell struct {
	level      int
	kind       string
	impossible string
}

func (c cell) String() string { return fmt.Sprintf("level %d %s", c.level, c.kind) }

// assignment is what is asked for in one request.
type assignment struct {
	cell
	dimension  *rubric.Dimension
	procedures []*sop.Procedure
	asked      []string // of the first procedure before
	wanted     int
	round      int
}

func (a assignment) String() string {
	return fmt.Sprintf("%s on %s, %s", a.cell, a.procedures[0].Goal, a.dimension.Name)
}

func newWriting(d *sop.Domain, r *rubric.Rubric, have []rubric.Question, o WriteOptions) (*writing, error) {
	t := &writing{domain: d, rubric: r, options: o, have: have, variants: map[string]*sop.Variant{}, concerns: map[string][]*sop.Procedure{}}
	for _, level := range rubric.Levels {
		for _, kind := range rubric.Types {
			c := cell{level, kind, noQuestions[[2]string{fmt.Sprint(level), kind}]}
			if level == rubric.SeveralSteps && len(d.Procedures) < 2 {
				c.impossible = "there is one procedure alone"
			}
			t.cells = append(t.cells, c)
		}
	}
	own, err := newProfile(d)
	if err != nil {
		return nil, err
	}
	for i, p := range d.Procedures {
		traits := own.procedures[i]
		t.variants[p.Goal] = traits.variant
		for _, dim := range r.Dimensions {
			quoted := slices.ContainsFunc(dim.Evidence, func(e rubric.Evidence) bool { return e.Source == d.Name+"/"+p.Goal })
			if quoted || traits.by(dim.Covers) != "" {
				t.concerns[dim.Name] = append(t.concerns[dim.Name], p)
			}
		}
	}
	t.schemas, err = newWritingSchemas()
	return t, err
}

// planned counts questions by cell, dimension and procedure: those that are
// there, and those that are asked for.
type planned struct {
	cells      map[cell]int
	dimensions map[string]int
	procedures map[string]int
}

func (t *writing) planned() *planned {
	p := &planned{map[cell]int{}, map[string]int{}, map[string]int{}}
	for _, q := range t.accepted {
		i := slices.IndexFunc(t.cells, func(c cell) bool { return c.level == q.Level && c.kind == q.Type })
		p.cells[t.cells[i]]++
		p.procedures[q.Procedure]++
	}
	for _, q := range slices.Concat(t.have, t.accepted) {
		for _, d := range q.Dimensions {
			p.dimensions[d]++
		}
	}
	return p
}

func (p *planned) add(a assignment) {
	p.cells[a.cell] += a.wanted
	p.dimensions[a.dimension.Name] += a.wanted
	p.procedures[a.procedures[0].Goal] += a.wanted
}

// cellsLeft asks for what the cells lack, of the dimensions that have least.
func (t *writing) cellsLeft(p *planned, round int) (list []assignment) {
	for _, c := range t.cells {
		for c.impossible == "" && p.cells[c] < t.options.PerCell {
			dimension := least(t.rubric.Dimensions, func(d *rubric.Dimension) int { return p.dimensions[d.Name] })
			list = append(list, t.assign(p, c, dimension, t.options.PerCell-p.cells[c], round))
		}
	}
	return list
}

// dimensionsLeft asks for what the dimensions lack, in the cells that have
// least.
func (t *writing) dimensionsLeft(p *planned, round int) (list []assignment) {
	possible := slices.DeleteFunc(slices.Clone(t.cells), func(c cell) bool { return c.impossible != "" })
	for i := range t.rubric.Dimensions {
		dimension := &t.rubric.Dimensions[i]
		for p.dimensions[dimension.Name] < t.options.PerDimension {
			c := least(possible, func(c *cell) int { return p.cells[*c] })
			list = append(list, t.assign(p, *c, dimension, t.options.PerDimension-p.dimensions[dimension.Name], round))
		}
	}
	return list
}

// assign chooses the procedure that has least among those that the dimension
// concerns, and for several steps another one.
func (t *writing) assign(p *planned, c cell, d *rubric.Dimension, missing, round int) assignment {
	a := assignment{cell: c, dimension: d, wanted: min(missing, questionsPerRequest), round: round}
	rng := t.rand(c, d.Name, round, len(p.procedures))
	shuffled := func(list []*sop.Procedure) []*sop.Procedure {
		list = slices.Clone(list)
		rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		return list
	}
	concerned := t.concerns[d.Name]
	if len(concerned) == 0 {
		concerned = t.domain.Procedures
	}
	a.procedures = []*sop.Procedure{*least(shuffled(concerned), func(x **sop.Procedure) int { return p.procedures[(*x).Goal] })}
	if c.level == rubric.SeveralSteps {
		others := slices.DeleteFunc(shuffled(t.domain.Procedures), func(x *sop.Procedure) bool { return x == a.procedures[0] })
		a.procedures = append(a.procedures, others[0])
	}
	for _, q := range t.accepted {
		if q.Procedure == a.procedures[0].Goal {
			a.asked = append(a.asked, q.Query)
		}
	}
	p.add(a)
	return a
}

// least returns the first of the elements with the lowest count.
func least[T any](list []T, count func(*T) int) *T {
	chosen := &list[0]
	for i := range list {
		if count(&list[i]) < count(chosen) {
			chosen = &list[i]
		}
	}
	return chosen
}

func (t *writing) rand(parts ...any) *rand.Rand {
	return seeded(t.options.Seed, slices.Concat([]any{t.domain.Name, "written"}, parts)...)
}

// documents are what the questions of an assignment are asked over: its
// procedures, and the terms they use where the dimension is about terms.
func (t *writing) documents(a assignment) (list []passage) {
	rng := t.rand("documents", a.String(), a.round)
	for _, p := range a.procedures {
		list = append(list, passage{source: t.domain.Name + "/" + p.Goal, text: text.RenderSOP(pick(rng, text.Styles), t.variants[p.Goal], rng)})
	}
	if slices.Contains(a.dimension.Covers.Shapes, rubric.ShapeTerms) {
		used := slices.DeleteFunc(slices.Clone(t.domain.Glossary), func(term *sop.Term) bool {
			return !slices.ContainsFunc(a.procedures, func(p *sop.Procedure) bool { return slices.Contains(term.UsedIn, p.Goal) })
		})
		list = append(list, glossary(t.domain, used)...)
	}
	return list
}

// coverage counts written questions by cell, and all by dimension.
func (t *writing) coverage() *Coverage {
	p := t.planned()
	coverage := &Coverage{Domain: t.domain.Name}
	for _, c := range t.cells {
		coverage.Written = append(coverage.Written, CellCoverage{Name: c.String() + ", written", Level: c.level, Type: c.kind,
			Wanted: t.options.PerCell, Made: p.cells[c], Impossible: c.impossible})
	}
	for _, d := range t.rubric.Dimensions {
		coverage.Dimensions = append(coverage.Dimensions, CellCoverage{Name: d.Name, Wanted: t.options.PerDimension, Made: p.dimensions[d.Name]})
	}
	return coverage
}
