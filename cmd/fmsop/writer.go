package main

import (
	"context"
	"strings"

	"github.com/fmsop/fmsop/agents"
	"github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/llm"
)

// writer is a model that writes a part of the evaluation, with its replies kept
// in the run folder. Its runner is to be closed.
func (a *app) writer(ctx context.Context, e *agents.Evaluation, client *llm.Client, drain *run.Drain) (*agents.Writer, *llm.Runner, error) {
	model, err := a.runner(e, client, drain)
	if err != nil {
		return nil, nil, err
	}
	w, err := a.writerOver(ctx, client, model)
	if err != nil {
		model.Close()
		return nil, nil, err
	}
	return w, model, nil
}

// writerOver is the model that a runner calls, as one that writes.
func (a *app) writerOver(ctx context.Context, client *llm.Client, model *llm.Runner) (*agents.Writer, error) {
	length, err := contextOf(ctx, client, a.config.LLM.Sampling)
	if err != nil {
		return nil, err
	}
	return &agents.Writer{Name: model.Name(), Asker: a.asker(model), Sampling: a.config.LLM.Sampling, Context: length}, nil
}

// contextOf asks the servers how many tokens a prompt and its reply may have,
// and returns the fewest; 0 where none of them says.
func contextOf(ctx context.Context, client *llm.Client, s llm.Sampling) (length int, err error) {
	if s.Context > 0 {
		return s.Context, nil
	}
	for _, c := range client.Check(ctx) {
		if err := unfit(c); err != nil {
			return 0, err
		}
		n := c.ContextNow
		if n == 0 {
			n = c.Context
		}
		if n > 0 && (length == 0 || n < length) {
			length = n
		}
	}
	return length, nil
}

// tellDraft says what became of a rubric's proposals.
func (a *app) tellDraft(e *agents.Evaluation, domain string, d *agents.Draft) error {
	a.remark("%s: read in %s, %s proposed, %d merged into others, %d of %s astray", domain,
		count(d.Pieces, "piece"), count(d.Proposed, "dimension"), len(d.Merged), d.Astray, count(d.Quotes, "quote"))
	if len(d.Cut) > 0 {
		a.remark("%s: longer than the context, and so cut: %s; llm.sampling.context sets a longer one", domain, strings.Join(d.Cut, ", "))
	}
	return a.tellDrops(domain, d.Drops, e.Path("dropped", "rubric-"+domain+".jsonl"))
}

// tellDrops counts what was left out by its reason, and keeps it in a file.
func (a *app) tellDrops(domain string, drops []agents.Drop, path string) error {
	for _, r := range agents.CountDrops(drops) {
		a.remark("%s: %d left out: %s", domain, r.Count, r.Reason)
	}
	if len(drops) == 0 {
		return nil
	}
	a.remark("%s: what was left out is in %s", domain, path)
	return agents.WriteLines(path, drops)
}
