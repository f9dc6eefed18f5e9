package corpus

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/sop"
)

// Advice is what is sound in a domain and yet makes poor data of it.
type Advice struct {
	Item string // glossary/deposit, procedures/lend_tool
	Text string
}

func (a Advice) String() string { return a.Item + ": " + a.Text }

// Lint looks for what makes poor data: terms without confusables, definitions
// that are nearly the same, names that nothing uses, ends that no case comes
// to, procedures that admit one workflow only, and readings that nobody has
// accepted. The advice is in a fixed order.
func Lint(d *sop.Domain) []Advice {
	l := linter{d: d}
	l.glossary()
	l.unused()
	for _, p := range d.Procedures {
		l.procedure(p)
	}
	return l.advice
}

type linter struct {
	d      *sop.Domain
	advice []Advice
}

func (l *linter) say(item, format string, args ...any) {
	l.advice = append(l.advice, Advice{item, fmt.Sprintf(format, args...)})
}

// nearDefinitions is the share of words that two definitions have in common
// from which a person would hardly tell them apart.
const nearDefinitions = 0.75

func (l *linter) glossary() {
	var bare []string
	for _, t := range l.d.Glossary {
		if len(t.Confusables) == 0 {
			bare = append(bare, t.Term)
		}
	}
	if len(bare) > 0 {
		l.say("glossary", "without confusables wrong answers are terms of other types, which are easy to tell apart; %d of %d terms have none: %s",
			len(bare), len(l.d.Glossary), strings.Join(bare, ", "))
	}
	for i, t := range l.d.Glossary {
		item := "glossary/" + t.Term
		if len(t.UsedIn) == 0 {
			l.say(item, "no procedure uses it: no group asks about it")
		}
		for _, other := range l.d.Glossary[:i] {
			if share := commonWords(t.Definition, other.Definition); share >= nearDefinitions {
				l.say(item, "its definition and that of %s share %.0f %% of their words", other.Term, 100*share)
			}
		}
	}
}

// commonWords is the share of the words of both texts that are in both.
func commonWords(a, b string) float64 {
	in := func(s string) map[string]bool {
		m := map[string]bool{}
		for _, w := range strings.FieldsFunc(strings.ToLower(s), func(c rune) bool { return !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c >= 0x80) }) {
			m[w] = true
		}
		return m
	}
	x, y := in(a), in(b)
	both := 0
	for w := range x {
		if y[w] {
			both++
		}
	}
	if all := len(x) + len(y) - both; all > 0 {
		return float64(both) / float64(all)
	}
	return 0
}

// unused names what no procedure leads to.
func (l *linter) unused() {
	conditions, actions := map[string]bool{}, map[string]bool{}
	for _, p := range l.d.Procedures {
		v, err := l.d.Variant(p, sop.Choice{})
		if err != nil {
			continue // validation says why
		}
		for _, c := range v.Conditions {
			conditions[c.Base] = true
		}
		for _, c := range v.Calls {
			actions[c.Base] = true
		}
	}
	for _, name := range sortedKeys(l.d.Conditions) {
		if !conditions[name] {
			l.say("conditions/"+name, "no procedure asks for it")
		}
	}
	for _, name := range sortedKeys(l.d.Actions) {
		if !actions[name] {
			l.say("actions/"+name, "no procedure leads to it; it serves as a wrong answer only")
		}
	}
}

// Cases looked at for the workflows of a procedure: so many worlds of each
// outcome, so many draws of each.
const (
	lintWorlds = 64
	lintDraws  = 4
)

func (l *linter) procedure(p *sop.Procedure) {
	item := "procedures/" + p.Goal
	if l.d.Unreviewed(p) {
		l.say(item, "it leans on readings that nobody has accepted: its rows are kept apart (fmsop corpus review)")
	}
	if len(p.Requests) < 3 {
		l.say(item, "it has %d requests: held-out wordings need at least 3", len(p.Requests))
	}
	v, err := l.d.Variant(p, sop.Choice{})
	if err != nil {
		return
	}
	s, err := sop.NewSampler(v)
	if err != nil {
		return
	}
	rng := rand.New(rand.NewPCG(1, 1))
	workflows, ended := map[string]bool{}, 0
	for k, worlds := range s.Worlds() {
		if len(worlds) == 0 {
			l.say(item, "no case ends with %s%s", v.Outcomes[k].End, l.customizable(p))
			continue
		}
		ended++
		for _, w := range worlds[:min(len(worlds), lintWorlds)] {
			for range lintDraws {
				if right, err := s.M.Positive(s.Facts(w), rng); err == nil {
					workflows[strings.Join(right, "\x00")] = true
				}
			}
		}
	}
	switch {
	case len(workflows) == 1:
		l.say(item, "it admits one workflow only: nothing in a case changes the answer")
	case ended == 1:
		l.say(item, "all cases end the same way: nobody learns when to refuse from it")
	}
	if len(p.Customizable) == 0 && len(p.Cases) == 0 && !l.choices(v) {
		l.say(item, "it has one variant: no rule is customizable and no threshold has choices, so that the document can be learnt by heart")
	}
}

func (l *linter) customizable(p *sop.Procedure) string {
	if len(p.Customizable) > 0 {
		return " while all its customizable rules hold"
	}
	return ""
}

// choices tells that a threshold of the variant may vary.
func (l *linter) choices(v *sop.Variant) bool {
	for _, c := range v.Conditions {
		compare, err := sop.ParseComparison(c.Condition.Compare)
		if c.Condition.Compare == "" || err != nil {
			continue
		}
		if slices.ContainsFunc(compare.Names(), func(n string) bool { return l.d.Thresholds[n] != nil && len(l.d.Thresholds[n].Choices) > 1 }) {
			return true
		}
	}
	return false
}
