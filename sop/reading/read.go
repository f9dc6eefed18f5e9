package reading

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/fmsop/fmsop/sop/document"
)

// Result is what was read of a document.
type Result struct {
	File     string     `yaml:"file" json:"file"`
	Title    string     `yaml:"title" json:"title"`
	Readings []*Reading `yaml:"readings" json:"readings"`
	// Skipped are sections that are no part of the procedure and yet decide
	// something, tell somebody what to do, or have a table.
	Skipped []Skipped `yaml:"skipped,omitempty" json:"skipped,omitempty"`

	outline *outline // where the document was read just now, not in a pack
	tools   []ToolSpec
}

// Skipped is a section that was not read.
type Skipped struct {
	Source string `yaml:"source" json:"source"` // file:line of its title
	Title  string `yaml:"title" json:"title"`
}

type reader struct {
	file     string
	outline  *outline
	section  *section
	readings []*Reading
	labels   []string // outcomes that the document names
	missing  []string // sections that it refers to and does not have

	blocks map[spot]block // by the sentence that leads what is nested below it
	under  []Premise      // of the sentence that is being read
}

// Read reads the procedure that a document describes. The error is one line
// and says what is missing where there is too little to read.
func Read(d *document.Document, tools []ToolSpec) (*Result, error) {
	r, err := Scan(d, tools)
	if err != nil {
		return nil, err
	}
	if err := r.Enough(); err != nil {
		return nil, err
	}
	return r, nil
}

// Scan reads what there is, however little.
func Scan(d *document.Document, tools []ToolSpec) (*Result, error) {
	o, err := newOutline(d)
	if err != nil {
		if p, ok := err.(*Problem); ok {
			return nil, fmt.Errorf("%s:%d: %s", d.File, p.Line, p.Text)
		}
		return nil, err
	}
	r := &reader{file: d.File, outline: o, blocks: map[spot]block{}}
	r.definitions()
	r.outcomes()
	for _, s := range o.sections {
		r.section = s
		if err := r.readSection(s); err != nil {
			return nil, err
		}
	}
	r.match(tools)
	r.implied()
	result := &Result{File: d.File, Title: titleOf(d.File, o.title), Readings: r.readings, outline: o, tools: tools}
	for _, b := range o.skipped {
		result.Skipped = append(result.Skipped, Skipped{r.file + ":" + strconv.Itoa(b.Line()), clean(b.Text())})
	}
	return result, nil
}

// titleOf is the document's own title, else the file's name, else, where that
// says nothing, the folder's.
func titleOf(file, title string) string {
	if title != "" && !generic[strings.ToLower(title)] {
		return title
	}
	name := strings.TrimSuffix(path.Base(file), path.Ext(file))
	if generic[strings.ToLower(name)] && path.Dir(file) != "." {
		name = path.Base(path.Dir(file))
	}
	return upperFirst(strings.Join(words(name), " "))
}

var generic = wordSet("sop sops readme index document procedure")

