package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fmsop/fmsop/agents"
	"github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/llm"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/corpus"
	"github.com/fmsop/fmsop/sop/document"
	"github.com/fmsop/fmsop/sop/reading"
)

func (a *app) importCommand() *cobra.Command {
	var o importOptions
	c := &cobra.Command{
		Use:   "import FILE… -o PACK",
		Short: "A domain pack out of documents, by rules; a model may propose more",
		Long: `Reads procedures out of documents (.md, .txt, .html, .docx): numbered sections and
steps, decisions (if, unless, when, otherwise; terminate, escalate, proceed to
step n), lists of which all or any have to hold, tables of cases, definitions,
outcomes and thresholds. Each document becomes a procedure of the pack. A .yaml
file is read as the pseudo-code of SOP-Agent (conditions, API, instructions).

A list of tools (toolspecs.json or tools.json beside the document, or --tools)
says what the agent can call: steps are matched to it.

Every reading keeps the line where it stands (readings.yaml). One that is not
certain has to be accepted: until then all rows that lean on it are kept apart.
A document that holds no procedure is refused, with what is missing. Importing
again keeps what you have changed and decided, and shows what moved.

A model (--model) proposes readings that the rules did not find or were not sure
of. Each quotes its sentence, which has to stand in the document and to say so,
and none is certain until it is accepted. What is left out is counted.`,
		Example: "  fmsop corpus import returns.md -o returns-pack\n  fmsop corpus review returns-pack",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, files []string) error {
			return a.importDocuments(cmd.Context(), files, o)
		},
	}
	c.Flags().StringVarP(&o.pack, "output", "o", "", "the pack `FOLDER` to write")
	c.Flags().StringVar(&o.tools, "tools", "", "a JSON `FILE` with the tools that can be called")
	c.Flags().StringVar(&o.model, "model", "", "`MODEL` that proposes readings beyond the rules'")
	return c
}

type importOptions struct{ pack, tools, model string }

// toolFiles are the names under which a tool list stands beside a document.
var toolFiles = []string{"toolspecs.json", "tools.json"}

func (a *app) importDocuments(ctx context.Context, files []string, o importOptions) error {
	if o.pack == "" {
		return usagef("where the pack goes is not said, want -o PACK")
	}
	before, edited, err := importedPack(o.pack)
	if err != nil {
		return err
	}
	fresh := &reading.File{}
	var failed []error
	for _, file := range files {
		r, err := readDocument(file, o.tools)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		if before != nil {
			r.Propose(before.Proposals(r.File))
		}
		fresh.Documents = append(fresh.Documents, r)
	}
	if len(failed) == 0 && o.model != "" {
		if err := a.propose(ctx, fresh, o); err != nil {
			return err
		}
	}
	for _, r := range fresh.Documents {
		if err := r.Enough(); err != nil {
			failed = append(failed, err)
		}
	}
	if len(failed) > 0 {
		return errors.Join(failed...)
	}
	var changes []string
	if before != nil {
		changes = reading.Recall(before.Documents, fresh.Documents)
	}
	kept, err := writeImported(o.pack, before, edited, fresh)
	if err != nil {
		return err
	}
	return a.imported(o.pack, fresh, append(changes, kept...))
}

// propose has the model add to what was read of each document.
func (a *app) propose(ctx context.Context, f *reading.File, o importOptions) error {
	client, err := llm.Open(o.model, a.config.LLM)
	if err != nil {
		return usage(err)
	}
	ctx, drain, stop := a.drained(ctx)
	defer stop()
	pack := filepath.Clean(o.pack)
	runner, err := a.runnerFor(client, pack, drain)
	if err != nil {
		return err
	}
	defer closeRunner(runner, pack)
	w, err := a.writerOver(ctx, client, runner)
	if err != nil {
		return err
	}
	for _, r := range f.Documents {
		draft, err := agents.ProposeReadings(ctx, r, w, run.Options{Workers: a.config.LLM.Concurrency, Progress: a.progress("propose"), Drain: drain})
		if err != nil {
			return unfinished(err, pack, o.model)
		}
		a.remark("%s: read in %s, %s proposed, %d taken", r.File, count(draft.Pieces, "piece"), count(draft.Proposed, "reading"), draft.Placed)
		if err := a.tellDrops(r.File, draft.Drops, filepath.Join(pack+".ledger", "dropped-"+filepath.Base(r.File)+".jsonl")); err != nil {
			return err
		}
	}
	return nil
}

// importedPack returns what the folder holds if it was imported before; nil
// where there is no such folder.
func importedPack(pack string) (*reading.File, *sop.Domain, error) {
	entries, err := os.ReadDir(pack)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w, want a folder for the pack", pack, withoutPath(err))
	}
	text, err := os.ReadFile(filepath.Join(pack, reading.FileName))
	if err != nil {
		return nil, nil, fmt.Errorf("%s exists and holds no %s, so it was not imported: want another name", pack, reading.FileName)
	}
	f, err := reading.ParseFile(text)
	if err != nil {
		return nil, nil, fmt.Errorf("%s/%w", pack, err)
	}
	c, err := corpus.Load(pack)
	if err != nil {
		return nil, nil, err
	}
	return f, c.Domain, nil
}

