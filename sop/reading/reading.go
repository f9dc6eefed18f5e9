// Package reading reads a procedure out of a document, without a model: what
// the text says in one of the forms that it knows, and nothing else. Each
// [Reading] quotes its sentence, tells where it stands and whether it is
// certain; an uncertain one says why, for a person to decide. [Read] makes
// readings of a document, [Build] a domain of readings.
//
// A procedure's steps follow each other as they stand. A decision leads to
// acts of its own, to an end, to another section, or on. From this follow what
// each call requires and when each outcome is due: a call requires that a step
// which leads to it is done and what the decisions on the way say.
package reading

import (
	"fmt"
	"path"
	"strings"
)

// Kind tells what was read.
type Kind string

// The kinds of readings.
const (
	Definition Kind = "definition" // a term and what it means
	Outcome    Kind = "outcome"    // a status in which cases end
	Step       Kind = "step"       // something to do
	Decision   Kind = "decision"   // a condition and what follows from it
	Limit      Kind = "threshold"  // a number with its unit
	Tool       Kind = "tool"       // a call of the tool list
	Remark     Kind = "unmodelled" // a sentence that says what the model cannot
)

// Verdict is what a person said about a reading.
type Verdict string

// Verdicts; the empty one is that nobody has said anything yet.
const (
	Accepted Verdict = "accepted"
	Rejected Verdict = "rejected"
)

// Reading is one thing that was read.
type Reading struct {
	Kind    Kind    `yaml:"kind" json:"kind"`
	Source  string  `yaml:"source" json:"source"` // file:line
	Quote   string  `yaml:"quote" json:"quote"`   // the sentence
	Certain bool    `yaml:"certain" json:"certain"`
	Why     string  `yaml:"why" json:"why,omitempty"` // it is not
	Verdict Verdict `yaml:"verdict" json:"verdict,omitempty"`
	By      string  `yaml:"by" json:"by,omitempty"` // the model that proposed it, empty for rules
	// Instead says that rules read the same otherwise, without certainty: the
	// proposal is used in their place once it is accepted.
	Instead bool `yaml:"instead" json:"instead,omitempty"`

	Section string `yaml:"section" json:"section,omitempty"` // its number, or its title where it has none
	// Name is the term, the action, the condition, the outcome or the value.
	Name     string   `yaml:"name" json:"name,omitempty"`
	Text     string   `yaml:"text" json:"text,omitempty"` // its wording; of a term the definition
	Synonyms []string `yaml:"synonyms" json:"synonyms,omitempty"`

	// Of a decision: the condition Name holds where Holds, else it does not.
	// As says that it has no condition of its own: "else" takes up the cases that
	// the decision before left, "so" those that it took, "always" all.
	As    string `yaml:"as" json:"as,omitempty"`
	Holds bool   `yaml:"holds" json:"holds,omitempty"`
	// Parts are the conditions of all or any of which the condition consists.
	Op    string   `yaml:"op" json:"op,omitempty"`
	Parts []string `yaml:"parts" json:"parts,omitempty"`
	// Of is the variable that the condition gives a value: it has one at a time.
	Of   string `yaml:"of" json:"of,omitempty"`
	Then []Act  `yaml:"then" json:"then,omitempty"`
	Else []Act  `yaml:"else" json:"else,omitempty"`

	// Under are the decisions below which it stands, outermost first: it is for the
	// cases in which all of them are so.
	Under []Premise `yaml:"under" json:"under,omitempty"`

	// Of a threshold, and of a decision by one.
	Compare string  `yaml:"compare" json:"compare,omitempty"` // <, <=, > or >=
	Number  float64 `yaml:"number" json:"number,omitempty"`
	Unit    string  `yaml:"unit" json:"unit,omitempty"`

	// Of a tool, and of a step that one does: its parameters with examples.
	Tool       string              `yaml:"tool" json:"tool,omitempty"`
	Parameters map[string][]string `yaml:"parameters" json:"parameters,omitempty"`

	sentence int // of those that begin on the line, from 1
}

// Premise is a condition and whether it holds.
type Premise struct {
	Condition string `yaml:"condition" json:"condition"`
	Holds     bool   `yaml:"holds" json:"holds"`
}

// Act is what a decision leads to.
type Act struct {
	Do   string `yaml:"do" json:"do,omitempty"`     // the name of an action
	Text string `yaml:"text" json:"text,omitempty"` // the wording of it
	End  string `yaml:"end" json:"end,omitempty"`   // the outcome in which the case ends
	Go   string `yaml:"go" json:"go,omitempty"`     // the section to go on with
}

// Key tells a reading from the others of its pack, wherever it stands: file,
// kind, who proposed it and sentence, without case and blanks.
func (r *Reading) Key() string {
	return strings.Join([]string{path.Base(r.file()), string(r.Kind), r.By, r.Name, strings.ToLower(oneLine(r.Quote))}, "\x00")
}

func (r *Reading) file() string {
	file, _, _ := strings.Cut(r.Source, ":")
	return file
}

// Open tells that a person has to decide about the reading.
func (r *Reading) Open() bool { return !r.Certain && r.Verdict == "" }

// Used tells that a pack is built with the reading.
func (r *Reading) Used() bool {
	return r.Verdict != Rejected && (!r.Instead || r.Verdict == Accepted)
}

// String shows what was read, in one line.
func (r *Reading) String() string {
	switch r.Kind {
	case Definition, Outcome:
		return fmt.Sprintf("%s: %s", strings.ReplaceAll(r.Name, "_", " "), r.Text)
	case Step:
		if r.Tool != "" {
			return fmt.Sprintf("call %s: %s", r.Name, r.Text)
		}
		return "do: " + r.Text
	case Decision:
		return "if " + r.condition() + ": " + acts(r.Then) + r.otherwise()
	case Limit:
		return strings.TrimSpace(fmt.Sprintf("%s %s %s %s", r.Text, r.Compare, number(r.Number), r.Unit))
	}
	return r.Text
}

func (r *Reading) condition() string {
	switch {
	case r.As == "else":
		return "not"
	case r.As == "so" || r.As == "always":
		return r.As
	case len(r.Parts) > 0:
		return fmt.Sprintf("%s of (%s)", r.Op, strings.Join(r.Parts, "; "))
	case !r.Holds:
		return "it is not so that " + r.Text
	}
	return r.Text
}

func (r *Reading) otherwise() string {
	if len(r.Else) == 0 {
		return ""
	}
	return "; otherwise: " + acts(r.Else)
}

func acts(list []Act) string {
	said := make([]string, len(list))
	for i, a := range list {
		switch {
		case a.End != "":
			said[i] = "end with " + a.End
		case a.Go != "":
			said[i] = "go on with " + a.Go
		default:
			said[i] = a.Text
		}
	}
	if len(said) == 0 {
		return "go on"
	}
	return strings.Join(said, ", then ")
}
