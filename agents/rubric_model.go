package agents

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/llm"
	"github.com/fmsop/fmsop/rubric"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/corpus"
)

//go:embed prompts/rubric.txt
var rubricPrompt string

// Draft says what became of what a model wrote for a rubric.
type Draft struct {
	Pieces   int      `json:"pieces"`   // in which the corpus was read
	Cut      []string `json:"cut"`      // passages that are longer than a piece, and so were cut
	Proposed int      `json:"proposed"` // dimensions
	Merged   []string `json:"merged"`   // of them into another, as "this into that"
	Quotes   int      `json:"quotes"`   // given as evidence
	Astray   int      `json:"astray"`   // of them that do not stand in the corpus
	Drops    []Drop   `json:"drops"`
}

// Why a dimension, or a piece of the corpus, is left out of a rubric.
const (
	dropUnusable = "no usable reply"
	dropName     = "no name"
	dropWhy      = "no reason why it matters"
	dropCriteria = "criteria are not concrete"
	dropEvidence = "no evidence that stands in the corpus"
	dropTooMany  = "more dimensions than a rubric has"
	dropMerging  = "the proposals of several pieces were merged by their names alone"
)

const (
	leastCriterion  = 3 // words
	mostWeight      = 10
	proposedQuotes  = 3
	similarCriteria = 0.95 // from which on two are taken for copies
)

// proposal is what the model writes of a piece of the corpus.
type proposal struct {
	Dimensions []proposed `json:"dimensions"`
}

// proposed has the weight last, so that it follows from the rest.
type proposed struct {
	Name     string   `json:"name"`
	Why      string   `json:"why"`
	Quotes   []string `json:"quotes"`
	Criteria []string `json:"criteria"`
	Covers   []string `json:"covers"`
	Weight   int      `json:"weight"`
}

