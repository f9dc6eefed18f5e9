// Package recheck proves the rows of a dataset folder a second time, by its own means. It shares no code with the rest of the
// program: it reads the rows, the answers' texts and the rules with readers of its own, and it settles every question by plain
// enumeration, so that an error in the program's own oracle cannot hide itself.
//
// [Folder] checks a whole folder. A row of any stage is read from its texts first (document, clause, sentence, listing, tabular
// for the procedure; casefile for the case and its log; graphtext, text and glossary for answers and definitions), then proven:
// concept and identifier for stage 1, sequence for stage 2, diagram, residual and possible for stage 3. Wordings are those that
// the generator writes; what is right is decided from the design alone.
package recheck

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

type row struct {
	ID        string     `json:"id"`
	Stage     int        `json:"stage"`
	Task      string     `json:"task"`
	View      string     `json:"view"`
	Domain    string     `json:"domain"`
	Procedure string     `json:"procedure"`
	Split     string     `json:"split"`
	Context   string     `json:"context"`
	Query     string     `json:"query"`
	Positive  *answer    `json:"positive"`
	Negatives []negative `json:"negatives"`
	Reference string     `json:"reference"`
	Meta      string     `json:"meta"`
}

type answer struct {
	Text    string `json:"text"`
	Payload string `json:"payload"`
}

type negative struct {
	Text       string   `json:"text"`
	Payload    string   `json:"payload"`
	Operator   string   `json:"operator"`
	Violation  string   `json:"violation"`
	Proof      string   `json:"proof"`
	Similarity *float64 `json:"similarity"`
}

// proof is what a stage-2 negative says about itself.
type proof struct {
	Violation string   `json:"violation"`
	Position  *int     `json:"position"`
	Call      string   `json:"call"`
	Missing   []string `json:"missing"`
	Waste     bool     `json:"waste"`
	DeadEnd   bool     `json:"dead_end"`
	Edits     []string `json:"edits"`
}

// reference keeps the rules as they were written: they are the key of the cache.
type reference struct {
	Requires      json.RawMessage              `json:"requires"`
	EstablishedBy json.RawMessage              `json:"established_by"`
	DependsOn     json.RawMessage              `json:"depends_on"`
	Excludes      json.RawMessage              `json:"excludes"`
	Effects       json.RawMessage              `json:"effects"`
	Facts         map[string]bool              `json:"facts"`
	Values        map[string]json.Number       `json:"values"`
	Outcomes      json.RawMessage              `json:"outcomes"`
	Goal          string                       `json:"goal"`
	History       []string                     `json:"history"`
	Bindings      map[string]any               `json:"bindings"`
	Parameters    map[string]map[string]string `json:"parameters"`
}

// meta is what a row says about how it was made; Rules and Thresholds are under the domain's names.
type meta struct {
	Generator  string                 `json:"generator"`
	Seed       uint64                 `json:"seed"`
	Job        string                 `json:"job"`
	Unit       string                 `json:"unit"`
	Centred    bool                   `json:"centred"`
	Style      string                 `json:"style"`
	Scenario   string                 `json:"scenario_style"`
	Format     string                 `json:"format"`
	Query      string                 `json:"query"`
	Rules      []*tree                `json:"rules"`
	Thresholds map[string]json.Number `json:"thresholds"`
	Names      map[string]string      `json:"names"`    // the domain's name to the row's
	Borrowed   []*tree                `json:"borrowed"` // those of Rules that are other procedures' of the domain
	Glossary   map[string]string      `json:"glossary"` // each term of the context to the one whose meaning it has there
	Source     string                 `json:"source"`
	Paraphrase *paraphrase            `json:"paraphrase"`
}

// paraphrase says what a model has reworded, and what stood there. It is not judged here: what is proven is the row as it was.
type paraphrase struct {
	Model    string `json:"model"`
	Prompt   string `json:"prompt"`
	Passages []struct {
		Part   string `json:"part"`
		At     int    `json:"at"`
		Length int    `json:"length"`
		Was    string `json:"was"`
	} `json:"passages"`
}

