package agents

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
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
	Rubrics  []*rubric.Rubric  // none before MakeRubrics
	Tests    []rubric.Question // none before MakeTestset
	Manifest *Manifest

	corpora []*corpus.Corpus // loaded when a step needs them
}

// IsRun tells whether a folder holds a run.
func IsRun(dir string) bool { return exists(filepath.Join(dir, ManifestFile)) }

// StartEvaluation opens the run folder of these corpora, or begins one. A folder
// of other corpora, or of these as they were before a change, or of another seed
// is refused.
func StartEvaluation(dir string, corpora []*corpus.Corpus, seed uint64) (*Evaluation, error) {
	var sources []Source
	for _, c := range corpora {
		s := Source{Domain: c.Domain.Name, Corpus: strings.TrimPrefix(c.Source, "builtin:"), Fingerprint: Fingerprint(c.Domain)}
		if slices.ContainsFunc(sources, func(o Source) bool { return o.Domain == s.Domain }) {
			return nil, fmt.Errorf("two corpora of domain %s, want one", s.Domain)
		}
		sources = append(sources, s)
	}
	if !IsRun(dir) {
		if exists(dir) && !empty(dir) {
			return nil, fmt.Errorf("%s is no run folder: it has no %s", dir, ManifestFile)
		}
		e := &Evaluation{Dir: dir, corpora: corpora, Manifest: &Manifest{Seed: seed, Corpora: sources, Models: []Asked{}}}
		return e, WriteManifest(dir, e.Manifest)
	}
	e, err := OpenEvaluation(dir)
	if err != nil {
		return nil, err
	}
	for _, s := range sources {
		if err := e.Manifest.made(s); err != nil {
			return nil, fmt.Errorf("%s %w, want a folder of its own (-o)", dir, err)
		}
	}
	switch m := e.Manifest; {
	case len(sources) != len(m.Corpora):
		return nil, fmt.Errorf("%s is of %s, want all of them or none named", dir, strings.Join(m.domains(), ", "))
	case m.Seed != seed:
		return nil, fmt.Errorf("%s was made with seed %d, not %d; want a folder of its own (-o)", dir, m.Seed, seed)
	}
	e.corpora = corpora
	return e, nil
}

// made is an error unless the run is of this corpus as it is.
func (m *Manifest) made(s Source) error {
	i := slices.IndexFunc(m.Corpora, func(o Source) bool { return o.Domain == s.Domain })
	if i < 0 || m.Corpora[i].Fingerprint != s.Fingerprint {
		return fmt.Errorf("was made from another corpus of %s", s.Domain)
	}
	return nil
}

func (m *Manifest) domains() (list []string) {
	for _, s := range m.Corpora {
		list = append(list, s.Domain)
	}
	return list
}

