package agents

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/llm"
	"github.com/fmsop/fmsop/rubric"
	"github.com/fmsop/fmsop/sop/corpus"
)

// Files of a run folder.
const (
	RubricFile   = "rubric.yaml"   // a list of rubrics, one a domain
	TestsetFile  = "testset.jsonl" // a question a line
	AnswersDir   = "answers"       // MODEL.jsonl
	ScoresDir    = "scores"        // MODEL.SCORER.jsonl
	ReportFile   = "report.html"
	ManifestFile = "manifest.json"
)

// Manifest says what a run was made from.
type Manifest struct {
	Version int         `json:"version"`
	Seed    uint64      `json:"seed"`
	Corpora []Source    `json:"corpora"`
	Tests   TestOptions `json:"tests"`   // of the test set that was generated
	Testset string      `json:"testset"` // sha256 of the file, "" before it was generated
	// Coverage is that of the test set, by domain.
	Coverage []*Coverage `json:"coverage"`
	Models   []Asked     `json:"models"` // in the order in which they answered
}

// Source is a corpus of a run.
type Source struct {
	Domain      string `json:"domain"`
	Corpus      string `json:"corpus"` // as corpus.Load takes it
	Fingerprint string `json:"fingerprint"`
}

// Asked says which model was asked, and how. Of a baseline only the repeats are
// set.
type Asked struct {
	Model string `json:"model"`
	AskOptions
	Sampling *llm.Sampling `json:"sampling"`
}

// ManifestVersion is that of the folders which this program writes and reads.
const ManifestVersion = 1

// FileName makes a name of a model one of a file: what other characters it has
// are replaced, and a hash then keeps it apart from others.
func FileName(model string) string {
	safe := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, model)
	if safe == model {
		return safe
	}
	sum := sha256.Sum256([]byte(model))
	return safe + "-" + hex.EncodeToString(sum[:3])
}

// WriteRubrics writes the file of rubrics.
func WriteRubrics(path string, list []*rubric.Rubric) error {
	data, err := yaml.Marshal(list)
	if err != nil {
		return err
	}
	return writeWhole(path, append([]byte(rubricHead), data...))
}

const rubricHead = `# What matters in each domain, and how much. The weights of a domain sum to 1.
# Set locked to true to keep what you have written.
`

// ReadRubrics reads the file and validates every rubric. The error has a line
// for each fault, which names the file and where in it.
func ReadRubrics(path string) ([]*rubric.Rubric, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var list []*rubric.Rubric
	line, problems := corpus.DecodeYAML(path, data, &list)
	if len(problems) > 0 {
		return nil, problems
	}
	problem := func(text string, at ...string) {
		problems = append(problems, corpus.Problem{File: path, Line: line(at...), Text: text})
	}
	seen := map[string]bool{}
	for i, r := range list {
		for k := range r.Dimensions {
			d := &r.Dimensions[k]
			for _, names := range []*[]string{&d.Covers.Kinds, &d.Covers.Words, &d.Covers.Shapes} {
				*names = append([]string{}, *names...) // an empty list is one in JSON too
			}
		}
		index := strconv.Itoa(i)
		for _, f := range r.Faults() {
			if f.Dimension == rubric.Whole {
				problem(f.Text, index, "dimensions")
			} else {
				problem(f.Text, index, "dimensions", strconv.Itoa(f.Dimension))
			}
		}
		if seen[r.Domain] {
			problem("a second rubric of "+r.Domain, index, "domain")
		}
		seen[r.Domain] = true
	}
	if len(list) == 0 {
		problem("no rubric in it")
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return list, nil
}

// WriteLines writes a list as JSON Lines.
func WriteLines[T any](path string, list []T) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for i := range list {
		if err := e.Encode(&list[i]); err != nil {
			return err
		}
	}
	return writeWhole(path, b.Bytes())
}

// ReadLines reads JSON Lines strictly: a key that T lacks is an error with its
// line.
func ReadLines[T any](path string) ([]T, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var list []T
	r := bufio.NewReader(f)
	for n := 1; ; n++ {
		line, err := r.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var v T
			d := json.NewDecoder(bytes.NewReader(line))
			d.DisallowUnknownFields()
			switch bad := d.Decode(&v); {
			case errors.Is(bad, io.ErrUnexpectedEOF):
				return nil, fmt.Errorf("%s:%d: the line breaks off, want one JSON object a line", path, n)
			case bad != nil:
				return nil, fmt.Errorf("%s:%d: %w", path, n, bad)
			case d.More():
				return nil, fmt.Errorf("%s:%d: more than one value, want one JSON object a line", path, n)
			}
			list = append(list, v)
		}
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// ReadTestset reads questions and validates them; ids must differ.
func ReadTestset(path string) ([]rubric.Question, error) {
	list, err := ReadLines[rubric.Question](path)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for i := range list {
		if err := list[i].Validate(); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, i+1, err)
		}
		if seen[list[i].ID] {
			return nil, fmt.Errorf("%s:%d: question %s stands there twice", path, i+1, list[i].ID)
		}
		seen[list[i].ID] = true
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: no question in it", path)
	}
	return list, nil
}

// ReadAnswers reads the answers of one model to these questions. An answer to
// another question, or the same one twice, is an error.
func ReadAnswers(path string, questions []rubric.Question) ([]rubric.Answer, error) {
	list, err := ReadLines[rubric.Answer](path)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, q := range questions {
		known[q.ID] = true
	}
	type asked struct {
		question string
		repeat   int
	}
	seen := map[asked]bool{}
	for i, a := range list {
		key := asked{a.Question, a.Repeat}
		switch {
		case !known[a.Question]:
			return nil, fmt.Errorf("%s:%d: answer to question %q, which is not in the test set", path, i+1, a.Question)
		case seen[key]:
			return nil, fmt.Errorf("%s:%d: a second answer to question %q, repeat %d", path, i+1, a.Question, a.Repeat)
		case a.Model != list[0].Model:
			return nil, fmt.Errorf("%s:%d: answer of model %q among those of %q", path, i+1, a.Model, list[0].Model)
		}
		seen[key] = true
	}
	return list, nil
}

// ReadManifest reads a run folder's manifest.
func ReadManifest(dir string) (*Manifest, error) {
	data, err := os.ReadFile(filepath.Join(dir, ManifestFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is no run folder: it has no %s", dir, ManifestFile)
	}
	if err != nil {
		return nil, err
	}
	var m Manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, ManifestFile), err)
	}
	if m.Version != ManifestVersion {
		return nil, fmt.Errorf("%s: version %d, want %d", filepath.Join(dir, ManifestFile), m.Version, ManifestVersion)
	}
	return &m, nil
}

// WriteManifest writes a run folder's manifest.
func WriteManifest(dir string, m *Manifest) error {
	m.Version = ManifestVersion
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return writeWhole(filepath.Join(dir, ManifestFile), append(data, '\n'))
}

func writeWhole(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return run.AtomicFile(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}
