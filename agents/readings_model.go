package agents

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/llm"
	"github.com/fmsop/fmsop/sop/reading"
)

//go:embed prompts/readings.txt
var readingsPrompt string

// ReadingDraft says what became of what a model proposed for a document.
type ReadingDraft struct {
	File     string `json:"file"`
	Pieces   int    `json:"pieces"`   // in which the document was read
	Proposed int    `json:"proposed"` // readings
	Placed   int    `json:"placed"`   // of them in the document
	Drops    []Drop `json:"drops"`
}

// proposedReadings is what the model writes of a piece of a document.
type proposedReadings struct {
	Definitions []struct {
		Quote   string `json:"quote"`
		Term    string `json:"term"`
		Meaning string `json:"meaning"`
	} `json:"definitions"`
	Outcomes []struct {
		Quote  string `json:"quote"`
		Status string `json:"status"`
		When   string `json:"when"`
	} `json:"outcomes"`
	Steps []struct {
		Quote string `json:"quote"`
		Text  string `json:"text"`
		Tool  string `json:"tool"`
	} `json:"steps"`
	Decisions []struct {
		Quote     string        `json:"quote"`
		Condition string        `json:"condition"`
		Then      []proposedAct `json:"then"`
		Else      []proposedAct `json:"else"`
	} `json:"decisions"`
	Thresholds []struct {
		Quote   string  `json:"quote"`
		Of      string  `json:"of"`
		Compare string  `json:"compare"`
		Number  float64 `json:"number"`
		Unit    string  `json:"unit"`
	} `json:"thresholds"`
}

type proposedAct struct {
	What  string `json:"what"`
	Words string `json:"words"`
}

// ProposeReadings has a model propose readings of a document that rules did not
// find or were not certain of, and adds to the result those that hold: see
// Result.Propose. The document is read in pieces that fit the model's context.
// The result depends on the replies alone, not on the number of workers. What
// cannot be used is in the ReadingDraft; a server's fault is an error.
func ProposeReadings(ctx context.Context, r *reading.Result, w *Writer, o run.Options) (*ReadingDraft, error) {
	schema, err := readingsSchema()
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(schema)
	if err != nil {
		return nil, err
	}
	d := &reader{result: r, writer: w, schema: schema, frame: frameOf(r)}
	room, err := w.room(readingsPrompt + d.frame + string(text))
	if err != nil {
		return nil, err
	}
	pieces, _ := pack(documentPassages(r), room)
	o.Name = func(i int) string { return fmt.Sprintf("piece %d of %d of %s", i+1, len(pieces), r.File) }
	draft := &ReadingDraft{File: r.File, Drops: []Drop{}}
	work := func(ctx context.Context, i int) ([]readPiece, error) { return d.ask(ctx, pieces[i]) }
	err = run.Ordered(ctx, o, len(pieces), work, func(_ int, list []readPiece) error {
		for _, p := range list {
			draft.take(r, p, w.Name)
		}
		return nil
	})
	return draft, llm.Ended(err, draft.Pieces, len(pieces))
}

// frameOf tells what the document is, and what can be called.
func frameOf(r *reading.Result) string {
	var b strings.Builder
	tools := 0
	for _, x := range r.Readings {
		if x.Kind != reading.Tool {
			continue
		}
		if tools++; tools == 1 {
			b.WriteString("Calls of the list that no step does yet:\n")
		}
		fmt.Fprintf(&b, "- %s: %s\n", inert(x.Name), inert(strings.Join(strings.Fields(x.Text), " ")))
	}
	return b.String()
}

// documentPassages are the parts of the document, a line a sentence.
func documentPassages(r *reading.Result) (list []passage) {
	for _, p := range r.Passages() {
		var b strings.Builder
		if p.Section != "" {
			fmt.Fprintf(&b, "[%s]\n", p.Section)
		}
		unread := false
		for _, s := range p.Sentences {
			if s.Read {
				b.WriteString("(read) ")
			}
			unread = unread || !s.Read
			b.WriteString(s.Text + "\n")
		}
		if unread {
			list = append(list, passage{source: r.File + " " + p.Section, text: b.String(), first: true})
		}
	}
	return list
}

