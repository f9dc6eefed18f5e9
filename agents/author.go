package agents

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/llm"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/stages"
)

// The prompts of the three stages are ours: the paper names such prompts (FM
// SO.P §2.2) and does not print them.
var (
	//go:embed prompts/author_concept.txt
	authorConceptPrompt string
	//go:embed prompts/author_sequence.txt
	authorSequencePrompt string
	//go:embed prompts/author_graph.txt
	authorGraphPrompt string
)

// proposedConcepts, proposedSequence and proposedGraph are what the model
// writes in each stage.
type proposedConcepts struct {
	Terms []stages.ProposedTerm `json:"terms"`
}

type proposedSequence struct {
	Steps []stages.ProposedStep `json:"steps"`
	Wrong [][]string            `json:"wrong" jsonschema:"names of steps in a wrong order each"`
}

type proposedGraph struct {
	Steps      []stages.ProposedStep      `json:"steps"`
	Conditions []stages.ProposedCondition `json:"conditions"`
	Wrong      []stages.ProposedEdit      `json:"wrong" jsonschema:"edits that make the procedure wrong"`
}

var (
	conceptsSchema = mustSchema[proposedConcepts]("concepts")
	sequenceSchema = mustSchema[proposedSequence]("sequence")
	graphSchema    = mustSchema[proposedGraph]("graph")
)

// AuthorOptions of a model that writes rows about documents.
type AuthorOptions struct {
	Stages   []int // none: all three
	Seed     uint64
	Sampling llm.Sampling
}

// Author writes the rows of the three stages with a model, out of documents
// that have no domain pack.
type Author struct {
	name    string
	options AuthorOptions
	parts   []*stages.Authored
	lexicon map[string]*sop.Domain
}

// NewAuthor reads the documents, plain text or Markdown. One that is longer
// than the model is to be given at once is cut before a heading or at an empty
// line.
func NewAuthor(name string, paths []string, o AuthorOptions) (*Author, error) {
	if len(o.Stages) == 0 {
		o.Stages = stages.Implemented
	}
	a := &Author{name: name, options: o, lexicon: map[string]*sop.Domain{}}
	for _, path := range paths {
		text, err := readDocument(path)
		if err != nil {
			return nil, err
		}
		base := filepath.Base(path)
		domain := slug(strings.TrimSuffix(base, filepath.Ext(base)))
		if a.lexicon[domain] != nil {
			return nil, fmt.Errorf("%s: another document is called %s too, want names that differ", path, domain)
		}
		a.lexicon[domain] = &sop.Domain{Name: domain, Title: base}
		for i, part := range documentParts(text) {
			a.parts = append(a.parts, &stages.Authored{Document: base, Domain: domain, Text: part, Part: i, Seed: o.Seed, By: a.By()})
		}
	}
	if len(a.parts) == 0 {
		return nil, fmt.Errorf("there is no document to read, want .md or .txt files")
	}
	return a, nil
}

// longestDocument bounds what is read of one file.
const longestDocument = 4 << 20

func readDocument(path string) (string, error) {
	if ext := strings.ToLower(filepath.Ext(path)); ext != ".md" && ext != ".txt" {
		return "", fmt.Errorf("%s: want a document in .md or .txt", path)
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if info.Size() > longestDocument {
		return "", fmt.Errorf("%s has %d bytes, want a document of at most %d", path, info.Size(), longestDocument)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	text := strings.ReplaceAll(strings.TrimPrefix(string(data), "\uFEFF"), "\r\n", "\n")
	switch {
	case !utf8.ValidString(text):
		return "", fmt.Errorf("%s is not UTF-8", path)
	case strings.TrimSpace(text) == "":
		return "", fmt.Errorf("%s is empty", path)
	}
	return text, nil
}

// slug makes an identifier of any words.
func slug(s string) string {
	id := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '_'
	}, s)
	if !sop.IsIdentifier(id) {
		id = "document_" + id
	}
	return id
}

// partLength is how many bytes of a document the model is given at once: some
// three thousand tokens.
const partLength = 12000

// documentParts cuts a text before a heading, else at an empty line, else at
// the end of a line, so that no part is longer than partLength unless a line
// is. The parts together are the text.
func documentParts(text string) (parts []string) {
	for len(text) > partLength {
		at := -1
		for _, mark := range []string{"\n#", "\n\n", "\n"} {
			if i := strings.LastIndex(text[:partLength], mark); i > partLength/4 {
				at = i + 1
				break
			}
		}
		if at < 0 {
			if at = strings.IndexByte(text[partLength:], '\n'); at < 0 {
				break
			}
			at += partLength + 1
		}
		parts, text = append(parts, text[:at]), text[at:]
	}
	return slices.DeleteFunc(append(parts, text), func(p string) bool { return strings.TrimSpace(p) == "" })
}

// By is the model and the prompts, as rows name them.
func (a *Author) By() dataset.Author {
	return dataset.Author{Model: a.name, Prompt: promptID("author", authorConceptPrompt+authorSequencePrompt+authorGraphPrompt)}
}

