package dataset

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Manifest is what manifest.json holds. It names no clock, host or path, so
// that equal data have equal manifests.
type Manifest struct {
	Version   int                 `json:"version"` // FormatVersion
	Generator string              `json:"generator"`
	Seed      uint64              `json:"seed"`
	Shard     string              `json:"shard,omitempty"` // "2/4"; empty where the folder holds the whole run
	Stages    []int               `json:"stages"`
	Files     map[string]File     `json:"files"`
	Counts    Counts              `json:"counts"`
	Lengths   Lengths             `json:"lengths"`
	Distinct  map[string]Distinct `json:"distinct"` // stage → tasks that differ
	Overlap   map[string]Overlap  `json:"overlap"`  // validation, test → what train has too
	Drops     map[string]int      `json:"drops"`    // reason → how many
	// Where tokens were counted: with what, and by file and stage how many. A
	// shard has all counts, so that those of the whole can be made of them.
	Tokenizer   *Tokenizer                         `json:"tokenizer,omitempty"`
	Tokens      map[string]map[string]TokenLengths `json:"tokens,omitempty"`
	TokenCounts map[string]StageTokens             `json:"token_counts,omitempty"` // split → stage
	Split       SplitInfo                          `json:"split"`
	Exposure    []Exposure                         `json:"exposure"`
	Notes       []string                           `json:"notes"`
	Config      any                                `json:"config"`
	Lexicon     any                                `json:"lexicon,omitempty"`
	// Where a model has reworded texts: which, and by part of a row what became
	// of it. What was refused stayed as it was.
	Paraphrase  *Author               `json:"paraphrase,omitempty"`
	Paraphrased map[string]*Proposals `json:"paraphrased,omitempty"`
	// Where a model has written the rows: which, and what became of its rows and
	// of its negatives, by stage. What was refused was dropped.
	Author   *Author               `json:"author,omitempty"`
	Authored map[string]*Proposals `json:"authored,omitempty"`
}

// Author is a model that has written texts, and the prompt that made it.
type Author struct {
	Model  string `json:"model"`
	Prompt string `json:"prompt"` // its name and the beginning of its hash
}

// Proposals counts what a model proposed, and what was taken of it.
type Proposals struct {
	Asked    int            `json:"asked"`
	Accepted int            `json:"accepted"`
	Refused  map[string]int `json:"refused"` // by reason
}

// Add adds up two counts.
func (p *Proposals) Add(o *Proposals) {
	p.Asked += o.Asked
	p.Accepted += o.Accepted
	if p.Refused == nil {
		p.Refused = map[string]int{}
	}
	for reason, n := range o.Refused {
		p.Refused[reason] += n
	}
}

// AddProposals adds counts by name into those that are there.
func AddProposals(into, from map[string]*Proposals) {
	for name, p := range from {
		if into[name] == nil {
			into[name] = &Proposals{}
		}
		into[name].Add(p)
	}
}

// Info is the part of a manifest that the writer cannot know by itself.
// Config and Lexicon are anything that encoding/json writes the same way each
// time.
type Info struct {
	Generator string // the program and its version
	Seed      uint64
	Shard     string // as ParseShard reads it; empty for a whole run
	Split     SplitInfo
	Exposure  []Exposure
	Notes     []string
	Config    any
	Lexicon   any // left out where nil

	Paraphrase  *Author
	Paraphrased map[string]*Proposals
	Author      *Author
	Authored    map[string]*Proposals
}

// File says what a file of lines holds, uncompressed.
type File struct {
	Rows   int    `json:"rows"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Counts are rows by what they are, and negatives by how they were made. A
// row counts once, however many of the cumulative files hold it.
type Counts struct {
	Split     map[string]int `json:"split"`
	Stage     map[string]int `json:"stage"`
	View      map[string]int `json:"view"`
	Domain    map[string]int `json:"domain"`
	Procedure map[string]int `json:"procedure"` // domain/procedure
	Operator  map[string]int `json:"operator"`
	Violation map[string]int `json:"violation"`
}

// Lengths are in characters.
type Lengths struct {
	Context  Length `json:"context"`
	Query    Length `json:"query"`
	Positive Length `json:"positive"`
	Negative Length `json:"negative"`
}

// Length sums up many lengths. The median is exact up to 255 and within 1 %
// above.
type Length struct {
	Min    int `json:"min"`
	Median int `json:"median"`
	Max    int `json:"max"`
}

// SplitInfo says what was held out: no unit is in two splits.
type SplitInfo struct {
	Unit        string            `json:"unit"`        // one of Units
	Assignments map[string]string `json:"assignments"` // Row.Unit → split; may be empty
}

// Exposure names what a model trained on the folder has seen.
type Exposure struct {
	Domain string `json:"domain"`
	Goal   string `json:"goal"`
	Source string `json:"source"` // hash of the source task; empty where there is none
}

// The units by which a folder may be split.
const (
	UnitProcedure = "procedure"
	UnitScenario  = "scenario"
	UnitDomain    = "domain"
)

// Units lists the words that SplitInfo.Unit may be.
var Units = []string{UnitProcedure, UnitScenario, UnitDomain}

// Unit returns the row's own unit of that kind: its domain, its procedure as
// domain/procedure, or its scenario as domain/procedure/ and the canonical
// JSON of the reference's facts. It is empty where the row has no such unit.
func (r *Row) Unit(kind string) (string, error) {
	switch kind {
	case UnitDomain:
		return r.Domain, nil
	case UnitProcedure:
		return r.procedure(), nil
	case UnitScenario:
		var reference struct {
			Facts json.RawMessage `json:"facts"`
		}
		if err := json.Unmarshal([]byte(r.Reference), &reference); err != nil {
			return "", fmt.Errorf("row %s: reference %s has no facts to read: %w", quote(r.ID), quote(r.Reference), err)
		}
		if len(reference.Facts) == 0 {
			return "", nil
		}
		facts, err := Canonical(string(reference.Facts))
		return r.procedure() + "/" + facts, err
	}
	return "", fmt.Errorf("unknown split unit %s, want %s", quote(kind), oneOf(Units))
}

func (r *Row) procedure() string {
	if r.Procedure == "" {
		return ""
	}
	return r.Domain + "/" + r.Procedure
}

// ReadManifest reads manifest.json of the folder.
func ReadManifest(dir string) (Manifest, error) {
	m, _, err := readManifest(dir)
	return m, err
}

// readManifest also returns the text.
func readManifest(dir string) (m Manifest, text []byte, err error) {
	path := filepath.Join(dir, ManifestFile)
	text, err = os.ReadFile(path)
	if err != nil {
		return Manifest{}, nil, fmt.Errorf("%s is no dataset folder: %w", dir, err)
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return Manifest{}, nil, fmt.Errorf("%s: %w", path, jsonError(err))
	}
	if m.Version != FormatVersion {
		return Manifest{}, nil, fmt.Errorf("%s: version is %d, this program reads %d", path, m.Version, FormatVersion)
	}
	if stages, _, err := (Options{Stages: m.Stages}).resolve(); err != nil || !slices.Equal(stages, m.Stages) {
		return Manifest{}, nil, fmt.Errorf("%s: stages are %v, want some of 1, 2 and 3 in this order", path, m.Stages)
	}
	return m, text, nil
}

func (m Manifest) encode() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(m); err != nil {
		return nil, fmt.Errorf("%s: %w", ManifestFile, err)
	}
	return b.Bytes(), nil
}
