package reading

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Refusal is a reading that was proposed and not taken.
type Refusal struct {
	Reading *Reading
	Reason  string // one of a few
	Detail  string
}

// Why a proposal is not taken.
const (
	refusedAstray     = "the quote does not stand in the document"
	refusedOutside    = "the quote stands outside the procedure"
	refusedUnsaid     = "the quote does not say so"
	refusedIncomplete = "a part is missing"
	refusedNowhere    = "it leads to what is not there"
	refusedRead       = "read by rules already, with certainty"
	refusedAgrees     = "an uncertain reading says the same"
	refusedTwice      = "proposed twice"
	refusedTool       = "no tool of the list does it"
	refusedFlow       = "the procedure cannot be built with it"
)

// minQuote is the least number of words of a quote: fewer stand everywhere.
const minQuote = 3

// refusal is a reason with its detail, as an error.
type refusal struct{ reason, detail string }

func (r *refusal) Error() string { return r.reason + ": " + r.detail }

func refuse(reason, format string, args ...any) error {
	return &refusal{reason, fmt.Sprintf(format, args...)}
}

// Propose adds readings that By proposes to those that were read by rules. Of
// each it takes the kind, the quote and what is said of that kind; place and
// names follow from the document. A proposal quotes a sentence word for word,
// says nothing that the sentence does not, and is never certain. One for a
// sentence that rules have read in another way, and are not certain of, is not
// used until it is accepted. What is not taken is returned, in order.
func (r *Result) Propose(list []*Reading) (refused []Refusal) {
	for _, x := range list {
		if err := r.place(x); err != nil {
			why := err.(*refusal)
			refused = append(refused, Refusal{x, why.reason, why.detail})
		}
	}
	return refused
}

// Proposals returns copies of what was proposed for a file, to propose it again
// for another version of it.
func (f *File) Proposals(file string) (list []*Reading) {
	for _, r := range f.Documents {
		for _, x := range r.Readings {
			if r.File == file && x.By != "" {
				again := *x
				list = append(list, &again)
			}
		}
	}
	return list
}

func (r *Result) place(x *Reading) error {
	s, err := r.quoted(x)
	if err != nil {
		return err
	}
	x.Source, x.Quote, x.sentence = r.source(s.sentence), s.text, s.ordinal
	x.Section, x.Certain, x.Instead, x.Why = s.section, false, false, ""
	x.doubt("%s proposes it", x.By)
	if (x.Kind == Step || x.Kind == Decision) && s.place == 0 {
		return refuse(refusedOutside, "%s", x.Source)
	}
	if err := r.checked(x); err != nil {
		return err
	}
	for _, y := range r.Readings {
		if !sameSubject(x, y) {
			continue
		}
		same := x.Kind == y.Kind && strings.EqualFold(x.String(), y.String())
		switch {
		case y.By != "" && same:
			return refuse(refusedTwice, "%s", x)
		case y.By != "" || y.Kind == Remark || y.Kind == Tool:
		case y.Certain:
			return refuse(refusedRead, "%s", y)
		case same:
			y.doubt("%s reads it the same way", x.By)
			return refuse(refusedAgrees, "%s", y)
		default:
			x.Instead = true
			x.doubt("rules read it otherwise: %s", y)
		}
	}
	return r.insert(x, s.place)
}

// sameSubject tells that two readings are of the same thing: of what goes on in
// a sentence, of a term, of an outcome, of a number in a sentence.
func sameSubject(x, y *Reading) bool {
	sentence := x.Source == y.Source && x.Quote == y.Quote
	switch x.Kind {
	case Step, Decision, Remark:
		return sentence && (y.Kind == Step || y.Kind == Decision || y.Kind == Remark) || x.Tool != "" && y.Kind == Tool && x.Tool == y.Name
	case Definition, Outcome:
		return x.Kind == y.Kind && x.Name == y.Name
	case Limit:
		return sentence && (y.Kind == Limit || y.Compare != "") && x.Number == y.Number
	}
	return false
}

// rivals tells that of two readings one at most is right: what somebody
// proposes, and what rules have read of the same or could not read.
func rivals(x, y *Reading) bool {
	if x.By == "" {
		x, y = y, x
	}
	return x.By != "" && y.By == "" && sameSubject(x, y) && (x.Instead || y.Kind == Remark || y.Kind == Tool)
}

// Decide records what a person says of a reading. What is accepted takes the
// place of its rivals, which are returned; where it is rejected after all, they
// are open again.
func (f *File) Decide(x *Reading, v Verdict) (settled []*Reading) {
	was := x.Verdict
	x.Verdict = v
	for _, r := range f.Documents {
		if !slices.Contains(r.Readings, x) {
			continue
		}
		for _, y := range r.Readings {
			switch {
			case y == x || !rivals(x, y):
			case v == Accepted:
				y.Verdict = Rejected
				settled = append(settled, y)
			case was == Accepted:
				y.Verdict = ""
			}
		}
	}
	return settled
}

