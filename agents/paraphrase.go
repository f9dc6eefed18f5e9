package agents

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"hash/fnv"
	"iter"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/llm"
	"github.com/fmsop/fmsop/stages"
)

//go:embed prompts/paraphrase.txt
var paraphrasePrompt string

// RefusedNoReply is a passage that the model or its server gave no usable reply
// to.
const RefusedNoReply = "no_reply"

// ParaphraseOptions of a model that rewords the texts of rows.
type ParaphraseOptions struct {
	Parts    []string // of stages.Parts; none: all
	Sampling llm.Sampling
}

// Validate names a part that there is not.
func (o ParaphraseOptions) Validate() error {
	for _, part := range o.Parts {
		if !slices.Contains(stages.Parts, part) {
			return fmt.Errorf("part %q of a row, want some of %s", part, strings.Join(stages.Parts, ", "))
		}
	}
	return nil
}

// Paraphraser has the queries, SOPs and cases of rows reworded by a model.
// Answers stay as they are. It may be used from any goroutine.
type Paraphraser struct {
	name     string
	asker    *llm.Asker
	verifier *stages.Verifier
	parts    []string
	sampling llm.Sampling
}

// NewParaphraser rewords with a model. The verifier is that of the dataset: it
// accepts or refuses.
func NewParaphraser(name string, asker *llm.Asker, v *stages.Verifier, o ParaphraseOptions) (*Paraphraser, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if len(o.Parts) == 0 {
		o.Parts = stages.Parts
	}
	return &Paraphraser{name, asker, v, o.Parts, o.Sampling}, nil
}

// Author is the model and the prompt, as rows name them.
func (p *Paraphraser) Author() dataset.Author {
	return dataset.Author{Model: p.name, Prompt: promptID("paraphrase", paraphrasePrompt)}
}

// reworded is what the model writes.
type reworded struct {
	Passages []struct {
		Number int    `json:"number"`
		Text   string `json:"text"`
	} `json:"passages"`
}

var rewordedSchema = mustSchema[reworded]("rewordings")

// ParaphrasedRow is a row with the rewordings that were accepted, and the
// counts of its parts.
type ParaphrasedRow struct {
	Row    dataset.Row
	Counts map[string]*dataset.Proposals
}

// partWords tell the model what it is given.
var partWords = map[string]string{
	stages.PartQuery:    "the question of an exercise",
	stages.PartContext:  "lines of a standard operating procedure",
	stages.PartScenario: "what a customer says",
}

// wordings is how many rewordings of one question there are: rows on one SOP
// have the same, as they have the same question.
const wordings = 8

// Row asks once for each part of a row. A part that the model fails at stays as
// it is; the error is then an *llm.Error, and the row is whole all the same.
func (p *Paraphraser) Row(ctx context.Context, row *dataset.Row) (ParaphrasedRow, error) {
	out := ParaphrasedRow{*row, map[string]*dataset.Proposals{}}
	all, err := p.verifier.Passages(row)
	if err != nil {
		return out, fmt.Errorf("row %s: %w", row.ID, err)
	}
	all = slices.DeleteFunc(all, func(q stages.Passage) bool { return !slices.Contains(p.parts, q.Part) })
	rewordings := make([]string, len(all))
	var failed error
	silent := map[string]bool{} // parts without a reply
	for begin, end := 0, 0; begin < len(all); begin = end {
		part := all[begin].Part
		for end < len(all) && all[end].Part == part {
			end++
		}
		said, err := llm.Ask[reworded](ctx, p.asker, p.request(row, all[begin:end]), rewordedSchema)
		if problem, ok := errors.AsType[*llm.Error](err); ok && !problem.Stops() {
			failed, silent[part] = problem, true
			continue
		}
		if err != nil {
			return out, err
		}
		for _, s := range said.Value.Passages {
			if i := begin + s.Number - 1; s.Number >= 1 && i < end {
				rewordings[i] = strings.TrimSpace(s.Text)
			}
		}
	}
	whole, refused, err := p.verifier.Paraphrase(row, p.Author(), all, rewordings)
	if err != nil {
		return out, fmt.Errorf("row %s: %w", row.ID, err)
	}
	out.Row = whole
	for i, passage := range all {
		one := &dataset.Proposals{Asked: 1, Refused: map[string]int{}}
		switch {
		case refused[i] == nil:
			one.Accepted = 1
		case silent[passage.Part]:
			one.Refused[RefusedNoReply] = 1
		default:
			one.Refused[refused[i].Reason] = 1
		}
		dataset.AddProposals(out.Counts, map[string]*dataset.Proposals{passage.Part: one})
	}
	return out, failed
}

