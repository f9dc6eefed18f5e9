package dataset

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// plant says how a data set gives its right answers away; the zero value does
// not.
type plant struct {
	choose func(answers []string) int // the right one of the candidates
	edit   func(r *Row)               // afterwards
	rename bool                       // each row has its own names
}

// planted draws groups of five workflows from forty of each of four
// procedures, half of which end in a refusal.
func planted(rng *rand.Rand, n int, p plant) []Row {
	pools := map[string][]string{}
	procedures := []string{"open", "pay", "move", "close"}
	for _, procedure := range procedures {
		for len(pools[procedure]) < 40 {
			var calls []string
			for range 2 + rng.IntN(4) {
				calls = append(calls, string(rune('a'+rng.IntN(6))))
			}
			w := strings.Join(append(calls, []string{refusal, "done"}[len(pools[procedure])%2]), " ")
			if !slices.Contains(pools[procedure], w) {
				pools[procedure] = append(pools[procedure], w)
			}
		}
	}
	var rows []Row
	for i := range n {
		procedure := procedures[rng.IntN(len(procedures))]
		pool := pools[procedure]
		var answers []string
		for _, k := range rng.Perm(len(pool))[:5] {
			answers = append(answers, pool[k])
		}
		if p.choose != nil {
			right := p.choose(answers)
			answers[0], answers[right] = answers[right], answers[0]
		}
		names := "{}"
		if p.rename {
			var pairs []string
			for c := 'a'; c <= 'f'; c++ {
				alias := fmt.Sprintf("%c_%d", c, i)
				pairs = append(pairs, fmt.Sprintf("%q:%q", string(c), alias))
				for j := range answers {
					answers[j] = strings.ReplaceAll(" "+answers[j]+" ", " "+string(c)+" ", " "+alias+" ")
					answers[j] = strings.TrimSpace(strings.ReplaceAll(" "+answers[j]+" ", " "+string(c)+" ", " "+alias+" "))
				}
			}
			names = "{" + strings.Join(pairs, ",") + "}"
		}
		r := renamed(of(procedure, choice(i, answers...)), names)
		if p.edit != nil {
			p.edit(&r)
		}
		rows = append(rows, r)
	}
	return rows
}

// first chooses the first answer that has what is asked for.
func first(has func(string) bool) func([]string) int {
	return func(answers []string) int { return max(0, slices.IndexFunc(answers, has)) }
}

func best(scores []float64) int {
	at := 0
	for i, s := range scores {
		if s > scores[at] {
			at = i
		}
	}
	return at
}

func sizes(answers []string, size func(string) int) []int {
	var list []int
	for _, a := range answers {
		list = append(list, size(a))
	}
	return list
}

// byHash is a preference that neither length nor content shows.
func byHash(answers []string) int {
	var scores []float64
	for _, a := range answers {
		scores = append(scores, float64(hash64(0, a)>>12))
	}
	return best(scores)
}

func calls(w string) int { return len(strings.Fields(w)) }

func replacePositive(r *Row, w string) { r.Positive = Answer{w, workflowPayload(w)} }

func TestNoLeakNoMark(t *testing.T) {
	for _, p := range []plant{{}, {rename: true}} {
		rows := planted(rand.New(rand.NewPCG(7, 7)), 2500, p)
		scope := statsOf(rows...).Stages[0].All
		if len(scope.Measures) != int(measureCount) {
			t.Errorf("%d measures, want %d", len(scope.Measures), measureCount)
		}
		for _, m := range scope.Measures {
			if m.Mark != MarkOK && m.Mark != MarkNone {
				t.Errorf("without a leak %s is %+v with chance %v, want %s", m.Name, m, m.Chance, MarkOK)
			}
		}
	}
}

func TestPlantedLeaks(t *testing.T) {
	tests := []struct {
		which measure
		plant
	}{
		{longerText, plant{edit: func(r *Row) { r.Positive.Text += " , and so on" }}},
		{moreItems, plant{choose: func(a []string) int {
			list := sizes(a, calls)
			return slices.Index(list, slices.Max(list))
		}}},
		{medianText, plant{choose: func(a []string) int { return best(nearMedian(sizes(a, func(s string) int { return len(s) }))) }}},
		{medianItems, plant{choose: func(a []string) int { return best(nearMedian(sizes(a, calls))) }}},
		{medoid, plant{choose: func(a []string) int {
			var answers []statsAnswer
			for _, w := range a {
				answers = append(answers, statsAnswer{items: strings.Fields(w)})
			}
			return best(nearOthers(answers))
		}}},
		{lookUpWritten, plant{choose: byHash}},
		{lookUpBase, plant{choose: byHash, rename: true}},
		{threeGram, plant{choose: first(func(w string) bool { return strings.Contains(w, "a b") || strings.Contains(w, "c d") }), rename: true}},
		{unigram, plant{edit: func(r *Row) { r.Positive.Text = strings.Replace(r.Positive.Text, " ", " then ", 1) }}},
		{frequent, plant{choose: first(func(w string) bool { return strings.HasSuffix(w, "done") })}},
		{rightElsewhere, plant{edit: func(r *Row) {
			for i := range r.Negatives {
				n := &r.Negatives[i]
				n.Payload = strings.Replace(n.Payload, "]", `,"outside"]`, 1)
			}
		}}},
		{refused, plant{choose: first(func(w string) bool { return strings.HasSuffix(w, "deny") })}},
		{refusedAtOnce, plant{edit: func(r *Row) {
			if strings.HasSuffix(r.Positive.Text, "deny") {
				replacePositive(r, "deny")
			}
		}}},
		{decidingCall, plant{edit: func(r *Row) {
			if calls, ok := strings.CutSuffix(r.Positive.Text, "deny"); ok {
				replacePositive(r, calls+"g deny")
			}
		}}},
	}
	measured := map[measure]bool{largestProcedure: true} // a fact, never marked
	for _, test := range tests {
		measured[test.which] = true
		t.Run(measures[test.which].name, func(t *testing.T) {
			rows := planted(rand.New(rand.NewPCG(7, 7)), 2500, test.plant)
			if m := find(t, statsOf(rows...).Stages[0].All, test.which); m.Mark != MarkLeak {
				t.Errorf("the planted leak gives %+v, want %s", m, MarkLeak)
			}
		})
	}
	if len(measured) != int(measureCount) {
		t.Errorf("%d of %d measures have a planted leak", len(measured), measureCount)
	}
	t.Run("the written names hide it", func(t *testing.T) {
		rows := planted(rand.New(rand.NewPCG(7, 7)), 2500, plant{choose: byHash, rename: true})
		if m := find(t, statsOf(rows...).Stages[0].All, lookUpWritten); m.Mark != MarkOK {
			t.Errorf("look-up by names that never come again gives %+v, want %s", m, MarkOK)
		}
	})
}
