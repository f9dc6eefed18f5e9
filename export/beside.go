package export

import (
	"bytes"
	"embed"
	"io/fs"
	"maps"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/fmsop/fmsop/dataset"
)

//go:embed beside
var besideFiles embed.FS

// reward asks fmsop check; it stands beside formats that are trained by it.
//
//go:embed reward.py
var reward []byte

// beside is what the files that stand beside the rows are rendered with:
// those of beside/FORMAT, and the card.
type beside struct {
	Name     string // of the format
	Command  string // that trains, in the folder
	Settings []string

	Title     string
	Generator string
	Seed      uint64
	Stage     int
	Pairs     string
	HasWrong  bool
	LeftOut   []leftOut

	Splits            []splitFile
	Train, Validation string // files; empty where there are no rows
	Kind              string // json or parquet, as loaders name it
	Compressed        bool

	Longest       int    // characters that a prompt with an answer may have
	WrongPerRight string // answers
	MostWrong     int    // of a group
}

type splitFile struct {
	Split, File string
	Rows        int
}

type leftOut struct {
	Reason string
	Count  int
}

// Datasets are the training and validation files under the names that
// LLaMA-Factory's settings have for them.
func (b beside) Datasets() (list []struct{ Name, File string }) {
	for _, d := range []struct{ Name, File string }{{"fmsop", b.Train}, {"fmsop_validation", b.Validation}} {
		if d.File != "" {
			list = append(list, d)
		}
	}
	return list
}

// render returns the files that stand beside the rows of a format.
func (f Format) render(b beside) (map[string][]byte, error) {
	files := map[string][]byte{}
	folder := path.Join("beside", f.Name)
	names, err := fs.ReadDir(besideFiles, folder)
	if err != nil {
		return nil, err
	}
	for _, n := range names {
		b.Settings = append(b.Settings, n.Name())
		if files[n.Name()], err = execute(path.Join(folder, n.Name()), b); err != nil {
			return nil, err
		}
	}
	if f.reward {
		files["reward.py"] = reward
		b.Settings = append(b.Settings, "reward.py")
	}
	files["README.md"], err = execute("beside/README.md.tmpl", b)
	return files, err
}

func execute(name string, b beside) ([]byte, error) {
	t, err := template.New(path.Base(name)).Option("missingkey=error").ParseFS(besideFiles, name, "beside/common.tmpl")
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := t.Execute(&out, b); err != nil {
		return nil, err
	}
	return append(bytes.TrimSpace(out.Bytes()), '\n'), nil
}

// beside describes what was made in a format.
func (w *Writer) beside(f Format, made Exported) beside {
	l := w.x.manifest.Lengths
	b := beside{
		Name: f.Name, Command: f.command, Title: f.Title, Generator: w.x.manifest.Generator, Seed: w.x.manifest.Seed, Stage: w.x.Stage,
		Pairs: w.x.Pairs.String(), HasWrong: f.wrong, Kind: "json", MostWrong: w.mostWrong,
		Compressed: f.encodedAs(w.x.Encoding) == JSONLZs,
		Longest:    l.Context.Max + l.Query.Max + max(l.Positive.Max, l.Negative.Max),
	}
	if f.encodedAs(w.x.Encoding) == Parquet {
		b.Kind = "parquet"
	}
	for _, split := range []string{dataset.Train, dataset.Validation, dataset.Test, dataset.Unreviewed} {
		for name, file := range made.Files {
			if strings.HasPrefix(name, split+".") {
				b.Splits = append(b.Splits, splitFile{split, name, file.Rows})
			}
		}
	}
	for _, s := range b.Splits {
		switch s.Split {
		case dataset.Train:
			b.Train = s.File
		case dataset.Validation:
			b.Validation = s.File
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(made.LeftOut)) {
		b.LeftOut = append(b.LeftOut, leftOut{reason, made.LeftOut[reason]})
	}
	ratio := 1.0
	if w.right > 0 {
		ratio = math.Round(float64(w.wrong)/float64(w.right)*100) / 100
	}
	if b.WrongPerRight = strconv.FormatFloat(ratio, 'f', -1, 64); !strings.Contains(b.WrongPerRight, ".") {
		b.WrongPerRight += ".0"
	}
	return b
}
