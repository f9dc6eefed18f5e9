package dataset

import (
	"bytes"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/template"
)

//go:embed card.md.tmpl
var cardText string

var cardTemplate = template.Must(template.New(CardFile).Option("missingkey=error").Parse(cardText))

// card is what card.md.tmpl is rendered with. The front matter declares a
// configuration for each train_K, the largest as the default, so that a plain
// load_dataset of the folder neither mixes them nor reads the drops.
type card struct {
	Generator  string
	Seed       uint64
	Shard      int // of Shards; 0 where the folder is the whole
	Shards     int
	Configs    []cardConfig
	Default    string
	FirstSplit string
	Rows       []cardFile
	Apart      string // what the files of rows kept apart are
	Counts     []cardCount
	Operators  []cardCount
	Lengths    []cardLength
	Unit       string
	Notes      []string
	Reworded   string // by which model; "" where all texts are the generator's
}

type cardConfig struct {
	Name    string
	Default bool
	Files   []cardSplit
}

type cardSplit struct{ Split, Path string }

type cardFile struct {
	Name string
	File
}

type cardCount struct {
	Name  string
	Count int
}

type cardLength struct {
	Name string
	Length
}

func (m Manifest) card() ([]byte, error) {
	c := card{
		Generator: oneLine(m.Generator), Seed: m.Seed, Unit: oneLine(m.Split.Unit),
		Configs: m.configs(),
		Lengths: []cardLength{{"context", m.Lengths.Context}, {"query", m.Lengths.Query},
			{"positive", m.Lengths.Positive}, {"negative", m.Lengths.Negative}},
		Operators: cardCounts("", m.Counts.Operator),
	}
	if m.Paraphrase != nil {
		c.Reworded = oneLine(m.Paraphrase.Model)
	}
	if m.Shard != "" {
		var err error
		if c.Shard, c.Shards, err = ParseShard(m.Shard); err != nil {
			return nil, err
		}
	}
	if len(c.Configs) > 0 {
		last := &c.Configs[len(c.Configs)-1]
		last.Default = true
		c.Default, c.FirstSplit = last.Name, last.Files[0].Split
	}
	for _, f := range outFiles(m.Stages) {
		if file, ok := m.Files[f.name]; ok {
			c.Rows = append(c.Rows, cardFile{f.name, file})
		}
	}
	c.Apart = strings.Join(m.apart(), "; ")
	for _, g := range m.Counts.groups()[:4] { // procedures are too many for a card
		c.Counts = append(c.Counts, cardCounts(g.name+" ", g.counts)...)
	}
	for _, n := range m.Notes {
		c.Notes = append(c.Notes, oneLine(n))
	}
	var b bytes.Buffer
	if err := cardTemplate.Execute(&b, c); err != nil {
		return nil, fmt.Errorf("%s: %w", CardFile, err)
	}
	return b.Bytes(), nil
}

func (m Manifest) apart() []string {
	var apart []string
	for _, f := range []struct{ split, why string }{
		{Unreviewed, "rests on a reading of the source that nobody has confirmed"},
		{Unproven, "has negatives without a proof"},
	} {
		if _, ok := m.Files[splitFile(f.split)]; ok {
			apart = append(apart, fmt.Sprintf("`%s` %s", splitFile(f.split), f.why))
		}
	}
	return apart
}

// configs leaves out files without rows: loaders cannot tell their columns.
func (m Manifest) configs() []cardConfig {
	var configs []cardConfig
	for _, s := range m.Stages {
		config := cardConfig{Name: fmt.Sprintf("train_%d", s)}
		for _, f := range []cardSplit{{Train, trainFile(s)}, {Validation, splitFile(Validation)}, {Test, splitFile(Test)}} {
			if m.Files[f.Path].Rows > 0 {
				config.Files = append(config.Files, f)
			}
		}
		if len(config.Files) > 0 {
			configs = append(configs, config)
		}
	}
	return configs
}

func cardCounts(prefix string, counts map[string]int) []cardCount {
	var out []cardCount
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		out = append(out, cardCount{prefix + oneLine(name), counts[name]})
	}
	return out
}

// oneLine keeps a caller's text from breaking out of its place in the card.
func oneLine(s string) string {
	return strings.NewReplacer("\n", " ", "\r", " ", "|", `\|`).Replace(s)
}