// OpenEvaluation opens a run folder that is there, with what it holds.
func OpenEvaluation(dir string) (*Evaluation, error) {
	m, err := ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	e := &Evaluation{Dir: dir, Manifest: m}
	if exists(e.Path(RubricFile)) {
		if e.Rubrics, err = ReadRubrics(e.Path(RubricFile)); err != nil {
			return nil, err
		}
	}
	if exists(e.Path(TestsetFile)) {
		if err := e.readTestset(); err != nil {
			return nil, err
		}
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

// Path is that of a file of the run.
func (e *Evaluation) Path(parts ...string) string {
	return filepath.Join(append([]string{e.Dir}, parts...)...)
}

// Corpora loads the corpora of the run, and refuses those that have changed.
func (e *Evaluation) Corpora() ([]*corpus.Corpus, error) {
	if e.corpora != nil {
		return e.corpora, nil
	}
	var list []*corpus.Corpus
	for _, s := range e.Manifest.Corpora {
		c, err := corpus.Load(s.Corpus)
		if err != nil {
			return nil, err
		}
		if err := e.Manifest.made(Source{Domain: c.Domain.Name, Fingerprint: Fingerprint(c.Domain)}); err != nil {
			return nil, fmt.Errorf("%s %w", e.Dir, err)
		}
		list = append(list, c)
	}
	e.corpora = list
	return list, nil
}

// MakeRubrics generates the rubrics that the folder lacks. What a person has
// written is never replaced; one that was made from another state of its corpus
// is refused unless it is locked. lock sets that.
func (e *Evaluation) MakeRubrics(ctx context.Context, g RubricGenerator, lock bool) error {
	corpora, err := e.Corpora()
	if err != nil {
		return err
	}
	have, changed := e.Rubrics, false
	e.Rubrics = nil
	for _, c := range corpora {
		var r *rubric.Rubric
		if i := slices.IndexFunc(have, func(r *rubric.Rubric) bool { return r.Domain == c.Domain.Name }); i >= 0 {
			r = have[i]
		} else {
			if r, err = g.GenerateRubric(ctx, c); err != nil {
				return err
			}
			changed = true
		}
		if lock && !r.Locked {
			r.Locked, changed = true, true
		}
		if !r.Locked && r.Corpus != Fingerprint(c.Domain) {
			return fmt.Errorf("%s: the rubric of %s was made from another corpus; delete it to have a new one, or set locked: true to keep it", e.Path(RubricFile), r.Domain)
		}
		e.Rubrics = append(e.Rubrics, r)
	}
	for _, r := range have {
		if !slices.Contains(e.Rubrics, r) {
			return fmt.Errorf("%s: a rubric of %s, which is none of the run's corpora", e.Path(RubricFile), r.Domain)
		}
	}
	if !changed {
		return nil
	}
	return WriteRubrics(e.Path(RubricFile), e.Rubrics)
}

// ShortfallError names the cells of a test set that could not be filled.
type ShortfallError []string

func (s ShortfallError) Error() string {
	return fmt.Sprintf("the corpus gives too few questions for %s", strings.Join(s, "; "))
}

// MakeTestset generates the test set unless the folder has one. Too few
// questions are a ShortfallError unless that is allowed.
func (e *Evaluation) MakeTestset(ctx context.Context, g TestGenerator, o TestOptions, allowShortfall bool) error {
	if len(e.Rubrics) == 0 {
		return e.missing("rubric", RubricFile)
	}
	if e.Tests != nil && e.Manifest.Testset != "" {
		return nil
	}
	corpora, err := e.Corpora()
	if err != nil {
		return err
	}
	if e.Tests != nil {
		return e.adopt(corpora)
	}
	var questions []rubric.Question
	var all []*Coverage
	var short ShortfallError
	for i, c := range corpora {
		list, coverage, err := g.GenerateTestset(ctx, c, e.Rubrics[i], o)
		if err != nil {
			return err
		}
		questions, all = append(questions, list...), append(all, coverage)
		short = append(short, coverage.Shortfalls()...)
	}
	if len(short) > 0 && !allowShortfall {
		return short
	}
	if err := WriteLines(e.Path(TestsetFile), questions); err != nil {
		return err
	}
	if e.Manifest.Testset, err = fileSum(e.Path(TestsetFile)); err != nil {
		return err
	}
	e.Tests, e.Manifest.Tests, e.Manifest.Coverage = questions, o, all
	return WriteManifest(e.Dir, e.Manifest)
}

// Coverage says how the test set fills its cells: as it was generated, or as it
// is counted where it came from elsewhere.
func (e *Evaluation) Coverage() []*Coverage {
	if e.Manifest.Coverage != nil {
		return e.Manifest.Coverage
	}
	var all []*Coverage
	for _, r := range e.Rubrics {
		c := newCoverage(r, TestOptions{})
		c.count(e.Tests)
		all = append(all, c)
	}
	return all
}

// missing is the error of a step whose predecessor was left out.
func (e *Evaluation) missing(what, file string) error {
	return fmt.Errorf("%s has no %s: no %s in it", e.Dir, what, file)
}

// adopt takes up a test set that somebody has put there.
func (e *Evaluation) adopt(corpora []*corpus.Corpus) error {
	for _, q := range e.Tests {
		i := slices.IndexFunc(corpora, func(c *corpus.Corpus) bool { return c.Domain.Name == q.Domain })
		if q.Procedure != "" && corpora[i].Domain.Procedure(q.Procedure) == nil {
			return fmt.Errorf("%s: question %s asks about procedure %q, which the corpus of %s lacks", e.Path(TestsetFile), q.ID, q.Procedure, q.Domain)
		}
	}
	var err error
	if e.Manifest.Testset, err = fileSum(e.Path(TestsetFile)); err != nil {
		return err
	}
	return WriteManifest(e.Dir, e.Manifest)
}

// readTestset reads the questions and holds them against the rubrics, and
// against the hash of those that were answered.
func (e *Evaluation) readTestset() error {
	path := e.Path(TestsetFile)
	list, err := ReadTestset(path)
	if err != nil {
		return err
	}
	sum, err := fileSum(path)
	if err != nil {
		return err
	}
	if e.Manifest.Testset != "" && e.Manifest.Testset != sum {
		return fmt.Errorf("%s is not the one that %s was made with, want a folder of its own", path, e.Dir)
	}
	e.Tests = list
	if len(e.Rubrics) == 0 {
		return nil
	}
	return e.fits()
}

// fits holds the test set against the rubrics.
func (e *Evaluation) fits() error {
	for _, q := range e.Tests {
		i := slices.IndexFunc(e.Rubrics, func(r *rubric.Rubric) bool { return r.Domain == q.Domain })
		if i < 0 {
			return fmt.Errorf("%s: question %s is of domain %q, of which there is no rubric", e.Path(TestsetFile), q.ID, q.Domain)
		}
		for _, d := range q.Dimensions {
			if e.Rubrics[i].Dimension(d) == nil {
				return fmt.Errorf("%s: question %s tests dimension %q, which the rubric of %s lacks", e.Path(TestsetFile), q.ID, d, q.Domain)
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

// OtherQuestions are questions on the same corpora that the test set does not
// hold, of the next seed: to learn from.
func (e *Evaluation) OtherQuestions() ([]rubric.Question, error) {
	corpora, err := e.Corpora()
	if err != nil {
		return nil, err
	}
	held := map[string]bool{}
	for _, q := range e.Tests {
		held[q.ID] = true
	}
	o := e.Manifest.Tests
	o.Seed = e.Manifest.Seed + 1
	var others []rubric.Question
	for i, c := range corpora {
		list, _, err := GenerateTestset(c, e.Rubrics[i], o)
		if err != nil {
			return nil, err
		}
		others = append(others, slices.DeleteFunc(list, func(q rubric.Question) bool { return held[q.ID] })...)
	}
	return others, nil
}

// Ask has every question answered and keeps the answers. What was kept of an
// earlier call is returned, unless a server failed at some of it: then all is
// asked again, and a ledger knows what it knows. A model that was asked in
// another way before, or the folder's others another number of times, is
// refused.
func (e *Evaluation) Ask(ctx context.Context, a Answerer, how Asked, o run.Options) ([]rubric.Answer, error) {
	if len(e.Tests) == 0 {
		return nil, e.missing("test set", TestsetFile)
	}
	how.Model = a.Name()
	before := slices.IndexFunc(e.Manifest.Models, func(m Asked) bool { return m.Model == how.Model })
	for i, m := range e.Manifest.Models {
		if m.Repeats != how.Repeats {
			return nil, fmt.Errorf("%s holds answers of %d repeats, not %d; want a folder of its own", e.Dir, m.Repeats, how.Repeats)
		}
		if i == before && inJSON(m) != inJSON(how) {
			return nil, fmt.Errorf("%s was asked with %s in %s, not with %s; want a folder of its own", how.Model, inJSON(m), e.Dir, inJSON(how))
		}
	}
	path := e.AnswersFile(how.Model)
	if exists(path) {
		kept, err := ReadAnswers(path, e.Tests)
		failed := slices.ContainsFunc(kept, func(a rubric.Answer) bool { return a.Error != "" })
		if err != nil || !failed && len(kept) == len(e.Tests)*how.Repeats {
			return kept, err
		}
	}
	answers, err := AskAll(ctx, a, e.Tests, how.Repeats, o)
	if err != nil {
		return nil, err
	}
	if err := WriteLines(path, answers); err != nil {
		return nil, err
	}
	if before < 0 {
		e.Manifest.Models = append(e.Manifest.Models, how)
	}
	return answers, WriteManifest(e.Dir, e.Manifest)
}

// inJSON is how a model was asked, as the manifest has it.
func inJSON(how Asked) string {
	how.Model = ""
	data, err := json.Marshal(how)
	if err != nil {
		panic(err) // plain data always encodes
	}
	return string(data)
}

// AnswersFile is where the answers of a model are kept.
func (e *Evaluation) AnswersFile(model string) string {
	return e.Path(AnswersDir, FileName(model)+".jsonl")
}

// Answers reads what a model that was asked has answered.
func (e *Evaluation) Answers(model string) ([]rubric.Answer, error) {
	return ReadAnswers(e.AnswersFile(model), e.Tests)
}

// LedgerFile is where the replies of a model are kept while it is asked.
func (e *Evaluation) LedgerFile(model string) string {
	return e.Path("ledger", FileName(model)+".jsonl")
}

// FailuresFile is where the requests are listed that a model had no answer to.
func (e *Evaluation) FailuresFile(model string) string {
	return e.Path("ledger", FileName(model)+".failures.jsonl")
}

// Score has the answers of a model scored and keeps the scores, over what was
// there.
func (e *Evaluation) Score(ctx context.Context, s Scorer, model string, o run.Options) ([]rubric.Score, error) {
	answers, err := e.Answers(model)
	if err != nil {
		return nil, err
	}
	scores, err := ScoreAll(ctx, s, e.Tests, answers, o)
	if err != nil {
		return nil, err
	}
	return scores, WriteLines(e.ScoresFile(model, s.Name()), scores)
}

// ScoresFile is where the scores of a model by a scorer are kept.
func (e *Evaluation) ScoresFile(model, scorer string) string {
	return e.Path(ScoresDir, FileName(model)+"."+FileName(scorer)+".jsonl")
}