// restore puts the row's own words back, from the last passage to the first.
func (p *paraphrase) restore(r *row) error {
	for i := len(p.Passages) - 1; i >= 0; i-- {
		q := p.Passages[i]
		in := &r.Context
		if q.Part == "query" {
			in = &r.Query
		}
		if q.At < 0 || q.Length < 0 || q.At+q.Length < 0 || q.At+q.Length > len(*in) {
			return fmt.Errorf("passage %d is not in the row's texts", i)
		}
		*in = (*in)[:q.At] + q.Was + (*in)[q.At+q.Length:]
	}
	return nil
}

// strict decodes exactly one JSON value; an unknown key is an error.
func strict(data []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	dec.UseNumber()
	if err := dec.Decode(into); err != nil {
		return err
	}
	if _, err := dec.Token(); err != io.EOF {
		return fmt.Errorf("more than one JSON value")
	}
	return nil
}

func readRow(line []byte) (*row, error) {
	r := &row{}
	if err := strict(line, r); err != nil {
		return nil, err
	}
	if r.Stage < 1 || r.Stage > 3 {
		return nil, fmt.Errorf("stage %d, want 1, 2 or 3", r.Stage)
	}
	if r.Positive == nil || len(r.Negatives) == 0 {
		return nil, fmt.Errorf("no positive or no negatives")
	}
	for key, text := range map[string]string{
		"id": r.ID, "task": r.Task, "view": r.View, "domain": r.Domain, "procedure": r.Procedure, "split": r.Split,
		"context": r.Context, "query": r.Query, "reference": r.Reference, "meta": r.Meta,
	} {
		if text == "" {
			return nil, fmt.Errorf("key %q is missing or empty", key)
		}
	}
	return r, nil
}

func readReference(text string) (*reference, error) {
	ref := &reference{}
	if err := strict([]byte(text), ref); err != nil {
		return nil, err
	}
	for key, raw := range map[string]json.RawMessage{
		"requires": ref.Requires, "established_by": ref.EstablishedBy, "depends_on": ref.DependsOn,
		"excludes": ref.Excludes, "effects": ref.Effects, "outcomes": ref.Outcomes,
	} {
		if len(raw) == 0 {
			return nil, fmt.Errorf("key %q is missing", key)
		}
	}
	if ref.Facts == nil || ref.Values == nil || ref.History == nil || ref.Bindings == nil || ref.Goal == "" {
		return nil, fmt.Errorf("one of facts, values, history, bindings, goal is missing")
	}
	return ref, nil
}

// text holds the rules as they were written.
func (ref *reference) text() string {
	var b strings.Builder
	for _, raw := range []json.RawMessage{ref.Requires, ref.EstablishedBy, ref.DependsOn, ref.Excludes, ref.Effects, ref.Outcomes} {
		b.Write(raw)
		b.WriteByte(0)
	}
	return b.String() + ref.Goal
}

func (ref *reference) rules() (*rules, error) {
	r := &rules{goal: ref.Goal}
	var outcomes []struct {
		End  string `json:"end"`
		Tree *tree  `json:"tree"`
	}
	for _, part := range []struct {
		key  string
		raw  json.RawMessage
		into any
	}{
		{"requires", ref.Requires, &r.requires}, {"established_by", ref.EstablishedBy, &r.established},
		{"depends_on", ref.DependsOn, &r.depends}, {"excludes", ref.Excludes, &r.excludes},
		{"effects", ref.Effects, &r.effects}, {"outcomes", ref.Outcomes, &outcomes},
	} {
		if err := strict(part.raw, part.into); err != nil {
			return nil, fmt.Errorf("%s: %w", part.key, err)
		}
	}
	for _, o := range outcomes {
		r.outcomes = append(r.outcomes, ending{o.End, o.Tree})
	}
	for call, effects := range r.effects {
		if len(effects) == 0 {
			delete(r.effects, call)
		}
	}
	return r, nil
}
