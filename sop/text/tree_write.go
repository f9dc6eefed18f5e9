package text

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"

	"github.com/fmsop/fmsop/sop"
)

// treeWriter words trees for one document.
type treeWriter struct {
	rng  *rand.Rand
	v    *sop.Variant
	lead map[treeUse]map[sop.Op]string // the opener that this document keeps to
}

func newTreeWriter(v *sop.Variant, rng *rand.Rand) *treeWriter {
	w := &treeWriter{rng: rng, v: v, lead: map[treeUse]map[sop.Op]string{}}
	for _, use := range []treeUse{ruleTree, factTree, callTree} {
		w.lead[use] = map[sop.Op]string{}
		for _, op := range []sop.Op{sop.All, sop.Any, sop.Seq, sop.FirstOf} {
			w.lead[use][op] = sopPick(rng, treeOpeners[use][op])
		}
	}
	return w
}

func sopPick[T any](rng *rand.Rand, from []T) T { return from[rng.IntN(len(from))] }

// inline words t within a sentence, to any depth.
func (w *treeWriter) inline(t *sop.Tree, use treeUse) string {
	return w.within(treeTidy(t), use, 0)
}

func (w *treeWriter) within(t *sop.Tree, use treeUse, depth int) string {
	if s, ok := w.short(t, use); ok {
		return s
	}
	if t.Op == sop.Not {
		return treeNot + w.within(t.Parts[0], use, depth)
	}
	var b strings.Builder
	b.WriteString(w.lead[use][t.Op] + ":")
	for i, p := range t.Parts {
		switch {
		case i > 0 && i == len(t.Parts)-1 && t.Op.Conjunctive():
			b.WriteString("; and")
		case i > 0 && i == len(t.Parts)-1:
			b.WriteString("; or")
		case i > 0:
			b.WriteString(";")
		}
		b.WriteString(" " + treeLabel(depth, i) + " " + w.within(p, use, depth+1))
	}
	if len(t.Parts) == 0 {
		b.WriteString(" " + treeNone)
	}
	return b.String()
}

// block words t as an opener with its parts on lines of their own below it,
// indented by indent and more; short trees stay within the line.
func (w *treeWriter) block(t *sop.Tree, use treeUse, indent string) string {
	t = treeTidy(t)
	if w.brief(t) {
		return w.within(t, use, 0)
	}
	return w.below(t, use, indent)
}

func (w *treeWriter) below(t *sop.Tree, use treeUse, indent string) string {
	if s, ok := w.short(t, use); ok && (t.Op == sop.Leaf || t.Op == sop.Not || len(t.Parts) == 2) {
		return s
	}
	if t.Op == sop.Not {
		return treeNot + w.below(t.Parts[0], use, indent)
	}
	if len(t.Parts) == 0 {
		return w.within(t, use, 0)
	}
	var b strings.Builder
	b.WriteString(w.lead[use][t.Op] + ":")
	for i, p := range t.Parts {
		bullet := "- "
		if t.Op.Ordered() {
			bullet = strconv.Itoa(i+1) + ". "
		}
		b.WriteString("\n" + indent + bullet + w.below(p, use, indent+"   "))
	}
	return b.String()
}

// brief tells whether t reads well within a sentence.
func (w *treeWriter) brief(t *sop.Tree) bool {
	for t.Op == sop.Not {
		t = t.Parts[0]
	}
	return t.Op == sop.Leaf || len(t.Parts) <= 2 && treeFlat(t)
}

// short words leaves, their negations and short lists of these.
func (w *treeWriter) short(t *sop.Tree, use treeUse) (string, bool) {
	if treeLiteral(t) {
		return w.literal(t, use), true
	}
	if !treeFlat(t) || len(t.Parts) < 2 || len(t.Parts) > 3 {
		return "", false
	}
	var fit []treeJoint
	for _, j := range treeJoints[use] {
		if j.op == t.Op && (j.before != "both " || len(t.Parts) == 2) {
			fit = append(fit, j)
		}
	}
	if len(fit) == 0 {
		return "", false
	}
	j := sopPick(w.rng, fit)
	parts := make([]string, len(t.Parts))
	for i, p := range t.Parts {
		parts[i] = w.literal(p, use)
	}
	return j.before + strings.Join(parts, j.join), true
}

// literal words a leaf or a negated leaf, its identifier last.
func (w *treeWriter) literal(t *sop.Tree, use treeUse) string {
	name, not := t.Name, ""
	if t.Op == sop.Not {
		name, not = t.Parts[0].Name, "not "
	}
	if use == callTree {
		return not + "`" + name + "`"
	}
	words := ""
	if c := w.v.Conditions[name]; c != nil {
		words = c.Text
		if not != "" {
			words = c.Negated
		}
	}
	return treeGloss(words) + "(" + not + "`" + name + "`)"
}

// treeReserved is how structure begins: words may not.
var treeReserved = sync.OnceValue(func() []string {
	reserved := []string{treeNot, "not `"}
	for use := range treeOpeners {
		for _, phrases := range treeOpeners[use] {
			reserved = append(reserved, phrases...)
		}
		for _, j := range treeJoints[use] {
			if j.before != "" {
				reserved = append(reserved, j.before)
			}
		}
	}
	return reserved
})

// treeGloss makes words safe to stand before an identifier: no mark-up of
// ours in it, and no beginning that a reader takes for structure.
func treeGloss(words string) string {
	words = sopPlainWords(words)
	if words == "" {
		return "it holds "
	}
	low := strings.ToLower(words)
	for _, r := range treeReserved() {
		if strings.HasPrefix(low, r) {
			return "“" + words + "” "
		}
	}
	return words + " "
}

var sopStructure = strings.NewReplacer("`", "'", "|", "/", "(", "[", ")", "]", "“", "\"", "”", "\"")

// sopPlainWords makes text from a pack safe within a line: blanks collapsed, none
// of the characters that carry structure.
func sopPlainWords(s string) string {
	if !scnIsFlat(s) || strings.ContainsAny(s, "`|()") {
		s = scnFlat(sopStructure.Replace(s))
	}
	return strings.TrimRight(s, ".;:, ")
}

// treeTidy merges what the canonical form merges, but keeps the order of the
// parts, which is the order of the text.
func treeTidy(t *sop.Tree) *sop.Tree {
	if t == nil || t.Op == sop.Leaf {
		return t
	}
	if t.Op == sop.Not {
		inner := treeTidy(t.Parts[0])
		if inner.Op == sop.Not {
			return inner.Parts[0]
		}
		return sop.T(sop.Not, inner)
	}
	var parts []*sop.Tree
	for _, p := range t.Parts {
		q := treeTidy(p)
		if q.Op == t.Op && !t.Op.Ordered() {
			parts = append(parts, q.Parts...)
		} else {
			parts = append(parts, q)
		}
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return sop.T(t.Op, parts...)
}

func treeLiteral(t *sop.Tree) bool {
	return t.Op == sop.Leaf || t.Op == sop.Not && t.Parts[0].Op == sop.Leaf
}

func treeFlat(t *sop.Tree) bool {
	if t.Op == sop.Leaf || t.Op == sop.Not {
		return treeLiteral(t)
	}
	for _, p := range t.Parts {
		if !treeLiteral(p) {
			return false
		}
	}
	return true
}