func readDocument(file, tools string) (*reading.Result, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, withoutPath(err))
	}
	if info.Size() > document.MaxBytes {
		return nil, fmt.Errorf("%s: the file has %.1f MB, want at most %d", file, float64(info.Size())/(1<<20), document.MaxBytes>>20)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, withoutPath(err))
	}
	if reading.IsInstructions(file) {
		return reading.ReadInstructions(filepath.ToSlash(file), text)
	}
	d, err := document.Read(filepath.ToSlash(file), text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	specs, err := toolsBeside(file, tools)
	if err != nil {
		return nil, err
	}
	return reading.Scan(d, specs)
}

// toolsBeside reads the tool list that is named, else one beside the document.
func toolsBeside(file, named string) ([]reading.ToolSpec, error) {
	candidates := []string{named}
	if named == "" {
		candidates = nil
		for _, name := range toolFiles {
			candidates = append(candidates, filepath.Join(filepath.Dir(file), name))
		}
	}
	for _, name := range candidates {
		text, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) && named == "" {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, withoutPath(err))
		}
		specs, err := reading.ReadTools(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return specs, nil
	}
	return nil, nil
}

// writeImported builds the pack of the readings, with the edits that edited
// has over what the earlier readings gave, and names what it kept of them.
func writeImported(pack string, before *reading.File, edited *sop.Domain, now *reading.File) ([]string, error) {
	name := packName(pack)
	d, err := reading.Build(name, now.Documents)
	if err != nil {
		return nil, err
	}
	var kept []string
	if before != nil {
		base, err := reading.Build(name, before.Documents)
		if err != nil {
			return nil, err
		}
		if d, kept, err = reading.Merge(base, edited, d); err != nil {
			return nil, err
		}
		for i := range kept {
			kept[i] = "kept     " + kept[i] + ", which you changed; the document says otherwise by now"
		}
	}
	text, err := corpus.EncodeYAML(now)
	if err != nil {
		return nil, err
	}
	return kept, corpus.WritePack(pack, d, map[string][]byte{reading.FileName: text})
}

// packName makes the name of the domain of that of the folder.
func packName(pack string) string {
	path, err := filepath.Abs(pack)
	if err != nil {
		path = pack
	}
	name := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' {
			return c
		}
		return '_'
	}, strings.ToLower(filepath.Base(path)))
	if !sop.IsIdentifier(name) {
		return "pack_" + name
	}
	return name
}

// importSummary is what an import says of a document.
type importSummary struct {
	File      string             `json:"file"`
	Title     string             `json:"title"`
	Counts    map[string]int     `json:"counts"`
	Uncertain []*reading.Reading `json:"uncertain"`
	Skipped   []reading.Skipped  `json:"skipped"`
}

func (a *app) imported(pack string, f *reading.File, changes []string) error {
	for _, r := range f.Documents {
		s := importSummary{File: r.File, Title: r.Title, Counts: map[string]int{}, Uncertain: []*reading.Reading{}, Skipped: append([]reading.Skipped{}, r.Skipped...)}
		for _, x := range r.Readings {
			s.Counts[string(x.Kind)]++
			if x.Open() && x.Kind != reading.Remark {
				s.Uncertain = append(s.Uncertain, x)
			}
		}
		if a.json {
			if err := a.emit(s); err != nil {
				return err
			}
			continue
		}
		var said []string
		for _, k := range []reading.Kind{reading.Definition, reading.Step, reading.Decision, reading.Outcome, reading.Limit, reading.Remark} {
			if n := s.Counts[string(k)]; n > 0 {
				said = append(said, fmt.Sprintf("%d %s", n, k))
			}
		}
		a.printf("%s: %s\n  read       %s\n", r.File, r.Title, strings.Join(said, ", "))
		if n := s.Counts[string(reading.Tool)]; n > 0 {
			a.printf("  not called %s of the tool list\n", count(n, "tool"))
		}
		for _, x := range s.Skipped {
			a.printf("  not read   %s  section “%s”: it stands outside the procedure\n", x.Source, x.Title)
		}
		a.printf("  uncertain  %d\n", len(s.Uncertain))
		for _, x := range s.Uncertain {
			a.printf("    %s  %s\n      %s\n", x.Source, x, x.Why)
		}
	}
	for _, c := range changes {
		a.printf("  %s\n", c)
	}
	if open := len(f.Open()); open > 0 {
		a.remark("next: fmsop corpus review %s (%s; until then its rows are kept apart)", pack, count(open, "reading"))
	} else {
		a.remark("next: fmsop corpus render %s PROCEDURE, fmsop evaluate %s --model MODEL", pack, pack)
	}
	return nil
}
