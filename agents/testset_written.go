package agents

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/llm"
	"github.com/fmsop/fmsop/rubric"
)

//go:embed prompts/question.txt
var questionPrompt string

//go:embed prompts/reference.txt
var referencePrompt string

// What levels and types mean to who writes questions.
var (
	levelMeaning = map[int]string{
		rubric.Recall:       "recall: the answer stands in one place of the documents",
		rubric.OneRule:      "one rule: the answer takes one rule, applied to the case that the question tells",
		rubric.SeveralRules: "several rules: the answer takes at least two rules together, applied to the case that the question tells",
		rubric.SeveralSteps: "several steps over procedures: the answer takes rules of both documents, one step after another; quote lines of both",
	}
	typeMeaning = map[string]string{
		rubric.Factual:     "factual: asks for a name, a number, a unit, a condition or a term",
		rubric.Sequential:  "sequential: asks what has to be done or settled before or after what",
		rubric.Conditional: "conditional: asks what holds, or what has to be done, if something is so",
		rubric.MultiHop:    "multi-hop: what one rule gives is needed to apply another; quote both",
	}
)

// Why a question is left out of a test set.
const (
	dropNoQuestion   = "no question"
	dropSurplus      = "more questions than were asked for"
	dropQuote        = "a quote does not stand in the SOP"
	dropFewQuotes    = "fewer quotes than its level or type takes"
	dropNamed        = "names what the SOP does not have"
	dropAsked        = "asks what another question asks"
	dropNoReference  = "no usable reference"
	dropUnanswerable = "the model of the references finds no answer"
	dropReference    = "the reference's quote does not stand in the SOP"
	dropReferenced   = "the reference names what the SOP does not have"
)

// leastQuestion is how many words a question has.
const leastQuestion = 4

// questionnaire is what the model of the questions writes.
type questionnaire struct {
	Questions []writtenQuestion `json:"questions"`
}

// writtenQuestion has the quotes first, so that the question follows from them.
type writtenQuestion struct {
	Quotes   []string `json:"quotes"`
	Question string   `json:"question"`
}

// writtenReference is what the model of the references writes.
type writtenReference struct {
	Quotes     []string `json:"quotes"`
	Answerable bool     `json:"answerable"`
	Answer     string   `json:"answer"`
}

type writingSchemas struct{ questions, reference *llm.Schema }

func newWritingSchemas() (s writingSchemas, err error) {
	s.questions, err = llm.SchemaFor[questionnaire]("questions", func(s *jsonschema.Schema) {
		list := s.Properties["questions"]
		list.MinItems = new(1)
		list.Items.Properties["quotes"].MinItems = new(1)
	})
	if err != nil {
		return s, err
	}
	s.reference, err = llm.SchemaFor[writtenReference]("reference", nil)
	return s, err
}

// attempt is a question, or why there is none.
type attempt struct {
	question rubric.Question
	drop     *Drop
}

func dropped(item, reason, format string, args ...any) attempt {
	return attempt{drop: &Drop{item, reason, fmt.Sprintf(format, args...)}}
}

// write asks for the questions of an assignment and for the references of those
// that stand.
func (t *writing) write(ctx context.Context, a assignment) ([]attempt, error) {
	w, documents := t.options.Questions, t.documents(a)
	said, err := llm.Ask[questionnaire](ctx, w.Asker, w.request(questionPrompt, t.brief(a, documents), a.round), t.schemas.questions)
	if repliesBadly(err) {
		return []attempt{dropped(a.String(), dropUnusable, "%v", err)}, nil
	}
	if err != nil {
		return nil, err
	}
	var list []attempt
	for i, q := range said.Value.Questions {
		query := strings.Join(strings.Fields(q.Question), " ")
		if i >= a.wanted {
			list = append(list, dropped(query, dropSurplus, ""))
			continue
		}
		made := t.checked(a, documents, query, q.Quotes)
		if made.drop == nil {
			if made, err = t.answered(ctx, documents, made.question); err != nil {
				return nil, err
			}
		}
		list = append(list, made)
	}
	return list, nil
}

// brief is the request for questions.
func (t *writing) brief(a assignment, documents []passage) string {
	var b strings.Builder
	fmt.Fprintf(&b, "The domain: %s. %s\n\n%s", t.domain.Title, t.domain.Summary, material(documents))
	if len(a.asked) > 0 {
		b.WriteString(material([]passage{{source: "Asked before", text: strings.Join(a.asked, "\n")}}))
	}
	fmt.Fprintf(&b, "Level %d, %s.\nType %s.\nDimension %s: %s\n\nNow write %d of these questions.",
		a.level, levelMeaning[a.level], typeMeaning[a.kind], a.dimension.Name, a.dimension.Why, a.wanted)
	return b.String()
}