func readingsSchema() (*llm.Schema, error) {
	return llm.SchemaFor[proposedReadings]("readings", func(s *jsonschema.Schema) {
		acts := s.Properties["decisions"].Items.Properties
		for _, list := range []string{"then", "else"} {
			acts[list].Items.Properties["what"].Enum = []any{"do", "end", "go"}
		}
		s.Properties["thresholds"].Items.Properties["compare"].Enum = []any{"<", "<=", ">", ">="}
	})
}

// reader has a model read a document.
type reader struct {
	result *reading.Result
	writer *Writer
	schema *llm.Schema
	frame  string
}

// readPiece is what came of one piece.
type readPiece struct {
	piece    []passage
	proposed proposedReadings
	failed   error // why nothing did
}

// ask asks for the readings of a piece, or of its halves where the server finds
// it too long after all.
func (d *reader) ask(ctx context.Context, piece []passage) ([]readPiece, error) {
	var b strings.Builder
	for _, p := range piece {
		b.WriteString(p.text)
	}
	lines, mark := barred(strings.TrimSuffix(b.String(), "\n"))
	user := fmt.Sprintf("%sThe document, between the lines with the mark %s:\n===== %s begins\n%s\n===== %s ends\n\nNow propose what was not read.", d.frame, mark, mark, lines, mark)
	said, err := llm.Ask[proposedReadings](ctx, d.writer.Asker, d.writer.request(readingsPrompt, user, 0), d.schema)
	if errors.Is(err, llm.PromptTooLong) {
		if first, second, ok := halves(piece); ok {
			list, err := d.ask(ctx, first)
			if err != nil {
				return nil, err
			}
			rest, err := d.ask(ctx, second)
			return append(list, rest...), err
		}
	}
	if repliesBadly(err) {
		return []readPiece{{piece: piece, failed: err}}, nil
	}
	if err != nil {
		return nil, err
	}
	return []readPiece{{piece: piece, proposed: said.Value}}, nil
}

// take places what was proposed for a piece, and counts what cannot be.
func (draft *ReadingDraft) take(r *reading.Result, p readPiece, by string) {
	draft.Pieces++
	if p.failed != nil {
		draft.Drops = append(draft.Drops, Drop{strings.TrimSpace(p.piece[0].source), dropUnusable, p.failed.Error()})
		return
	}
	list := p.proposed.readings(by)
	refused := r.Propose(list)
	draft.Proposed += len(list)
	draft.Placed += len(list) - len(refused)
	for _, f := range refused {
		draft.Drops = append(draft.Drops, Drop{fmt.Sprintf("%s “%s”", f.Reading.Kind, f.Reading.Quote), f.Reason, f.Detail})
	}
}

// readings are the proposals as readings, what can be placed first being what
// others refer to.
func (p *proposedReadings) readings(by string) (list []*reading.Reading) {
	for _, x := range p.Definitions {
		list = append(list, &reading.Reading{Kind: reading.Definition, Quote: x.Quote, Name: x.Term, Text: x.Meaning, By: by})
	}
	for _, x := range p.Outcomes {
		list = append(list, &reading.Reading{Kind: reading.Outcome, Quote: x.Quote, Name: x.Status, Text: x.When, By: by})
	}
	for _, x := range p.Steps {
		list = append(list, &reading.Reading{Kind: reading.Step, Quote: x.Quote, Text: x.Text, Tool: x.Tool, By: by})
	}
	for _, x := range p.Decisions {
		list = append(list, &reading.Reading{Kind: reading.Decision, Quote: x.Quote, Text: x.Condition, Then: actsOf(x.Then), Else: actsOf(x.Else), By: by})
	}
	for _, x := range p.Thresholds {
		list = append(list, &reading.Reading{Kind: reading.Limit, Quote: x.Quote, Text: x.Of, Compare: x.Compare, Number: x.Number, Unit: x.Unit, By: by})
	}
	return list
}

func actsOf(list []proposedAct) (acts []reading.Act) {
	for _, a := range list {
		switch a.What {
		case "end":
			acts = append(acts, reading.Act{End: a.Words})
		case "go":
			acts = append(acts, reading.Act{Go: a.Words})
		default:
			acts = append(acts, reading.Act{Text: a.Words})
		}
	}
	return acts
}
