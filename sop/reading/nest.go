package reading

import (
	"regexp"
	"strings"
)

// block is what is nested below a sentence: in which cases, and what is doubtful
// about that.
type block struct {
	under []Premise
	doubt string
}

var (
	bareElse = regexp.MustCompile(`(?i)^(?:otherwise|else|if not|in all other cases|in every other case)\s*[:,.]?\s*$`)
	// theFollowing leads to a list of acts and is none.
	theFollowing = regexp.MustCompile(`(?i)^(?:then )?(?:you must |please )?(?:do|perform|complete|carry out|take|follow|execute)? ?(?:each of |all of )?(?:the )?(?:following|these|as follows)(?: (?:steps?|actions?|tasks?|checks?|in (?:this )?order)){0,2}\s*[:.]?$`)
)

// nested reads a sentence for the cases in which what it is nested below is so.
func (r *reader) nested(s sentence) {
	outer := block{}
	if s.below != nil {
		outer = r.blocks[*s.below]
	}
	r.under = outer.under
	n := len(r.readings)
	r.sentence(s)
	for _, x := range r.readings[n:] {
		if outer.doubt != "" && (x.Kind == Step || x.Kind == Decision) {
			x.doubt("%s", outer.doubt)
		}
	}
	if len(s.parts) > 0 {
		r.blocks[spot{s.line, s.text}] = r.opens(s, r.readings[n:], outer)
	}
}

// opens tells for which cases is what is nested below a sentence of which was
// read what is given.
func (r *reader) opens(s sentence, read []*Reading, outer block) block {
	for i := len(read) - 1; i >= 0; i-- {
		x := read[i]
		if x.Kind != Decision {
			continue
		}
		switch {
		case x.Name == "":
			outer.doubt = "it stands below “" + short(s.text) + "”, and in which cases that is so was not read"
		case len(x.Else) > 0:
			outer.doubt = "it stands below a decision that says what to do in either case"
		default:
			outer.under = append(outer.under[:len(outer.under):len(outer.under)], Premise{x.Name, x.Holds})
		}
		return outer
	}
	if conditionalWord.MatchString(s.text) || strings.HasPrefix(strings.ToLower(s.text), "when ") {
		outer.doubt = "it stands below “" + short(s.text) + "”, which was not read"
	}
	return outer
}

// contrary makes "otherwise" the contrary of the decision before it where acts
// are nested below either.
func (r *reader) contrary(x *Reading, s sentence) {
	for i := len(r.readings) - 1; i >= 0; i-- {
		y := r.readings[i]
		if y == x || y.Kind != Decision || len(y.Under) != len(x.Under) {
			continue
		}
		if y.Name != "" && len(y.Else) == 0 && (len(s.parts) > 0 || r.leads(y)) {
			x.As, x.Name, x.Text, x.Holds = "", y.Name, y.Text, !y.Holds
			x.Op, x.Parts, x.Compare, x.Number, x.Unit = y.Op, y.Parts, y.Compare, y.Number, y.Unit
			if !y.Certain {
				x.doubt("the condition before it is not certain")
			}
		}
		return
	}
}

// leads tells that something is nested below the decision.
func (r *reader) leads(y *Reading) bool {
	for at := range r.blocks {
		if at.text == y.Quote && strings.HasSuffix(y.Source, ":"+number(float64(at.line))) {
			return true
		}
	}
	return false
}
