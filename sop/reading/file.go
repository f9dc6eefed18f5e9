package reading

import (
	"fmt"
	"slices"

	"github.com/goccy/go-yaml"
)

// FileName is where a pack keeps its readings, beside domain.yaml.
const FileName = "readings.yaml"

// File is that file: all readings of a pack, with what a person said of them.
type File struct {
	Documents []*Result `yaml:"documents" json:"documents"`
}

// ParseFile reads it. The error is one line.
func ParseFile(text []byte) (*File, error) {
	var f File
	if err := yaml.UnmarshalWithOptions(text, &f, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("%s: %s", FileName, oneLine(yaml.FormatError(err, false, false)))
	}
	for _, r := range f.Documents {
		for i, x := range r.Readings {
			if x == nil {
				return nil, fmt.Errorf("%s: reading %d of %s is empty", FileName, i, r.File)
			}
			if x.Verdict != "" && x.Verdict != Accepted && x.Verdict != Rejected {
				return nil, fmt.Errorf("%s: the verdict on %s is %q, want accepted, rejected or nothing", FileName, x.Source, x.Verdict)
			}
		}
	}
	return &f, nil
}

// Open returns the readings that a person has to decide about, in order.
func (f *File) Open() []*Reading {
	return slices.DeleteFunc(f.Doubtful(), func(x *Reading) bool { return !x.Open() })
}

// Doubtful returns the readings that are not certain, decided or not.
func (f *File) Doubtful() (list []*Reading) {
	for _, r := range f.Documents {
		for _, x := range r.Readings {
			if !x.Certain && x.Kind != Remark && x.Kind != Tool {
				list = append(list, x)
			}
		}
	}
	return list
}
