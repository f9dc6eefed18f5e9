package stages

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/corpus"
)

// small is a domain of a procedure that has 2 variants, of names, with one fact
// assignment each, and one of 1024 variants.
func small() *corpus.Corpus {
	conversation := sop.L(sop.Conversation)
	conditions, rules := map[string]*sop.Condition{}, []*sop.Tree(nil)
	for i := range 10 {
		name := fmt.Sprint("rule", i)
		conditions[name] = &sop.Condition{EstablishedBy: conversation, Text: name + " holds", Negated: name + " does not hold"}
		rules = append(rules, sop.L(name))
	}
	return &corpus.Corpus{Split: "scenario", Domain: &sop.Domain{
		Name: "small", Conditions: conditions,
		Actions:    map[string]*sop.Action{"deposit_ring": {}, "greet": {}},
		Procedures: []*sop.Procedure{{Goal: "deposit_ring"}, {Goal: "greet", Customizable: rules}},
	}}
}

func TestNoProcedureIsAskedForMoreThanItHolds(t *testing.T) {
	p, err := NewPlan(Options{Groups: 200, Stages: []int{2}}, []*corpus.Corpus{small()})
	require.NoError(t, err)
	quotas := map[string]int{}
	for _, j := range p.Jobs {
		quotas[j.Procedure.Goal] += j.Groups
	}
	require.Equal(t, map[string]int{"deposit_ring": 2, "greet": 198}, quotas)
	require.Equal(t, []string{"stage 2: small/deposit_ring was to have 100 groups and gets 2: " +
		"it has 2 variants of 1 fact assignments; the other procedures get the rest"}, p.Notes)

	// Nobody can hold more: the jobs will fall short.
	p, err = NewPlan(Options{Groups: 10000, Stages: []int{2}}, []*corpus.Corpus{small()})
	require.NoError(t, err)
	require.Equal(t, 10000, p.asked())
}

// The shortfall names what kept the job from its groups most often.
func TestShortfall(t *testing.T) {
	w := &worker{Job: &Job{Groups: 40}, made: 12, drops: map[string]int{DropNegatives: 3, DropDuplicate: 9}}
	require.Equal(t, "12 of 40 groups made, limited by duplicate", w.shortfall())
	w.drops = nil
	require.False(t, strings.Contains(w.shortfall(), "limited"))
}