// DraftRubric has a model write the rubric of a corpus. It reads the corpus in
// pieces that fit its context, whole procedures where they fit, and proposes
// dimensions for each. Proposals are checked, evidence against the corpus word
// for word, and merged. A dimension's share of the weight is the sum of its
// proposed weights, each times the procedures of its piece. The result depends
// on the replies alone, not on the number of workers.
//
// What cannot be used is in the Draft, which is there even when too little is
// left of a rubric, which is an error. A server's fault is an error too.
func DraftRubric(ctx context.Context, c *corpus.Corpus, w *Writer, o run.Options) (*rubric.Rubric, *Draft, error) {
	all, err := passages(c.Domain)
	if err != nil {
		return nil, nil, err
	}
	d := &drafting{domain: c.Domain, writer: w, passages: all}
	kinds := coverable(c.Domain)
	if d.schema, err = proposalSchema(kinds); err != nil {
		return nil, nil, err
	}
	d.frame = fmt.Sprintf("The domain: %s. %s\n\nKinds of conditions in it, and shapes of what can be asked: %s.\n\n", c.Domain.Title, c.Domain.Summary, strings.Join(kinds, ", "))
	schema, err := json.Marshal(d.schema)
	if err != nil {
		return nil, nil, err
	}
	room, err := w.room(rubricPrompt + d.frame + string(schema))
	if err != nil {
		return nil, nil, err
	}
	pieces, cut := pack(all, room)
	d.draft.Cut = cut
	o.Name = func(i int) string { return fmt.Sprintf("piece %d of %d of %s", i+1, len(pieces), c.Domain.Name) }
	work := func(ctx context.Context, i int) ([]read, error) { return d.propose(ctx, pieces[i]) }
	err = run.Ordered(ctx, o, len(pieces), work, func(_ int, list []read) error {
		for _, r := range list {
			d.take(r)
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	if d.draft.Pieces > 1 {
		if err := d.merge(ctx); err != nil {
			return nil, nil, err
		}
	}
	r, err := d.rubric()
	return r, &d.draft, err
}

// coverable lists the kinds of conditions that the domain has, and all shapes.
func coverable(d *sop.Domain) []string {
	has := map[string]bool{}
	for _, c := range d.Conditions {
		has[c.Kind] = true
	}
	return append(sortedKeys(has), rubric.Shapes...)
}

func proposalSchema(kinds []string) (*llm.Schema, error) {
	return llm.SchemaFor[proposal]("rubric", func(s *jsonschema.Schema) {
		list := s.Properties["dimensions"]
		list.MinItems = new(1)
		one := list.Items.Properties
		one["quotes"].MinItems, one["quotes"].MaxItems = new(1), new(proposedQuotes)
		one["criteria"].MinItems, one["criteria"].MaxItems = new(rubric.MaxGrade+1), new(rubric.MaxGrade+1)
		one["weight"].Minimum, one["weight"].Maximum = new(1.0), new(float64(mostWeight))
		for _, k := range kinds {
			one["covers"].Items.Enum = append(one["covers"].Items.Enum, k)
		}
	})
}

// drafting is a rubric in the making.
type drafting struct {
	domain   *sop.Domain
	writer   *Writer
	passages []passage
	schema   *llm.Schema
	frame    string
	draft    Draft
	choices  []choice
}

// read is what came of one piece.
type read struct {
	piece    []passage
	proposed []proposed
	failed   error // why nothing did
}

// propose asks for the dimensions of a piece, or of its halves where the server
// finds it too long after all.
func (d *drafting) propose(ctx context.Context, piece []passage) ([]read, error) {
	user := d.frame + material(piece) + "Now write the dimensions of the rubric."
	said, err := llm.Ask[proposal](ctx, d.writer.Asker, d.writer.request(rubricPrompt, user, 0), d.schema)
	if errors.Is(err, llm.PromptTooLong) {
		if first, second, ok := halves(piece); ok {
			list, err := d.propose(ctx, first)
			if err != nil {
				return nil, err
			}
			rest, err := d.propose(ctx, second)
			return append(list, rest...), err
		}
	}
	if repliesBadly(err) {
		return []read{{piece: piece, failed: err}}, nil
	}
	if err != nil {
		return nil, err
	}
	return []read{{piece: piece, proposed: said.Value.Dimensions}}, nil
}

func (d *drafting) drop(item, reason, format string, args ...any) {
	d.draft.Drops = append(d.draft.Drops, Drop{item, reason, fmt.Sprintf(format, args...)})
}

// take checks what was proposed for a piece, and keeps what stands.
func (d *drafting) take(r read) {
	d.draft.Pieces++
	procedures := 0
	for _, p := range r.piece {
		if p.first {
			procedures++
		}
	}
	if r.failed != nil {
		d.drop(fmt.Sprintf("%s to %s", r.piece[0].source, r.piece[len(r.piece)-1].source), dropUnusable, "%v", r.failed)
		return
	}
	for _, p := range r.proposed {
		d.draft.Proposed++
		if dimension, ok := d.checked(p); ok {
			d.keep(choice{dimension, float64(p.Weight) * float64(max(1, procedures))})
		}
	}
}

// checked turns a proposal into a dimension without a weight.
func (d *drafting) checked(p proposed) (rubric.Dimension, bool) {
	name := snake(p.Name)
	dimension := rubric.Dimension{Name: name, Why: strings.TrimSpace(p.Why), Covers: covers(p.Covers)}
	var astray []string
	for _, quote := range p.Quotes {
		d.draft.Quotes++
		source, ok := quoted(d.passages, quote)
		if !ok {
			d.draft.Astray++
			astray = append(astray, quote)
			continue
		}
		dimension.Evidence = append(dimension.Evidence, rubric.Evidence{Source: source, Quote: strings.Join(strings.Fields(quote), " ")})
	}
	seen := map[string]bool{}
	vague := ""
	for grade, c := range p.Criteria {
		words := strings.Fields(c)
		text := strings.Join(words, " ")
		if vague == "" && (len(words) < leastCriterion || seen[strings.ToLower(text)]) {
			vague = fmt.Sprintf("grade %d is %q", grade, text)
		}
		seen[strings.ToLower(text)] = true
		dimension.Criteria = append(dimension.Criteria, text)
	}
	switch {
	case name == "":
		d.drop(fmt.Sprintf("%q", p.Name), dropName, "")
	case len(strings.Fields(dimension.Why)) < leastCriterion:
		d.drop(name, dropWhy, "%q", dimension.Why)
	case vague != "":
		d.drop(name, dropCriteria, "%s", vague)
	case len(dimension.Evidence) == 0:
		d.drop(name, dropEvidence, "%q", strings.Join(astray, "; "))
	default:
		return dimension, true
	}
	return rubric.Dimension{}, false
}

// snake makes a name one of lower-case words joined by _; "" where no letter is
// in it.
func snake(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9') })
	return strings.TrimLeft(strings.Join(words, "_"), "0123456789_")
}

func covers(names []string) rubric.Covers {
	c := rubric.Covers{Kinds: []string{}, Words: []string{}, Shapes: []string{}}
	for _, name := range slices.Compact(slices.Sorted(slices.Values(names))) {
		if slices.Contains(rubric.Shapes, name) {
			c.Shapes = append(c.Shapes, name)
		} else {
			c.Kinds = append(c.Kinds, name)
		}
	}
	return c
}

// rubric brings the kept dimensions into a rubric, the weightiest first.
func (d *drafting) rubric() (*rubric.Rubric, error) {
	slices.SortStableFunc(d.choices, byShare)
	for _, c := range d.choices[min(len(d.choices), MaxDimensions):] {
		d.drop(c.dimension.Name, dropTooMany, "%d are kept", MaxDimensions)
	}
	kept := d.choices[:min(len(d.choices), MaxDimensions)]
	if len(kept) < MinDimensions {
		return nil, fmt.Errorf("%s proposed %d dimensions for %s, of which %d can be used, want at least %d%s",
			d.writer.Name, d.draft.Proposed, d.domain.Name, len(kept), MinDimensions, because(d.draft.Drops))
	}
	return weighed(d.domain, d.writer.Name, kept)
}

// because lists the reasons of drops, for an error.
func because(drops []Drop) string {
	var parts []string
	for _, r := range CountDrops(drops) {
		parts = append(parts, fmt.Sprintf("%d %s", r.Count, r.Reason))
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}
