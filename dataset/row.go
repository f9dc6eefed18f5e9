package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Row is one group: a query over a context, one right answer and at least one
// wrong one. Keys and types are the same in every row, so that loaders which
// infer a schema from the first rows agree with the last; what varies from
// row to row is therefore a string that holds JSON.
type Row struct {
	ID        string     `json:"id"`
	Stage     int        `json:"stage"`
	Task      string     `json:"task"`
	View      string     `json:"view"`
	Domain    string     `json:"domain"`
	Procedure string     `json:"procedure"` // the goal; may be empty in stage 1, where a term has no single one
	Split     string     `json:"split"`
	Context   string     `json:"context"`
	Query     string     `json:"query"`
	Positive  Answer     `json:"positive"`
	Negatives []Negative `json:"negatives"`
	Reference string     `json:"reference"` // JSON: what an answer is judged against
	Meta      string     `json:"meta"`      // JSON: what is needed to make the row again
}

// Answer is an answer as text and as the JSON of what the text means.
type Answer struct {
	Text    string `json:"text"`
	Payload string `json:"payload"`
}

// Negative is a wrong answer: which operator made it, which violation it
// commits, and the proof, as JSON, that it is wrong.
type Negative struct {
	Text      string `json:"text"`
	Payload   string `json:"payload"`
	Operator  string `json:"operator"`
	Violation string `json:"violation"`
	Proof     string `json:"proof"`
	// Similarity to the positive, from 0 to 1; written with 4 decimals.
	Similarity float64 `json:"similarity"`
}

// Prompt is what the model is asked: the context, then the query.
func (r *Row) Prompt() string {
	if r.Context == "" {
		return r.Query
	}
	return r.Context + "\n\n" + r.Query
}

// Validate reports the first thing that no row of a folder may have. It says
// nothing about whether the answers are right.
func (r *Row) Validate() error {
	if err := r.validate(); err != nil {
		return fmt.Errorf("row %s: %w", quote(r.ID), err)
	}
	return nil
}

func (r *Row) validate() error {
	if r.ID == "" {
		return errors.New("id is empty")
	}
	stage := stageOf(r.Stage)
	if stage == nil {
		return fmt.Errorf("unknown stage %d, want 1, 2 or 3", r.Stage)
	}
	if r.Task != stage.Task {
		return fmt.Errorf("task is %s, want %q in stage %d", quote(r.Task), stage.Task, r.Stage)
	}
	if !slices.Contains(stage.Views, r.View) {
		return fmt.Errorf("unknown view %s in stage %d, want %s", quote(r.View), r.Stage, oneOf(stage.Views))
	}
	if !slices.Contains(Splits, r.Split) {
		return fmt.Errorf("unknown split %s, want %s", quote(r.Split), oneOf(Splits))
	}
	if r.Procedure == "" && r.Stage > 1 {
		return errors.New("procedure is empty")
	}
	if len(r.Negatives) == 0 {
		return errors.New("negatives is empty, want at least one")
	}
	fields := []field{
		{"id", r.ID, text}, {"domain", r.Domain, text}, {"procedure", r.Procedure, optional},
		{"context", r.Context, optional}, {"query", r.Query, text},
		{"positive text", r.Positive.Text, text}, {"positive payload", r.Positive.Payload, payload},
		{"reference", r.Reference, payload}, {"meta", r.Meta, payload},
	}
	for _, f := range fields {
		if err := f.validate(); err != nil {
			return err
		}
	}
	for i := range r.Negatives {
		if err := r.Negatives[i].validate(); err != nil {
			return fmt.Errorf("negative %d: %w", i, err)
		}
	}
	return r.distinct()
}

func (n *Negative) validate() error {
	fields := []field{
		{"text", n.Text, text}, {"payload", n.Payload, payload}, {"operator", n.Operator, text},
		{"violation", n.Violation, optional}, {"proof", n.Proof, payload},
	}
	for _, f := range fields {
		if err := f.validate(); err != nil {
			return err
		}
	}
	if !(n.Similarity >= 0 && n.Similarity <= 1) { // NaN fails both
		return fmt.Errorf("similarity is %v, want a number from 0 to 1", n.Similarity)
	}
	return nil
}

// distinct refuses a negative that is the positive or another negative.
func (r *Row) distinct() error {
	if r.shapesDiffer() {
		return nil
	}
	holders := map[string]string{}
	if c, err := Canonical(r.Positive.Payload); err == nil {
		holders[c] = "the positive"
	}
	for i, n := range r.Negatives {
		c, err := Canonical(n.Payload)
		if err != nil {
			return fmt.Errorf("negative %d: payload: %w", i, err)
		}
		if other, taken := holders[c]; taken {
			return fmt.Errorf("negative %d: payload %s is the same as that of %s", i, quote(n.Payload), other)
		}
		holders[c] = fmt.Sprintf("negative %d", i)
	}
	return nil
}

// shapesDiffer is true only of a row whose answers are all different: it finds
// out without decoding them.
func (r *Row) shapesDiffer() bool {
	first, sure := shape(r.Positive.Payload)
	shapes := []uint64{first}
	for i := range r.Negatives {
		next, ok := shape(r.Negatives[i].Payload)
		if sure = sure && ok && !slices.Contains(shapes, next); !sure {
			break
		}
		shapes = append(shapes, next)
	}
	return sure
}

// field is a named string of a row and what it has to be.
type field struct {
	name, value string
	kind        fieldKind
}

type fieldKind int

const (
	optional fieldKind = iota // UTF-8
	text                      // UTF-8, not empty
	payload                   // JSON
)

func (f field) validate() error {
	switch {
	case !utf8.ValidString(f.value):
		return fmt.Errorf("%s %s is not UTF-8", f.name, quote(f.value))
	case f.kind == text && strings.TrimSpace(f.value) == "":
		return fmt.Errorf("%s is empty", f.name)
	case f.kind == payload && !json.Valid([]byte(f.value)):
		return fmt.Errorf("%s %s is not JSON", f.name, quote(f.value))
	}
	return nil
}

// quote quotes a value for an error, cut where it would fill the screen.
func quote(s string) string {
	const most = 60
	if len(s) <= most {
		return strconv.Quote(s)
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return strconv.Quote(s[:cut]) + "…"
}

func oneOf(words []string) string {
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}
