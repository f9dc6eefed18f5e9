package export

import (
	"fmt"
	"slices"

	"github.com/fmsop/fmsop/dataset"
)

// Encoding is how files are written.
type Encoding string

// The encodings, which are also the ends of the files' names.
const (
	JSONL   Encoding = "jsonl"
	JSONLZs Encoding = "jsonl.zst"
	Parquet Encoding = "parquet"
)

// Encodings lists them.
var Encodings = []Encoding{JSONL, JSONLZs, Parquet}

// Options of an export.
type Options struct {
	Formats  []Format
	Encoding Encoding // empty: JSONL
	Pairs    Pairs
	// Stage is the last stage whose rows are taken, K of train_K; 0 means the
	// last that the dataset has.
	Stage int
	Mix   []Mix
	// Unreviewed takes the rows too that lean on what nobody has accepted, into
	// files of their own.
	Unreviewed bool
	Tokens
}

// Source is a file of the dataset and the split that it becomes.
type Source struct {
	Split string
	File  string
	Rows  int
}

// Exporter turns the rows of one dataset into those of trainers.
type Exporter struct {
	Options
	Sources  []Source // those with rows: train, validation, test, unreviewed
	manifest dataset.Manifest
	lexicon  *lexicon
}

// Open looks at what a dataset has for the options.
func Open(m dataset.Manifest, o Options) (*Exporter, error) {
	if o.Encoding == "" {
		o.Encoding = JSONL
	}
	if !slices.Contains(Encodings, o.Encoding) {
		return nil, fmt.Errorf("unknown encoding %q, want jsonl, jsonl.zst or parquet", o.Encoding)
	}
	if o.Stage == 0 && len(m.Stages) > 0 {
		o.Stage = m.Stages[len(m.Stages)-1]
	}
	if !slices.Contains(m.Stages, o.Stage) {
		return nil, fmt.Errorf("stage %d is not in the dataset, which has %v", o.Stage, m.Stages)
	}
	if err := validMix(o); err != nil {
		return nil, err
	}
	words, err := readLexicon(m)
	if err != nil {
		return nil, fmt.Errorf("%s: lexicon: %w", dataset.ManifestFile, err)
	}
	x := &Exporter{Options: o, manifest: m, lexicon: words}
	for _, s := range []Source{
		{Split: dataset.Train, File: fmt.Sprintf("train_%d.jsonl.zst", o.Stage)},
		{Split: dataset.Validation, File: dataset.Validation + ".jsonl.zst"},
		{Split: dataset.Test, File: dataset.Test + ".jsonl.zst"},
		{Split: dataset.Unreviewed, File: dataset.Unreviewed + ".jsonl.zst"},
	} {
		if s.Split == dataset.Unreviewed && !o.Unreviewed {
			continue
		}
		if s.Rows = m.Files[s.File].Rows; s.Rows > 0 {
			x.Sources = append(x.Sources, s)
		}
	}
	if len(x.Sources) == 0 {
		if m.Files[dataset.Unreviewed+".jsonl.zst"].Rows > 0 {
			return nil, fmt.Errorf("the dataset has no rows of stages up to %d that are reviewed", o.Stage)
		}
		return nil, fmt.Errorf("the dataset has no rows of stages up to %d", o.Stage)
	}
	return x, nil
}

// Part is what some rows of a split became, for each format.
type Part struct {
	split   string
	groups  int
	wrong   []int // of each group that is exported
	chunks  []chunk
	leftOut []map[string]int
	lengths []dataset.TokenCounts
	frames  [][]byte // the chunks, compressed
}

const laterStage = "of a later stage"

// Convert makes a part of rows of one split. It may be called on any goroutine.
func (x *Exporter) Convert(split string, rows []dataset.Row) (*Part, error) {
	p := &Part{split: split, groups: len(rows), frames: make([][]byte, len(x.Formats))}
	var groups []*Group
	for i := range rows {
		if row := &rows[i]; row.Stage <= x.Stage {
			g := &Group{row, x.Pairs.pick(row.Negatives), x.lexicon}
			groups, p.wrong = append(groups, g), append(p.wrong, len(g.Wrong))
		}
	}
	lengths, err := x.lengths(groups, x.Formats)
	if err != nil {
		return nil, err
	}
	for i, f := range x.Formats {
		c, leftOut := f.table.newChunk(f.encodedAs(x.Encoding)), map[string]int{}
		if later := len(rows) - len(groups); later > 0 {
			leftOut[laterStage] = later
		}
		counted := dataset.TokenCounts{}
		for k, g := range groups {
			if x.Most > 0 && lengths[k][f.length()] > x.Most {
				leftOut[x.tooLong()]++
				continue
			}
			why, err := f.table.convert(g, c)
			if err != nil {
				return nil, fmt.Errorf("row %q as %s: %w", g.ID, f.Name, err)
			}
			switch {
			case why != "":
				leftOut[why]++
			case x.Tokenizer != nil:
				counted.Add(lengths[k][f.length()])
			}
		}
		p.chunks, p.leftOut, p.lengths = append(p.chunks, c), append(p.leftOut, leftOut), append(p.lengths, counted)
		if f.encodedAs(x.Encoding) == JSONLZs && c.rows() > 0 {
			p.frames[i] = compressor.EncodeAll(c.text(), nil)
		}
	}
	return p, nil
}
