// Package text words what package sop means, and reads it back: a variant as
// an SOP document ([RenderSOP], [ReadSOP]), a scenario as a case, workflows,
// calls and graphs as answers.
//
// Every text is exact: reading it gives the meaning that was rendered. Readers
// go by identifiers in backticks and a fixed set of phrases; the words around
// them are free and never looked into. Nothing here judges an answer.
package text

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/fmsop/fmsop/sop"
)

// Style is a way of writing an SOP.
type Style string

// The styles of SOP documents.
const (
	Numbered   Style = "numbered"   // steps with decision points
	Policy     Style = "policy"     // paragraphs of prose
	Checklist  Style = "checklist"  // boxes to tick
	RuleList   Style = "rules"      // numbered rules
	Pseudocode Style = "pseudocode" // a listing
	Table      Style = "table"      // tables of rules, calls and conditions
)

// Styles lists all of them.
var Styles = []Style{Numbered, Policy, Checklist, RuleList, Pseudocode, Table}

// sopMarks are headings that only one style has.
var sopMarks = map[string]Style{
	"Steps": Numbered, "Step by step": Numbered,
	"Points to confirm": Checklist, "To be confirmed": Checklist,
	"Rules for the request": RuleList, "Rules of approval": RuleList,
}

// RenderSOP writes v as a document that ReadSOP reads back to v's graph and
// comparisons. rng chooses the wording, never the meaning; the same v and the
// same state of rng give the same text. An unknown style is written as
// Numbered.
func RenderSOP(style Style, v *sop.Variant, rng *rand.Rand) string {
	w := newSopWriter(style, v, rng)
	switch style {
	case Policy:
		w.policy()
	case Checklist:
		w.checklist()
	case RuleList:
		w.ruleList()
	case Pseudocode:
		w.code()
	case Table:
		w.tables()
	default:
		w.numbered()
	}
	text := w.b.String()
	for strings.Contains(text, "\n\n\n") {
		text = strings.ReplaceAll(text, "\n\n\n", "\n\n")
	}
	return strings.TrimRight(text, "\n") + "\n"
}

// sopWriter writes one document.
type sopWriter struct {
	v       *sop.Variant
	rng     *rand.Rand
	style   Style
	trees   *treeWriter
	rules   []*sop.Tree // of the goal; used where plain
	plain   bool        // the two ends of a customer's request
	conds   []string    // in the order in which the rules lead to them
	calls   []string
	habit   map[sopUse]int  // the phrase that this document keeps to
	glossed map[string]bool // calls that have been explained
	told    map[string]bool // conditions whose source has been told
	titled  map[string]bool // words used in headings of steps
	section int
	number  bool // headings are numbered
	b       strings.Builder
}

func newSopWriter(style Style, v *sop.Variant, rng *rand.Rand) *sopWriter {
	w := &sopWriter{
		v: v, rng: rng, style: style, trees: newTreeWriter(v, rng), number: rng.IntN(2) == 0,
		habit: map[sopUse]int{}, glossed: map[string]bool{}, told: map[string]bool{}, titled: map[string]bool{},
	}
	w.plain = sopPlain(&v.Graph)
	w.rules = sopRules(&v.Graph)
	w.collect()
	return w
}

// sopPlain tells the two ends of a customer's request from other outcomes.
func sopPlain(g *sop.Graph) bool {
	o := g.Outcomes
	return len(o) == 2 && o[0].End == g.Goal && o[1].End != g.Goal && o[1].Tree == nil &&
		(o[0].Tree.Equal(g.Requires[g.Goal]) || o[0].Tree.Canonical().Equal(g.Requires[g.Goal].Canonical()))
}

// sopRules gives the rules of the goal in the order of the text. They are those
// of the graph, where what another rule demands too has been left out: read
// back, they are the same tree again.
func sopRules(g *sop.Graph) []*sop.Tree {
	tree := treeTidy(g.Requires[g.Goal])
	switch {
	case tree == nil:
		return nil
	case tree.Op == sop.All && len(tree.Parts) > 0:
		return tree.Parts
	}
	return []*sop.Tree{tree}
}

// collect orders conditions and calls by the way from the rules to them.
func (w *sopWriter) collect() {
	g := &w.v.Graph
	var visit func(t *sop.Tree)
	call := func(name string) {
		if _, known := g.Requires[name]; known && !slices.Contains(w.calls, name) {
			w.calls = append(w.calls, name)
			visit(g.Requires[name])
		}
	}
	visit = func(t *sop.Tree) {
		t.Walk(func(n *sop.Tree) {
			if n.Op != sop.Leaf || g.EstablishedBy[n.Name] == nil || slices.Contains(w.conds, n.Name) {
				return
			}
			w.conds = append(w.conds, n.Name)
			source := g.EstablishedBy[n.Name]
			source.Walk(func(c *sop.Tree) {
				if c.Op == sop.Leaf {
					call(c.Name)
				}
			})
		})
	}
	for _, r := range w.rules {
		visit(r)
	}
	for _, o := range g.Outcomes {
		visit(o.Tree)
	}
	for _, c := range sopNames(g.EstablishedBy) {
		visit(sop.L(c))
	}
	for _, c := range sopNames(g.Requires) {
		call(c)
	}
}

