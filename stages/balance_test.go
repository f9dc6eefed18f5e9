package stages_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/corpus"
	"github.com/fmsop/fmsop/stages"
)

// Procedures that have one variant each run out of contexts: of those that permit
// before those that refuse. What they have is balanced all the same.
func TestSmallProceduresAreBalanced(t *testing.T) {
	const slack = 2
	bank := load(t, "bank")[0]
	for _, p := range bank.Domain.Procedures {
		p.Cases = []*sop.Case{{Rules: p.AllRules()}}
	}
	plan, err := stages.NewPlan(stages.Options{Groups: 2500, Stages: []int{2}, Seed: 3}, []*corpus.Corpus{bank})
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "d")
	res, err := plan.Generate(context.Background(), dir, dataset.Options{}, run.Options{Workers: 2})
	require.NoError(t, err)
	require.Less(t, res.Made, res.Asked)

	refusals, in, right := map[string]int{}, map[string]int{}, map[string]int{}
	for _, row := range rowsOf(t, dir) {
		var meta stages.Meta
		require.NoError(t, json.Unmarshal([]byte(row.Meta), &meta))
		if row.View == dataset.ViewWorkflow {
			if endOf(t, row.Positive.Payload) == sop.Deny {
				refusals[meta.Job]++
			} else {
				refusals[meta.Job]--
			}
			continue
		}
		right[nextOf(t, &meta, row.Positive.Payload)]++
		in[nextOf(t, &meta, row.Positive.Payload)]++
		for _, n := range row.Negatives {
			in[nextOf(t, &meta, n.Payload)]++
		}
	}
	require.NotEmpty(t, refusals)
	for job, n := range refusals {
		require.LessOrEqual(t, max(n, -n), slack, "%s: refusals beyond those that are none", job)
	}
	require.NotEmpty(t, in)
	for item, n := range in {
		require.LessOrEqual(t, right[item], n/5+1+slack, "%s is an answer in %d groups", item, n)
	}
}

// nextOf is the job and the item of a next action under the domain's own names.
func nextOf(t *testing.T, meta *stages.Meta, payload string) string {
	t.Helper()
	var p struct{ Next string }
	require.NoError(t, json.Unmarshal([]byte(payload), &p))
	base, args, bracket := strings.Cut(p.Next, "(")
	for own, alias := range meta.Names {
		if alias == base {
			base = own
		}
	}
	if bracket {
		base += "(" + args
	}
	return meta.Job + " " + base
}

// Where a procedure has outcomes of its own, none of them is a refusal that others
// would have to outweigh.
func TestProceduresWithOutcomesHaveWorkflows(t *testing.T) {
	c := load(t, "bank")[0]
	for _, p := range c.Domain.Procedures {
		if p.Goal == "pay_bill" {
			p.Outcomes = []sop.Outcome{{End: p.Goal, Tree: sop.L("sufficient_account_balance")}, {End: "escalated", Tree: sop.L("logged_in_user")}, {End: "closed"}}
			c.Domain.Procedures = []*sop.Procedure{p}
			break
		}
	}
	plan, err := stages.NewPlan(stages.Options{Groups: 60, Stages: []int{2}, Seed: 3}, []*corpus.Corpus{c})
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "d")
	_, err = plan.Generate(context.Background(), dir, dataset.Options{}, run.Options{Workers: 2})
	require.NoError(t, err)
	ends := map[string]int{}
	for _, row := range rowsOf(t, dir) {
		if row.View == dataset.ViewWorkflow {
			ends[endOf(t, row.Positive.Payload)]++
		}
	}
	require.Greater(t, len(ends), 1)
	for end, n := range ends {
		require.Greater(t, n, 5, end)
	}
}