// Enough says what is missing where nothing can be built of the readings.
func (r *Result) Enough() error {
	if r.outline == nil {
		return nil
	}
	n := map[Kind]int{}
	for _, x := range r.Readings {
		n[x.Kind]++
	}
	var missing []string
	if n[Step] < 2 {
		missing = append(missing, fmt.Sprintf("%d sentences tell somebody what to do, want at least 2 that begin with a verb (Check …, Open …) or name a duty (must, shall)", n[Step]))
	}
	if n[Decision] == 0 {
		missing = append(missing, "no sentence decides anything, want if, unless, when or otherwise")
	}
	if len(r.outline.sections) == 0 {
		missing = append([]string{"no section holds a procedure"}, missing...)
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("%s: too little to read a procedure of: %s", r.File, strings.Join(missing, "; "))
}

func (r *reader) add(kind Kind, s sentence) *Reading {
	x := &Reading{Kind: kind, Source: r.file + ":" + strconv.Itoa(s.line), Quote: s.text, Certain: true, sentence: s.ordinal}
	if kind == Step || kind == Decision {
		x.Under = r.under
	}
	if r.section != nil {
		x.Section = r.section.id()
	}
	r.readings = append(r.readings, x)
	return x
}

func (x *Reading) doubt(format string, args ...any) {
	x.Certain = false
	if why := fmt.Sprintf(format, args...); !strings.Contains(x.Why, why) {
		x.Why = strings.TrimPrefix(x.Why+"; "+why, "; ")
	}
}

var (
	definedAs = regexp.MustCompile(`^([^:–—]{2,80}?)\s*(?::|\s[–—-])\s+(\S.*)$`)
	shortForm = regexp.MustCompile(`\s*\(([A-Z][A-Za-z/&-]{1,12})\)\s*$`)
	meansThat = regexp.MustCompile(`(?i)^(?:an? |the )?(.{2,60}?) (?:means|refers to|is defined as|denotes)\s+(.*)$`)
)

// definitions reads "Term (ABC): what it means", one an item or a line, and
// tables of two columns.
func (r *reader) definitions() {
	for _, b := range r.outline.defining {
		for _, row := range b.Rows[min(1, len(b.Rows)):] {
			if len(row.Cells) > 1 {
				r.define(sentence{line: row.Line, ordinal: 1, text: row.Cells[0] + ": " + row.Cells[1]}, row.Cells[0], row.Cells[1])
			}
		}
		if b.Kind == document.Table || b.Kind == document.Code || b.Kind == document.Note {
			continue
		}
		if several := slices.DeleteFunc(split(b.Lines), func(s sentence) bool { return !meansThat.MatchString(clean(s.text)) }); len(several) > 1 {
			for _, s := range several {
				m := meansThat.FindStringSubmatch(clean(s.text))
				r.define(s, m[1], m[2])
			}
			continue
		}
		text := oneLine(b.Text())
		s := sentence{line: b.Line(), ordinal: 1, text: text}
		if m := definedAs.FindStringSubmatch(clean(text)); m != nil && len(strings.Fields(m[2])) > 1 {
			r.define(s, m[1], m[2])
		} else if m := meansThat.FindStringSubmatch(clean(text)); m != nil {
			r.define(s, m[1], m[2])
		}
	}
}

func (r *reader) define(s sentence, term, meaning string) {
	term, meaning = strings.Trim(clean(term), `"`), clean(meaning)
	x := r.add(Definition, s)
	if m := shortForm.FindStringSubmatch(term); m != nil {
		x.Synonyms = []string{m[1]}
		term = strings.TrimSpace(shortForm.ReplaceAllString(term, ""))
	}
	x.Name, x.Text = strings.ToLower(term), meaning+"."
	for _, other := range r.readings[:len(r.readings)-1] {
		if other.Kind == Definition && other.Name == x.Name {
			x.doubt("the term is defined twice, here and at %s", other.Source)
		}
	}
}

// maxReadings bounds a document; one procedure has some dozens.
const maxReadings = 2000

// readSection reads the sentences of a section, then its tables.
func (r *reader) readSection(s *section) error {
	for _, x := range s.sentences {
		r.nested(x)
		if len(r.readings) > maxReadings {
			return fmt.Errorf("%s:%d: more than %d readings so far, want one procedure a document", r.file, x.line, maxReadings)
		}
	}
	for _, t := range s.tables {
		r.cases(t)
	}
	if len(r.missing) > 0 {
		return fmt.Errorf("%s:%d: it refers to step %s, which is not there", r.file, s.line, r.missing[0])
	}
	return nil
}

var fields = regexp.MustCompile(`(?i)^(?:inputs?|outputs?|owner|responsible|duration|role|note|notes|example|references?|time|frequency|goal|purpose)\s*:`)

func (r *reader) sentence(s sentence) {
	text := strings.TrimSpace(strings.ReplaceAll(s.text, "*", ""))
	if fields.MatchString(text) {
		return
	}
	if listLead.MatchString(text) && len(s.parts) > 0 {
		if d, ok := decide(text); !ok || d.as != "" || listWords.MatchString(d.clause) || !listWords.MatchString(d.then) {
			r.listed(s, text)
			return
		}
		n := len(r.readings)
		if d, _ := decide(text); r.decision(s, d) {
			for _, x := range r.readings[n:] {
				if x.Kind == Decision {
					x.doubt("the list below it is not read: it is of what is done, and not of conditions")
				}
			}
		}
		return
	}
	if lead, list := statusCases(text); list != nil {
		r.statuses(s, lead, list)
		r.limits(s)
		return
	}
	d, ok := decide(text)
	if bareElse.MatchString(text) && len(s.parts) > 0 {
		d, ok = decision{as: "else", certain: true}, true
	}
	if ok && r.decision(s, d) {
		return
	}
	act, ok := instruction(text)
	if !ok {
		r.limits(s)
		if conditionalWord.MatchString(text) {
			x := r.add(Remark, s)
			x.Text = "what it makes depend on what could not be read"
			x.doubt("it names a condition in a way that is not known here")
		}
		return
	}
	x := r.add(Step, s)
	x.Text = lowerFirst(clean(act))
	x.Name = r.unused(slug(act))
	r.limits(s)
}

var conditionalWord = regexp.MustCompile(`(?i)\b(?:if|unless|otherwise)\b`)

// unused keeps names of steps apart: the second one gets a number.
func (r *reader) unused(name string) string {
	for n := 1; ; n++ {
		candidate := name
		if n > 1 {
			candidate = fmt.Sprintf("%s_%d", name, n)
		}
		if candidate != "" && !slices.ContainsFunc(r.readings, func(x *Reading) bool { return x.Kind == Step && x.Name == candidate }) {
			return candidate
		}
		if name == "" {
			name = "step"
		}
	}
}

// decision adds the reading of a conditional sentence; false where nothing
// follows from the condition.
func (r *reader) decision(s sentence, d decision) bool {
	if d.lead != "" { // "check that A, else B": the check is a step
		step := r.add(Step, s)
		step.Text, step.Name = lowerFirst(clean(d.lead)), r.unused(slug(d.lead))
		d.then, d.else_, d.not = d.else_, "", true
	}
	if m := hasNot.FindStringSubmatchIndex(d.clause); m != nil && d.as == "" && !andOr.MatchString(d.clause) {
		d.clause, d.not = d.clause[:m[3]]+d.clause[m[1]:], !d.not
	}
	if len(s.parts) > 0 && theFollowing.MatchString(d.then) {
		d.then = ""
	}
	then, sure := []Act(nil), true
	if d.then != "" {
		then, sure = r.consequences(d.then)
	}
	otherwise, sureElse := []Act(nil), true
	if d.else_ != "" {
		otherwise, sureElse = r.consequences(d.else_)
	}
	if len(then) == 0 && len(otherwise) == 0 && !goes(d.then) && !(d.then == "" && len(s.parts) > 0) {
		return false
	}
	x := r.add(Decision, s)
	x.As, x.Holds, x.Then, x.Else = d.as, !d.not, then, otherwise
	if d.as == "" {
		x.Text, x.Name = lowerFirst(d.clause), conditionName(d.clause)
		x.part()
		if !r.sameAsBefore(x) {
			r.skip(x)
		}
	}
	if !d.certain {
		x.doubt("%s", d.why)
	}
	if !sure || !sureElse {
		x.doubt("what follows from it was not fully understood")
	}
	if d.as == "else" {
		r.contrary(x, s)
	}
	if d.as == "so" && !r.follows(x) {
		x.As, x.Text = "", "it is so: "+clean(r.before(x))
		x.Name = slug("so " + x.Text)
	}
	if d.as == "so" {
		x.doubt("what the word “so” stands for is a guess: the condition of the sentence before")
	}
	r.limits(s)
	return true
}

// follows tells that there is a decision in the section that "so" may mean.
func (r *reader) follows(x *Reading) bool {
	return slices.ContainsFunc(r.readings, func(y *Reading) bool { return y != x && y.Kind == Decision && y.Section == x.Section })
}

// before is the sentence before, of those that said something.
func (r *reader) before(x *Reading) string {
	text := r.section.title
	for _, y := range r.readings {
		if y != x && y.Section == x.Section {
			text = y.Quote
		}
	}
	return text
}

// skip guesses where a case goes on for which "if …, go on with section n" does
// not hold, n being the very next one: past it.
func (r *reader) skip(x *Reading) {
	if len(x.Else) > 0 || len(x.Then) == 0 {
		return
	}
	to := x.Then[len(x.Then)-1].Go
	list := r.outline.sections
	i := slices.IndexFunc(list, func(s *section) bool { return s == r.section })
	if i < 0 || i+1 >= len(list) || list[i+1].id() != to {
		return
	}
	x.Else = []Act{{Go: goLast}}
	if i+2 < len(list) {
		x.Else[0].Go = list[i+2].id()
	}
	x.doubt("where a case goes on for which this does not hold is a guess: past section %s", to)
}

func goes(then string) bool {
	text, _ := instruction(then)
	return goesOn.MatchString(clean(text))
}

// part makes a condition that joins clauses a tree over them, and one by a
// number a comparison.
func (x *Reading) part() {
	if conditionalWord.MatchString(x.Text) {
		x.doubt("it has a condition within the condition")
		return
	}
	op, parts := joined(brackets.ReplaceAllString(x.Text, ""))
	switch {
	case len(parts) > 1:
		x.Op, x.Parts = op, parts
		return
	case op != "":
		x.doubt("it may be more than one condition")
	}
	found := findLimits(x.Text)
	if len(found) != 1 || found[0].subject == "" {
		return
	}
	l := found[0]
	x.Compare, x.Number, x.Unit = l.compare, l.number, l.unit
	if negation.MatchString(strings.ToLower(x.Text)) {
		x.Compare = map[string]string{"<": ">=", ">": "<=", "<=": ">", ">=": "<"}[l.compare]
	}
	if !l.whole || ofAnother.MatchString(x.Text) {
		x.doubt("the number may be about a part of the condition only")
	}
}

// ofAnother has its number in what is said of something else: "a receipt is
// missing for an expense of $25 or more".
var ofAnother = regexp.MustCompile(`(?i)\b(?:is|are|was|were|has|have)\b(?: \w+)+? (?:for|with|from|in|on|to) (?:a|an|any|the|each|all|some) .*\d`)

// conditionName keeps the denial that a slug drops.
func conditionName(clause string) string {
	if negation.MatchString(strings.ToLower(clause)) {
		return "no_" + slug(clause)
	}
	return slug(clause)
}

var (
	brackets = regexp.MustCompile(`\s*\([^)]*\)`)
	andOr    = regexp.MustCompile(`(?i),?\s+(and|or)\s+`)
	finite   = regexp.MustCompile(`(?i)\b(?:is|are|was|were|has|have|had|does|do|did|can|cannot|will|exceeds?|fails?|meets?|exists?|shows?|matches|contains?|applies|falls?|needs?|requires?)\b`)
)

// joined takes "A and B" apart where both are clauses with a verb of their
// own. The operator without parts says that there are such words in it and
// that they may join nouns or clauses.
func joined(text string) (op string, parts []string) {
	at := andOr.FindAllStringSubmatchIndex(orMore.ReplaceAllStringFunc(text, func(s string) string { // "5 or more" joins nothing
		return strings.Repeat("x", len(s))
	}), -1)
	start := 0
	for _, m := range at {
		word := map[string]string{"and": "all", "or": "any"}[strings.ToLower(text[m[2]:m[3]])]
		if op != "" && word != op {
			return op, nil
		}
		op = word
		parts = append(parts, strings.TrimSpace(text[start:m[0]]))
		start = m[1]
	}
	parts = append(parts, strings.TrimSpace(text[start:]))
	who := finite.FindStringIndex(parts[0])
	for i, p := range parts {
		at := finite.FindStringIndex(p)
		if at == nil || len(content(p)) == 0 {
			return op, nil
		}
		if i > 0 && at[0] == 0 && who != nil { // it has the subject of the first
			parts[i] = parts[0][:who[0]] + p
		}
	}
	return op, parts
}

var negation = regexp.MustCompile(`\b(?:not|no|never|cannot|without|n't)\b`)