// sopArgs fills the slots of a phrase.
type sopArgs map[string]any

// say words a statement; the parts of a long tree go on lines of their own,
// indented by indent.
func (w *sopWriter) say(kind sopKind, indent string, args sopArgs) string {
	return w.fill(w.choose(kind, ""), indent, args)
}

// short is say where the words of the condition have been said already.
func (w *sopWriter) short(kind sopKind, args sopArgs) string {
	return w.fill(w.choose(kind, sopBrief), "", args)
}

func (w *sopWriter) choose(kind sopKind, topic string) *sopPhrase {
	use := sopUse{w.style, kind, topic}
	fit := sopFitting()[use]
	last, has := w.habit[use]
	switch {
	case kind == sayNote || !has:
		last = w.rng.IntN(len(fit))
	case w.style == Policy && len(fit) > 1: // prose does not repeat itself
		last = (last + 1 + w.rng.IntN(len(fit)-1)) % len(fit)
	}
	w.habit[use] = last
	return fit[last]
}

type sopUse struct {
	style Style
	kind  sopKind
	topic string
}

// sopFitting is the phrases for every use, in the order of sopPhrases.
var sopFitting = sync.OnceValue(func() map[sopUse][]*sopPhrase {
	fitting := map[sopUse][]*sopPhrase{}
	letters := map[Style]string{Numbered: "n", Policy: "p", Checklist: "c", RuleList: "r"}
	for _, style := range Styles {
		for i := range sopPhrases {
			p := &sopPhrases[i]
			if letter := letters[style]; p.in == "" || letter != "" && strings.Contains(p.in, letter) {
				use := sopUse{style, p.kind, p.topic}
				fitting[use] = append(fitting[use], p)
			}
		}
	}
	return fitting
})

func (w *sopWriter) fill(p *sopPhrase, indent string, args sopArgs) string {
	var b strings.Builder
	below := false
	for i, part := range p.parts {
		switch {
		case i%2 == 1:
			s := w.slot(part, indent, args)
			below = below || strings.Contains(s, "\n")
			b.WriteString(s)
		case !below: // a list below the line ends the sentence
			b.WriteString(part)
		}
	}
	return b.String()
}

func (w *sopWriter) slot(slot, indent string, args sopArgs) string {
	arg := args[slot]
	switch key := strings.TrimRight(slot, "0123456789"); key {
	case "rule":
		return w.tree(arg.(*sop.Tree), ruleTree, indent)
	case "fact":
		return w.tree(arg.(*sop.Tree), factTree, indent)
	case "calls":
		return w.tree(arg.(*sop.Tree), callTree, indent)
	case "leaf":
		return w.trees.literal(sop.L(arg.(string)), ruleTree)
	case "call":
		return w.call(arg.(string))
	case "names":
		list := make([]string, len(arg.([]string)))
		for i, n := range arg.([]string) {
			list[i] = "`" + n + "`"
		}
		if k := len(list) - 1; k > 0 {
			return strings.Join(list[:k], ", ") + " and " + list[k]
		}
		return strings.Join(list, "")
	case "n":
		return strconv.Itoa(arg.(int))
	case "formula":
		name := arg.(string)
		return sopMeasure(w.v, name) + " (`" + w.v.Conditions[name].Compare.String() + "`)"
	case "unit", "text":
		return arg.(string)
	}
	return "`" + arg.(string) + "`"
}

// tree words t in the way of the style: prose within the sentence, the others
// on lines below it.
func (w *sopWriter) tree(t *sop.Tree, use treeUse, indent string) string {
	if w.style == Policy && treeLeaves(t) <= 6 || use != ruleTree {
		return w.trees.inline(t, use)
	}
	return w.trees.block(t, use, indent)
}

func treeLeaves(t *sop.Tree) (n int) {
	t.Walk(func(p *sop.Tree) {
		if p.Op == sop.Leaf {
			n++
		}
	})
	return n
}

// call names a call and explains it the first time.
func (w *sopWriter) call(name string) string {
	gloss := w.gloss(name)
	if w.glossed[name] || gloss == "" {
		return "`" + name + "`"
	}
	w.glossed[name] = true
	return "`" + name + "` (" + gloss + ")"
}

func (w *sopWriter) gloss(name string) string {
	use := w.v.Calls[name]
	if use == nil {
		return ""
	}
	gloss := sopPlainWords(use.Text)
	if params := w.parameters(name); params != "" {
		gloss += "; takes " + params
	}
	return gloss
}

// parameters lists what a call is given: username, or username = payee.
func (w *sopWriter) parameters(name string) string {
	use := w.v.Calls[name]
	if use == nil {
		return ""
	}
	var params []string
	for _, p := range use.Parameters {
		if s := use.Args[p]; s != "" && s != p {
			p += " = " + s
		}
		params = append(params, p)
	}
	return strings.Join(params, ", ")
}

func (w *sopWriter) line(s string) {
	w.b.WriteString(s)
	w.b.WriteByte('\n')
}

func (w *sopWriter) heading(names ...string) {
	name := sopPick(w.rng, names)
	w.section++
	if w.number {
		name = strconv.Itoa(w.section) + ". " + name
	}
	w.line("\n## " + name + "\n")
}