// refuse gives the row its own words back, for a reason that concerns all of it.
func (d *ParaphrasedRow) refuse(reason string) (err error) {
	for _, n := range d.Counts {
		if n.Accepted > 0 {
			n.Refused[reason] += n.Accepted
			n.Accepted = 0
		}
	}
	d.Row, _, err = stages.Restore(&d.Row)
	return err
}

// request lists the passages of one part.
func (p *Paraphraser) request(row *dataset.Row, passages []stages.Passage) llm.Request {
	var list strings.Builder
	for i, q := range passages {
		fmt.Fprintf(&list, "%d. %s\n", i+1, q.Text)
	}
	repeat := 0
	if passages[0].Part == stages.PartQuery {
		document, _, _ := strings.Cut(row.Context, stages.ContextBreak)
		h := fnv.New32a()
		h.Write([]byte(document))
		repeat = int(h.Sum32() % wordings)
	}
	mark := markFor(list.String())
	return llm.Request{Sampling: p.sampling, Repeat: repeat, Messages: []llm.Message{
		{Role: llm.System, Text: paraphrasePrompt},
		{Role: llm.User, Text: fmt.Sprintf("The passages are %[1]s:\n=== %[2]s ===\n%[3]s=== %[2]s ===", partWords[passages[0].Part], mark, list.String())},
	}}
}

// rowsPerBatch is enough for the rows to be compressed well.
const rowsPerBatch = 128

// Folder writes the rows of one folder to another, reworded. The manifest is
// that of the first, as its writer returned it. Memory does not grow with the
// folder; the rows keep their order, so that equal replies give equal files. A
// run that ends early leaves no folder.
func (p *Paraphraser) Folder(ctx context.Context, r *llm.Runner, from, to string, m dataset.Manifest, o dataset.Options, progress *run.Progress) (dataset.Manifest, error) {
	reader, err := dataset.Open(from)
	if err != nil {
		return m, err
	}
	o.Stages = m.Stages
	w, err := dataset.Create(to, o)
	if err != nil {
		return m, err
	}
	defer w.Abort()
	names, rows := onceEach(reader)
	next, stop := iter.Pull2(rowsOf(reader, names))
	defer stop()
	source := run.NewTurns(func() (dataset.Row, error) {
		row, err, ok := next()
		if !ok {
			err = fmt.Errorf("%s has fewer than its %d rows", from, rows)
		}
		return row, err
	})
	b, held := dataset.NewBatch(o), 0
	flush := func() error {
		if err := b.Seal(); err != nil {
			return err
		}
		err := w.Append(b)
		b, held = dataset.NewBatch(o), 0
		return err
	}
	counts := map[string]*dataset.Proposals{}
	err = llm.Each(ctx, r, llm.EachOptions{Name: func(i int) string { return fmt.Sprintf("row %d", i+1) }, Progress: progress}, rows,
		func(ctx context.Context, i int) (ParaphrasedRow, error) {
			row, err := source.Take(i)
			if err != nil {
				return ParaphrasedRow{}, err
			}
			return p.Row(ctx, &row)
		},
		func(_ int, done ParaphrasedRow, _ *llm.Error) error {
			err := b.Add(done.Row)
			if errors.Is(err, dataset.ErrTooLong) {
				if err = done.refuse(stages.DropTooLong); err == nil {
					err = b.Add(done.Row)
				}
			}
			if err != nil {
				return err
			}
			dataset.AddProposals(counts, done.Counts)
			if held++; held < rowsPerBatch {
				return nil
			}
			return flush()
		})
	if err != nil {
		return m, err
	}
	for d, err := range reader.Drops() {
		if err == nil {
			err = b.Drop(d)
		}
		if err != nil {
			return m, err
		}
	}
	if err := flush(); err != nil {
		return m, err
	}
	author := p.Author()
	return w.Close(dataset.Info{
		Generator: m.Generator, Seed: m.Seed, Shard: m.Shard, Split: m.Split, Exposure: m.Exposure, Notes: m.Notes, Config: m.Config, Lexicon: m.Lexicon,
		Paraphrase: &author, Paraphrased: counts,
	})
}

// onceEach lists the files that hold every row once, and counts the rows.
func onceEach(r *dataset.Reader) (names []string, rows int) {
	all := r.Names()
	names = all[max(0, slices.Index(all, r.Largest())):]
	for _, name := range names {
		rows += r.Manifest.Files[name].Rows
	}
	return names, rows
}

func rowsOf(r *dataset.Reader, names []string) iter.Seq2[dataset.Row, error] {
	return func(yield func(dataset.Row, error) bool) {
		for _, name := range names {
			for row, err := range r.Rows(name) {
				if !yield(row, err) {
					return
				}
			}
		}
	}
}
