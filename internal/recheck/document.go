package recheck

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// document is what the text of a procedure says.
type document struct {
	rules
	measures map[string]string // condition to its comparison
	worded   map[string]string // and to the words for it
	units    map[string]string // value to its unit
	says     map[string][]gloss
	style    string

	demands []*tree         // the requirements of the request
	ruled   bool            // a list of calls says that the goal takes them
	decided map[string]bool // ends that decision points name
}

// gloss is words that stand beside a name and say what it is.
type gloss struct {
	kind  string // fact, call or quantity
	not   bool
	words string
}

func newDocument() *document {
	return &document{
		rules: rules{
			requires: map[string]*tree{}, established: map[string]*tree{}, depends: map[string]*tree{},
			effects: map[string]map[string]bool{},
		},
		measures: map[string]string{}, worded: map[string]string{}, units: map[string]string{}, says: map[string][]gloss{}, decided: map[string]bool{},
	}
}

// readDocument reads the text of a procedure in any style. Every line under a heading, but that of the purpose, has to be
// understood.
func readDocument(text string) (*document, error) {
	d := newDocument()
	var err error
	switch {
	case strings.Contains(text, "\n```"):
		d.style = "pseudocode"
		err = d.listing(text)
	case strings.Contains(text, "\n|"):
		d.style = "table"
		err = d.tables(text)
	default:
		d.style = "sentences"
		for _, s := range sections(text) {
			if err == nil && !s.free() {
				err = d.statements(s.items)
			}
		}
	}
	if err == nil {
		err = d.finish()
	}
	return d, err
}

func (d *document) gloss(name, kind string, not bool, words string) {
	g := gloss{kind, not, strings.TrimSpace(words)}
	if g.words != "" && !slices.Contains(d.says[name], g) {
		d.says[name] = append(d.says[name], g)
	}
}

// finish puts the demands in their place and looks for what is missing.
func (d *document) finish() error {
	if d.goal == "" {
		return fmt.Errorf("the text names no goal")
	}
	if len(d.outcomes) != 2 || d.outcomes[0].end != d.goal || d.outcomes[1].end != "deny" {
		return fmt.Errorf("the text ends with %v, want %q and deny", d.outcomes, d.goal)
	}
	for end := range d.decided {
		if end != "deny" {
			return fmt.Errorf("a decision point ends with %q, want deny", end)
		}
	}
	if listed := d.style != "sentences"; listed != d.ruled {
		return fmt.Errorf("the list of calls says of the goal %v that it takes the rules, want %v", d.ruled, listed)
	}
	if _, twice := d.requires[d.goal]; twice {
		return fmt.Errorf("the goal %q has a requirement of its own", d.goal)
	}
	d.requires[d.goal] = nil
	if len(d.demands) > 0 {
		d.requires[d.goal] = treeOf(kindAll, d.demands...).canonical()
	}
	d.outcomes[0].tree = d.requires[d.goal]
	related := slices.Concat(sortedKeys(d.depends), sortedKeys(d.measures), slices.Concat(d.excludes...))
	for _, t := range d.depends {
		t.eachLeaf(func(name string) { related = append(related, name) })
	}
	for _, name := range related {
		if d.established[name] == nil {
			return fmt.Errorf("the text relates %q, but never says how it becomes known", name)
		}
	}
	for name, formula := range d.measures {
		for _, value := range formulaNames(formula) {
			if _, told := d.units[value]; !told {
				return fmt.Errorf("the text never says what %q in the measure of %q is", value, name)
			}
		}
	}
	for _, call := range sortedKeys(d.effects) {
		for _, name := range sortedKeys(d.effects[call]) {
			if d.established[name] == nil {
				return fmt.Errorf("%q changes %q, which never becomes known", call, name)
			}
		}
	}
	return d.closed()
}

// put says a thing once.
func put[V any](m map[string]V, name string, value V) error {
	if _, twice := m[name]; twice {
		return fmt.Errorf("%q is said of %q a second time", fmt.Sprint(value), name)
	}
	m[name] = value
	return nil
}

// item is a line with those that are indented below it.
type item struct {
	number int
	indent int
	text   string // without bullets
	kids   []*item
}

type section struct {
	heading string
	items   []*item
}

var (
	bullets        = regexp.MustCompile(`^(?:- \[ \] |- |R?\d+(?:\.\d+)*\.? )`)
	headingNumber  = regexp.MustCompile(`^\d+\. `)
	purposeHeading = []string{"", "Purpose", "Background", "Why this procedure exists"}
)

func (s *section) free() bool { return slices.Contains(purposeHeading, s.heading) }

// sections cuts a text at its headings and nests its lines by their indentation. Above the first heading stands the title.
func sections(text string) []*section {
	now := &section{}
	all := []*section{now}
	var open []*item
	number := 0
	for line := range strings.SplitSeq(text, "\n") {
		number++
		body := strings.TrimLeft(line, " ")
		if body == "" {
			continue
		}
		if heading, is := strings.CutPrefix(body, "## "); is {
			now = &section{heading: headingNumber.ReplaceAllString(heading, "")}
			all, open = append(all, now), nil
			continue
		}
		it := &item{number: number, indent: len(line) - len(body), text: strings.TrimRight(body, " ")}
		if cut := bullets.FindString(it.text); cut != "" {
			it.text = it.text[len(cut):]
		}
		for len(open) > 0 && open[len(open)-1].indent >= it.indent {
			open = open[:len(open)-1]
		}
		if len(open) == 0 {
			now.items = append(now.items, it)
		} else {
			above := open[len(open)-1]
			above.kids = append(above.kids, it)
		}
		open = append(open, it)
	}
	return all
}

// statements reads lines of sentences, and the lines below them where no list took them.
func (d *document) statements(items []*item) error {
	for _, it := range items {
		taken := false
		for rest := it.text; rest != ""; {
			after, below, err := d.sentence(it, rest)
			if err != nil {
				return fmt.Errorf("line %d: %w", it.number, err)
			}
			rest, taken = strings.TrimLeft(after, " "), taken || below
		}
		if !taken {
			if err := d.statements(it.kids); err != nil {
				return err
			}
		}
	}
	return nil
}
