package agents

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/rubric"
	"github.com/fmsop/fmsop/sop/corpus"
)

// Evaluation is a run folder that is worked on, step by step. Every step takes
// up what is there.
type Evaluation struct {
	Dir      string
	Corpora  []*corpus.Corpus
	Rubrics  []*rubric.Rubric
	Tests    []rubric.Question
	Manifest *Manifest
}

// StartEvaluation opens the run folder of these corpora, or begins one. A folder
// of other corpora, or of these as they were before a change, is refused.
func StartEvaluation(dir string, corpora []*corpus.Corpus, seed uint64) (*Evaluation, error) {
	e := &Evaluation{Dir: dir, Corpora: corpora}
	prints := map[string]string{}
	for _, c := range corpora {
		if _, twice := prints[c.Domain.Name]; twice {
			return nil, fmt.Errorf("two corpora of domain %s, want one", c.Domain.Name)
		}
		prints[c.Domain.Name] = Fingerprint(c.Domain)
	}
	m, err := ReadManifest(dir)
	switch {
	case err == nil:
		for domain, print := range prints {
			if m.Corpora[domain] != print {
				return nil, fmt.Errorf("%s was made from another corpus of %s, want a folder of its own (-o)", dir, domain)
			}
		}
		e.Manifest = m
	case exists(dir) && !empty(dir):
		return nil, err
	default:
		e.Manifest = &Manifest{Seed: seed, Corpora: prints, Models: []string{}}
	}
	return e, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func empty(dir string) bool {
	list, err := os.ReadDir(dir)
	return err == nil && len(list) == 0
}

func (e *Evaluation) path(parts ...string) string {
	return filepath.Join(append([]string{e.Dir}, parts...)...)
}

// MakeRubrics reads the rubrics of the folder, and generates those that are not
// there. What a person has written is never replaced; one that was made from
// another state of its corpus is refused unless it is locked.
func (e *Evaluation) MakeRubrics() error {
	have, err := ReadRubrics(e.path(RubricFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	added := false
	for _, c := range e.Corpora {
		i := slices.IndexFunc(have, func(r *rubric.Rubric) bool { return r.Domain == c.Domain.Name })
		if i >= 0 {
			if r := have[i]; !r.Locked && r.Corpus != Fingerprint(c.Domain) {
				return fmt.Errorf("%s: the rubric of %s was made from another corpus; delete it to have a new one, or set locked: true to keep it", e.path(RubricFile), r.Domain)
			}
			e.Rubrics = append(e.Rubrics, have[i])
			continue
		}
		r, err := GenerateRubric(c)
		if err != nil {
			return err
		}
		e.Rubrics, have, added = append(e.Rubrics, r), append(have, r), true
	}
	if !added {
		return nil
	}
	return WriteRubrics(e.path(RubricFile), have)
}

// ShortfallError names the cells of a test set that could not be filled.
type ShortfallError []string

func (s ShortfallError) Error() string {
	return fmt.Sprintf("the corpus gives too few questions for %s", strings.Join(s, "; "))
}

// MakeTestset reads the test set of the folder, or generates it. Too few
// questions are a ShortfallError unless that is allowed. The coverage is nil
// where the test set was there.
func (e *Evaluation) MakeTestset(o TestOptions, allowShortfall bool) ([]*Coverage, error) {
	path := e.path(TestsetFile)
	if exists(path) {
		list, err := ReadTestset(path)
		if err != nil {
			return nil, err
		}
		print, err := fileSum(path)
		if err != nil {
			return nil, err
		}
		if e.Manifest.Testset != "" && e.Manifest.Testset != print {
			return nil, fmt.Errorf("%s is not the one that the answers in %s were given to, want a folder of its own", path, e.Dir)
		}
		e.Tests = list
		return nil, e.fits()
	}
	var all []*Coverage
	var short ShortfallError
	for i, c := range e.Corpora {
		questions, coverage, err := GenerateTestset(c, e.Rubrics[i], o)
		if err != nil {
			return nil, err
		}
		e.Tests, all = append(e.Tests, questions...), append(all, coverage)
		short = append(short, coverage.Shortfalls()...)
	}
	if len(short) > 0 && !allowShortfall {
		return all, short
	}
	if err := WriteLines(path, e.Tests); err != nil {
		return nil, err
	}
	print, err := fileSum(path)
	if err != nil {
		return nil, err
	}
	e.Manifest.Testset = print
	return all, WriteManifest(e.Dir, e.Manifest)
}

// fits holds a test set that was there against the corpora and rubrics.
func (e *Evaluation) fits() error {
	for _, q := range e.Tests {
		i := slices.IndexFunc(e.Rubrics, func(r *rubric.Rubric) bool { return r.Domain == q.Domain })
		if i < 0 {
			return fmt.Errorf("%s: question %s is of domain %q, which is none of the corpora given", e.path(TestsetFile), q.ID, q.Domain)
		}
		for _, d := range q.Dimensions {
			if e.Rubrics[i].Dimension(d) == nil {
				return fmt.Errorf("%s: question %s tests dimension %q, which the rubric of %s lacks", e.path(TestsetFile), q.ID, d, q.Domain)
			}
		}
	}
	return nil
}

func fileSum(path string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}

// Ask has every question answered and keeps the answers. What was kept of an
// earlier call is returned, unless a server failed at some of it: then all is
// asked again, and a ledger knows what it knows.
func (e *Evaluation) Ask(ctx context.Context, a Answerer, repeats int, o run.Options) ([]rubric.Answer, error) {
	if e.Manifest.Repeats != 0 && e.Manifest.Repeats != repeats {
		return nil, fmt.Errorf("%s holds answers of %d repeats, not %d; want a folder of its own", e.Dir, e.Manifest.Repeats, repeats)
	}
	path := e.path(AnswersDir, FileName(a.Name())+".jsonl")
	if exists(path) {
		kept, err := ReadAnswers(path, e.Tests)
		failed := slices.ContainsFunc(kept, func(a rubric.Answer) bool { return a.Error != "" })
		if err != nil || !failed && len(kept) == len(e.Tests)*repeats {
			return kept, err
		}
	}
	answers, err := AskAll(ctx, a, e.Tests, repeats, o)
	if err != nil {
		return nil, err
	}
	if err := WriteLines(path, answers); err != nil {
		return nil, err
	}
	e.Manifest.Repeats = repeats
	if !slices.Contains(e.Manifest.Models, a.Name()) {
		e.Manifest.Models = append(e.Manifest.Models, a.Name())
	}
	return answers, WriteManifest(e.Dir, e.Manifest)
}

// LedgerFile is where the replies of a model are kept while it is asked.
func (e *Evaluation) LedgerFile(model string) string {
	return e.path("ledger", FileName(model)+".jsonl")
}

// FailuresFile is where the requests are listed that a model had no answer to.
func (e *Evaluation) FailuresFile(model string) string {
	return e.path("ledger", FileName(model)+".failures.jsonl")
}

// Score has a model's answers scored and keeps the scores, over what was there.
func (e *Evaluation) Score(ctx context.Context, s Scorer, model string, answers []rubric.Answer, o run.Options) ([]rubric.Score, error) {
	scores, err := ScoreAll(ctx, s, e.Tests, answers, o)
	if err != nil {
		return nil, err
	}
	return scores, WriteLines(e.ScoresFile(model, s.Name()), scores)
}

// ScoresFile is where the scores of a model by a scorer are kept.
func (e *Evaluation) ScoresFile(model, scorer string) string {
	return e.path(ScoresDir, FileName(model)+"."+FileName(scorer)+".jsonl")
}