// authored is what became of one request.
type authored struct {
	rows   []*dataset.Row
	counts stages.Counted
}

// stageNames are those of counts.
var stageNames = map[int]string{1: "concept", 2: "sequence", 3: "graph"}

// write asks for one stage about one part of a document.
func (a *Author) write(ctx context.Context, asker *llm.Asker, part *stages.Authored, stage int) (authored, error) {
	w := authored{counts: stages.Counted{}}
	one := func(row *dataset.Row) {
		if row != nil {
			w.rows = append(w.rows, row)
		}
	}
	var err error
	switch stage {
	case 1:
		var said llm.Answer[proposedConcepts]
		if said, err = llm.Ask[proposedConcepts](ctx, asker, a.request(authorConceptPrompt, part), conceptsSchema); err == nil {
			w.rows = part.Concepts(said.Value.Terms, w.counts)
		}
	case 2:
		var said llm.Answer[proposedSequence]
		if said, err = llm.Ask[proposedSequence](ctx, asker, a.request(authorSequencePrompt, part), sequenceSchema); err == nil {
			one(part.Sequence(said.Value.Steps, said.Value.Wrong, w.counts))
		}
	case 3:
		var said llm.Answer[proposedGraph]
		if said, err = llm.Ask[proposedGraph](ctx, asker, a.request(authorGraphPrompt, part), graphSchema); err == nil {
			one(part.Graph(said.Value.Steps, said.Value.Conditions, said.Value.Wrong, w.counts))
		}
	}
	return w, err
}

func (a *Author) request(prompt string, part *stages.Authored) llm.Request {
	text := control.ReplaceAllString(part.Text, "$1$3 $2$4")
	return llm.Request{Sampling: a.options.Sampling, Messages: []llm.Message{
		{Role: llm.System, Text: prompt},
		{Role: llm.User, Text: fmt.Sprintf("The document:\n=== %[1]s ===\n%[2]s\n=== %[1]s ===", markFor(text), text)},
	}}
}

// Folder writes what the model proposes and the oracles let pass. Rows that
// lean on the model's reading are unreviewed, those that nothing decides are
// unproven; the files to train on are empty. The asker asks through the runner.
// A run that ends early leaves no folder.
func (a *Author) Folder(ctx context.Context, r *llm.Runner, asker *llm.Asker, dir string, o dataset.Options, progress *run.Progress) (dataset.Manifest, error) {
	o.Stages = a.options.Stages
	w, err := dataset.Create(dir, o)
	if err != nil {
		return dataset.Manifest{}, err
	}
	defer w.Abort()
	counts := stages.Counted{}
	each := len(a.options.Stages)
	name := func(i int) string {
		part := a.parts[i/each]
		return fmt.Sprintf("%s, part %d, stage %d", part.Document, part.Part+1, a.options.Stages[i%each])
	}
	err = llm.Each(ctx, r, llm.EachOptions{Name: name, Progress: progress}, len(a.parts)*each,
		func(ctx context.Context, i int) (authored, error) {
			return a.write(ctx, asker, a.parts[i/each], a.options.Stages[i%each])
		},
		func(i int, done authored, failed *llm.Error) error {
			if failed != nil {
				done.counts = stages.Counted{stageNames[a.options.Stages[i%each]]: {Asked: 1, Refused: map[string]int{RefusedNoReply: 1}}}
			}
			dataset.AddProposals(counts, done.counts)
			return a.append(w, o, name(i), done)
		})
	if err != nil {
		return dataset.Manifest{}, err
	}
	by := a.By()
	return w.Close(dataset.Info{
		Generator: "fmsop " + stages.GeneratorVersion, Seed: a.options.Seed, Lexicon: a.lexicon, Author: &by, Authored: counts,
		Split: dataset.SplitInfo{Unit: dataset.UnitDomain},
		Notes: []string{fmt.Sprintf("%s has read the documents and written the rows: what is right by its reading is %s, what nothing decides %s", a.name, dataset.Unreviewed, dataset.Unproven)},
		Config: struct {
			Stages []int  `json:"stages"`
			Seed   uint64 `json:"seed"`
		}{a.options.Stages, a.options.Seed},
	})
}

// append writes the rows of one request, and drops for what was refused.
func (a *Author) append(w *dataset.Writer, o dataset.Options, job string, done authored) error {
	b := dataset.NewBatch(o)
	for _, row := range done.rows {
		err := b.Add(*row)
		if errors.Is(err, dataset.ErrTooLong) {
			err = b.Drop(dataset.Drop{Job: job, Reason: stages.DropTooLong})
		}
		if err != nil {
			return err
		}
	}
	for _, what := range sortedKeys(done.counts) {
		for _, reason := range sortedKeys(done.counts[what].Refused) {
			if err := b.Drop(dataset.Drop{Job: job, Reason: reason, Detail: what, Count: done.counts[what].Refused[reason]}); err != nil {
				return err
			}
		}
	}
	if err := b.Seal(); err != nil {
		return err
	}
	return w.Append(b)
}