// checked completes what is said of the kind, and wants the sentence to say it.
func (r *Result) checked(x *Reading) error {
	x.Text = clean(x.Text)
	switch x.Kind {
	case Definition:
		x.Name, x.Text = strings.ToLower(clean(x.Name)), x.Text+"."
		return unsaid(x, "what it means", x.Text, "term", x.Name)
	case Outcome:
		x.Name = statusName(x.Name)
		return unsaid(x, "status", x.Name)
	case Limit:
		x.Name = slug(x.Text)
		if !slices.ContainsFunc(figure.FindAllString(x.Quote, -1), func(w string) bool { return parseNumber(w) == x.Number }) {
			return refuse(refusedUnsaid, "%s is not in “%s”", number(x.Number), short(x.Quote))
		}
		return unsaid(x, "what it limits", x.Text)
	case Step:
		x.Text, x.Name = lowerFirst(x.Text), r.unused(slug(x.Text))
		if err := unsaid(x, "what to do", x.Text); err != nil || len(r.tools) == 0 {
			return err
		}
		return r.byTool(x)
	case Decision:
		x.Text, x.Name, x.Holds, x.Op, x.Parts = lowerFirst(x.Text), conditionName(x.Text), true, "", nil
		if err := unsaid(x, "condition", x.Text); err != nil {
			return err
		}
		if len(x.Then)+len(x.Else) == 0 {
			return refuse(refusedIncomplete, "nothing follows from “%s”", x.Text)
		}
		x.part()
		for _, list := range [][]Act{x.Then, x.Else} {
			for i := range list {
				if err := r.checkedAct(x, &list[i]); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return refuse(refusedIncomplete, "the kind is %q", x.Kind)
}

// figure is a number in digits or in words.
var figure = regexp.MustCompile(`(?i)\d[\d,]*(?:\.\d+)?|\b(?:` + strings.Join(numerals, "|") + `)\b`)

// unsaid refuses texts, each after what it is, of whose words most are not in
// the sentence.
func unsaid(x *Reading, texts ...string) error {
	said := stems(x.Quote)
	for i := 0; i < len(texts); i += 2 {
		have := 0
		want := stems(texts[i+1])
		for w := range want {
			if said[w] {
				have++
			}
		}
		switch {
		case len(want) == 0:
			return refuse(refusedIncomplete, "%s, of “%s”", texts[i], short(x.Quote))
		case 2*have < len(want):
			return refuse(refusedUnsaid, "“%s” is not in “%s”", texts[i+1], short(x.Quote))
		}
	}
	return nil
}

func (r *Result) checkedAct(x *Reading, a *Act) error {
	switch {
	case a.End != "":
		a.End = statusName(a.End)
		named := func(y *Reading) bool { return y.Kind == Outcome && y.Name == a.End }
		plain := func(e endForm) bool { return e.end == a.End }
		if slices.ContainsFunc(r.Readings, named) || slices.ContainsFunc(endsBy, plain) {
			return nil
		}
		return unsaid(x, "outcome", a.End)
	case a.Go != "":
		at, of := r.outline.index(a.Go), r.outline.index(x.Section)
		if at < 0 && a.Go != goNext {
			return refuse(refusedNowhere, "section %q", a.Go)
		}
		if a.Go != goNext && at <= of {
			return refuse(refusedFlow, "it goes back to section %s: goto and loops are not yet modelled", a.Go)
		}
		return nil
	}
	a.Text = lowerFirst(clean(a.Text))
	if a.Do = slug(a.Text); len(r.tools) > 0 {
		return refuse(refusedTool, "“%s”", a.Text)
	}
	return unsaid(x, "what to do", a.Text)
}

// byTool gives a step its tool: where there is a list, only that can be called.
func (r *Result) byTool(x *Reading) error {
	i := slices.IndexFunc(r.tools, func(t ToolSpec) bool { return t.Name == x.Tool })
	if i < 0 || slices.ContainsFunc(r.Readings, func(y *Reading) bool { return y.Kind == Step && y.Tool == x.Tool }) {
		return refuse(refusedTool, "%q for “%s”", x.Tool, x.Text)
	}
	x.Name, x.Parameters = x.Tool, r.tools[i].Parameters
	return nil
}

// unused keeps the names of steps apart.
func (r *Result) unused(name string) string {
	return (&reader{readings: r.Readings}).unused(name)
}

// insert puts the proposal where its sentence stands, if the procedure holds
// together with it.
func (r *Result) insert(x *Reading, place int) error {
	at := len(r.Readings)
	if x.Kind == Step || x.Kind == Decision {
		for i, y := range r.Readings {
			if (y.Kind == Step || y.Kind == Decision) && r.outline.placeOf(y) > place {
				at = i
				break
			}
		}
		if at < len(r.Readings) && (r.Readings[at].As == "else" || r.Readings[at].As == "so") {
			return refuse(refusedFlow, "it would part “%s” from its condition", short(r.Readings[at].Quote))
		}
	}
	with := slices.Insert(slices.Clone(r.Readings), at, x)
	if x.Verdict != Rejected {
		if err := r.holds(x, with); err != nil {
			return err
		}
	}
	r.Readings = with
	return nil
}

// holds tries the procedure with the proposal taken, and its rivals not.
func (r *Result) holds(x *Reading, with []*Reading) error {
	trial := slices.DeleteFunc(slices.Clone(with), func(y *Reading) bool { return rivals(x, y) })
	taken := *x
	taken.Verdict = Accepted
	trial[slices.Index(trial, x)] = &taken
	before, after := newFlow(r.Readings).stray, newFlow(trial).stray
	for _, y := range after {
		if y == &taken {
			return refuse(refusedFlow, "no case comes to “%s”", short(x.Quote))
		}
		if !slices.Contains(before, y) {
			return refuse(refusedFlow, "no case would come to “%s”", short(y.Quote))
		}
	}
	if _, err := Build("trial", []*Result{r}); err != nil {
		return nil // it is none without the proposal either
	}
	if _, err := Build("trial", []*Result{{File: r.File, Title: r.Title, Readings: trial}}); err != nil {
		return refuse(refusedFlow, "%v", err)
	}
	return nil
}
