package stages

import (
	"context"
	"slices"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/sop"
)

// Result is what a generation made.
type Result struct {
	Manifest dataset.Manifest
	Asked    int // groups
	Made     int
}

// Generate runs the plan's jobs and writes the dataset folder. The bytes
// written depend on the plan alone, not on the number of workers. On an error,
// and when drained, nothing is left behind.
func (p *Plan) Generate(ctx context.Context, dir string, o dataset.Options, r run.Options) (Result, error) {
	o.Stages, o.MaxTokens = p.Options.Stages, p.Options.MaxTokens
	w, err := dataset.Create(dir, o)
	if err != nil {
		return Result{}, err
	}
	defer w.Abort()
	r.Name = func(i int) string { return p.Jobs[i].Name() }
	shared := glossaries{}
	for _, c := range p.corpora {
		shared.add(c.Domain)
	}
	work := func(_ context.Context, i int) (*dataset.Batch, error) {
		j, b := p.Jobs[i], dataset.NewBatch(o)
		var err error
		if j.Stage == 1 {
			err = j.runConcept(p.Options, shared[j.Domain](), b)
		} else {
			err = j.run(p.Options, b)
		}
		if err != nil {
			return nil, err
		}
		return b, b.Seal()
	}
	err = run.Ordered(ctx, r, len(p.Jobs), work, func(_ int, b *dataset.Batch) error { return w.Append(b) })
	if err != nil {
		return Result{}, err
	}
	m, err := w.Close(dataset.Info{
		Generator: "fmsop " + GeneratorVersion, Seed: p.Options.Seed, Split: p.Split, Exposure: p.Exposure(),
		Notes: p.Notes, Config: p.Options, Lexicon: p.lexicon(), Shard: p.shard,
	})
	if err != nil {
		return Result{}, err
	}
	res := Result{Manifest: m, Asked: p.asked()}
	for _, n := range m.Counts.Stage {
		res.Made += n
	}
	return res, nil
}

// asked is the number of groups that the run, or its shard, is to make.
func (p *Plan) asked() int {
	if p.shard == "" {
		return p.Options.Groups * len(p.Options.Stages)
	}
	n := 0
	for _, j := range p.Jobs {
		n += j.Groups
	}
	return n
}

// lexicon is the wording by which the texts can be read back: the domains,
// with their glossaries where terms are asked for.
func (p *Plan) lexicon() map[string]*sop.Domain {
	lexicon := map[string]*sop.Domain{}
	for _, c := range p.corpora {
		if _, twice := lexicon[c.Domain.Name]; twice {
			continue // two corpora of one domain share its wording
		}
		d := *c.Domain
		if !slices.Contains(p.Options.Stages, 1) {
			d.Glossary = nil
		}
		lexicon[d.Name] = &d
	}
	return lexicon
}