// checked holds a question against the documents and the questions that were
// there before.
func (t *writing) checked(a assignment, documents []passage, query string, quotes []string) attempt {
	sources, astray := standing(documents, quotes)
	unknown := unknownName(documents, query)
	goal := a.procedures[0].Goal
	switch {
	case len(strings.Fields(query)) < leastQuestion:
		return dropped(a.String(), dropNoQuestion, "%q", query)
	case astray != "":
		return dropped(query, dropQuote, "%q", astray)
	case !enough(a, documents, quotes):
		return dropped(query, dropFewQuotes, "%s quotes %q", a.cell, quotes)
	case unknown != "":
		return dropped(query, dropNamed, "%s", unknown)
	}
	if id := duplicate(t.have, goal, query); id != "" {
		return dropped(query, dropAsked, "%s", id)
	}
	var contents []string
	for _, d := range documents {
		contents = append(contents, d.text)
	}
	return attempt{question: rubric.Question{
		ID:     fmt.Sprintf("q-%s-%s-written-%08x", t.domain.Name, goal, hash32(fmt.Sprint(a.level, a.kind, query))),
		Domain: t.domain.Name, Unit: t.domain.Name + "/" + goal, Procedure: goal,
		Level: a.level, Type: a.kind, Dimensions: []string{a.dimension.Name},
		Context: strings.Join(contents, "\n"), Query: query,
		Key: rubric.Key{Value: []string{}, Also: []string{}}, Source: sources,
		Wording: "written", Author: t.options.Questions.Name, ReferenceAuthor: t.options.References.Name,
	}}
}

// standing returns where the quotes stand, each with its source, or the first
// that stands nowhere.
func standing(documents []passage, quotes []string) (sources []string, astray string) {
	for _, quote := range quotes {
		source, ok := quoted(documents, quote)
		if !ok {
			return nil, quote
		}
		sources = append(sources, source+": "+strings.Join(strings.Fields(quote), " "))
	}
	return slices.Compact(slices.Sorted(slices.Values(sources))), ""
}

// enough says whether the quotes bear out the level and the type: two different
// ones for several rules and for a chain, and for several steps one of each
// procedure that the other does not have.
func enough(a assignment, documents []passage, quotes []string) bool {
	sources, _ := standing(documents, quotes)
	if (a.level >= rubric.SeveralRules || a.kind == rubric.MultiHop) && len(sources) < 2 {
		return false
	}
	if a.level < rubric.SeveralSteps {
		return len(sources) > 0
	}
	own := map[string]bool{}
	for _, quote := range quotes {
		var in []string
		for _, p := range documents[:len(a.procedures)] {
			if _, ok := quoted([]passage{p}, quote); ok {
				in = append(in, p.source)
			}
		}
		if len(in) == 1 {
			own[in[0]] = true
		}
	}
	return len(own) == len(a.procedures)
}

// duplicate returns the question about the procedure that asks nearly the same,
// with its case or without.
func duplicate(list []rubric.Question, procedure, query string) string {
	query = strings.ToLower(query)
	for _, q := range list {
		if q.Procedure != procedure {
			continue
		}
		for _, asked := range []string{q.Query, q.Case + " " + q.Query} {
			if dataset.Similarity(strings.ToLower(asked), query) >= nearDuplicate {
				return q.ID
			}
		}
	}
	return ""
}

// answered asks the other model for the reference.
func (t *writing) answered(ctx context.Context, documents []passage, q rubric.Question) (attempt, error) {
	w := t.options.References
	user := material(documents) + material([]passage{{source: "The question", text: q.Query}}) + "Now write the reference."
	said, err := llm.Ask[writtenReference](ctx, w.Asker, w.request(referencePrompt, user, 0), t.schemas.reference)
	if repliesBadly(err) {
		return dropped(q.Query, dropNoReference, "%v", err), nil
	}
	if err != nil {
		return attempt{}, err
	}
	r := said.Value
	sources, astray := standing(documents, r.Quotes)
	unknown := unknownName(documents, r.Answer)
	switch {
	case !r.Answerable:
		return dropped(q.Query, dropUnanswerable, "%s", r.Answer), nil
	case strings.TrimSpace(r.Answer) == "":
		return dropped(q.Query, dropNoReference, "the answer is empty"), nil
	case astray != "" || len(sources) == 0:
		return dropped(q.Query, dropReference, "%q", astray), nil
	case unknown != "":
		return dropped(q.Query, dropReferenced, "%s", unknown), nil
	}
	q.Reference = strings.TrimSpace(r.Answer)
	for _, s := range sources {
		if !slices.Contains(q.Source, s) {
			q.Source = append(q.Source, s)
		}
	}
	return attempt{question: q}, nil
}

// take keeps what an assignment gave, unless a question before asks the same.
func (t *writing) take(_ int, list []attempt) error {
	for _, w := range list {
		if w.drop == nil {
			if id := duplicate(t.accepted, w.question.Procedure, w.question.Query); id != "" {
				w = dropped(w.question.Query, dropAsked, "%s", id)
			}
		}
		if w.drop != nil {
			t.drops = append(t.drops, *w.drop)
			continue
		}
		if err := w.question.Validate(); err != nil {
			return err
		}
		t.accepted = append(t.accepted, w.question)
	}
	return nil
}
