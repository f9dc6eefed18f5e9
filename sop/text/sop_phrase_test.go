package text

import (
	"math/rand/v2"
	"testing"

	"github.com/fmsop/fmsop/sop"
)

// Every phrase is read as the kind that it words and not as another one.
func TestPhrasesAreDistinct(t *testing.T) {
	rule := sop.T(sop.All, sop.L("a"), sop.T(sop.Not, sop.L("b")))
	w := &sopWriter{style: Policy, v: &sop.Variant{Conditions: map[string]*sop.ConditionUse{
		"a": {Condition: &sop.Condition{Compare: "x < 3"}, Text: "rain falls", Compare: &sop.Comparison{Left: &sop.Expr{Op: 'v', Name: "x"}, Op: "<", Right: &sop.Expr{Op: 'n', Num: 3}}},
	}, Domain: &sop.Domain{}}, glossed: map[string]bool{}}
	w.trees = newTreeWriter(w.v, rand.New(rand.NewPCG(1, 1)))
	w.rng = rand.New(rand.NewPCG(1, 1))
	args := sopArgs{"rule": rule, "fact": rule, "calls": rule, "leaf": "a", "cond": "a", "call": "f", "goal": "f", "end": "deny",
		"value": "x", "names": []string{"a", "b"}, "formula": "a", "n": 3, "unit": "USD", "text": "the rain"}
	for i := range sopPhrases {
		p := &sopPhrases[i]
		s := w.fill(p, "", args)
		said, rest, _, err := sopStatement(&sopLine{text: s}, s)
		if err != nil || rest != "" {
			t.Errorf("%q: rest %q, error %v", s, rest, err)
		} else if said.kind != p.kind {
			t.Errorf("%q is read as %s, want %s", s, said.kind, p.kind)
		}
	}
}

func TestOpenersAndJointsAreDistinct(t *testing.T) {
	for use, byOp := range treeOpeners {
		seen := map[string]sop.Op{}
		for op, phrases := range byOp {
			for _, p := range phrases {
				if other, twice := seen[p]; twice {
					t.Errorf("use %d: %q opens %s and %s", use, p, op, other)
				}
				seen[p] = op
			}
		}
	}
}
