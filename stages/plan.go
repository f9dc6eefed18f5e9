package stages

import (
	"fmt"
	"math/bits"
	"slices"
	"sort"
	"strings"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/corpus"
)

// Options of a generation. The zero value of a field stands for its default.
type Options struct {
	Groups  int    `yaml:"groups" json:"groups"`     // rows a stage; 1000
	Stages  []int  `yaml:"stages" json:"stages"`     // 2
	Ratio   []int  `yaml:"ratio" json:"ratio"`       // negatives a group of stages 1, 2, 3; 4, 4, 8
	SplitBy string `yaml:"split_by" json:"split_by"` // procedure, scenario or domain; as the corpora say
	// HeldOut are domains whose rows are the test split, all others being trained
	// on. It splits by domain.
	HeldOut []string `yaml:"held_out" json:"held_out,omitempty"`
	// MaxTokens is how many tokens a row may have with the longest of its answers;
	// 0: any number. It needs a dataset.Counter.
	MaxTokens int    `yaml:"max_tokens" json:"max_tokens,omitempty"`
	Seed      uint64 `yaml:"seed" json:"seed"`
	// Scenarios is one of Scenarios, the first where it is empty; Plan.Execute says
	// who executes them.
	Scenarios string `yaml:"scenarios" json:"scenarios,omitempty"`
}

// Implemented lists the stages that can be generated so far.
var Implemented = []int{1, 2, 3}

// maxRatio bounds the negatives of a group.
const maxRatio = 32

// WithDefaults fills in what is not set.
func (o Options) WithDefaults() Options {
	if o.Groups == 0 {
		o.Groups = 1000
	}
	if len(o.Stages) == 0 {
		o.Stages = slices.Clone(Implemented)
	}
	if len(o.Ratio) == 0 {
		o.Ratio = []int{4, 4, 8}
	}
	return o
}

// Validate reports every field that is out of range, joined.
func (o Options) Validate() error {
	var bad []string
	if o.Groups < 1 {
		bad = append(bad, fmt.Sprintf("groups is %d, want at least 1", o.Groups))
	}
	for _, s := range o.Stages {
		if !slices.Contains(Implemented, s) {
			bad = append(bad, fmt.Sprintf("stages has %d, want %s (the stages implemented so far)", s, joinInts(Implemented)))
		}
	}
	if len(o.Ratio) != 3 {
		bad = append(bad, fmt.Sprintf("ratio is %s, want three numbers, the negatives a group of stages 1, 2 and 3, as 4,4,8", joinInts(o.Ratio)))
	}
	for i, m := range o.Ratio {
		if m < 1 || m > maxRatio {
			bad = append(bad, fmt.Sprintf("ratio of stage %d is %d, want 1 to %d negatives a group", i+1, m, maxRatio))
		}
	}
	if o.SplitBy != "" && !slices.Contains(dataset.Units, o.SplitBy) {
		bad = append(bad, fmt.Sprintf("split_by is %q, want one of %s", o.SplitBy, strings.Join(dataset.Units, ", ")))
	}
	if o.Scenarios != "" && !slices.Contains(Scenarios, o.Scenarios) {
		bad = append(bad, fmt.Sprintf("scenarios is %q, want one of %s", o.Scenarios, strings.Join(Scenarios, ", ")))
	}
	if len(o.HeldOut) > 0 && o.SplitBy != "" && o.SplitBy != dataset.UnitDomain {
		bad = append(bad, fmt.Sprintf("held_out is %s, which splits by domain, and split_by is %q", strings.Join(o.HeldOut, ", "), o.SplitBy))
	}
	if o.MaxTokens < 0 {
		bad = append(bad, fmt.Sprintf("max_tokens is %d, want a positive number, or 0 for any length", o.MaxTokens))
	}
	if len(bad) > 0 {
		return fmt.Errorf("%s", strings.Join(bad, "; "))
	}
	return nil
}

func joinInts(list []int) string {
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = fmt.Sprint(n)
	}
	return strings.Join(words, ", ")
}

// Job is an independent piece of a generation: some groups of one procedure
// in one stage. What it makes depends on the options and its own fields.
type Job struct {
	Stage     int
	Domain    *sop.Domain
	Procedure *sop.Procedure
	Index, Of int // job number Index of the Of jobs of this procedure
	Groups    int
	Split     string            // "" where each scenario decides
	Splits    map[string]string // of all units: stage 1 keeps a term in one of them
	Views     map[string]int    // groups of stage 1 by view, as far as they can be made
	loan      *loan             // of the procedure
	executor  Executor          // nil where scenarios are drawn
}

// Name identifies the job in drops and errors: s2-bank-transfer_funds-0.
func (j *Job) Name() string {
	return fmt.Sprintf("s%d-%s-%s-%d", j.Stage, j.Domain.Name, j.Procedure.Goal, j.Index)
}

// Plan is the jobs of a generation in the order of its rows.
type Plan struct {
	Options Options
	Jobs    []*Job
	Split   dataset.SplitInfo
	Notes   []string
	corpora []*corpus.Corpus
	shard   string // "" where Jobs are all of them

	subjectsOf map[*sop.Procedure]subjectCounts // of stage 1
	loans      map[*sop.Procedure]*loan
}

// groupsPerJob balances the cost of building variants against spread over
// workers, by stage.
var groupsPerJob = map[int]int{1: 96, 2: 480, 3: 96}

// NewPlan allots the groups to the procedures of the corpora, evenly but for
// those with few calls, which get a part of a share, and says which split each
// unit belongs to. Jobs of different procedures
// take turns, so that the rows of a file are mixed.
func NewPlan(o Options, corpora []*corpus.Corpus) (*Plan, error) {
	o = o.WithDefaults()
	if err := o.Validate(); err != nil {
		return nil, err
	}
	p := &Plan{Options: o, corpora: corpora}
	if o.SplitBy == "" && len(o.HeldOut) > 0 {
		p.Options.SplitBy = dataset.UnitDomain
	} else if o.SplitBy == "" {
		p.Options.SplitBy = corpora[0].Split
		for _, c := range corpora {
			if c.Split != p.Options.SplitBy {
				p.Options.SplitBy = dataset.UnitScenario
			}
		}
	}
	if err := p.split(); err != nil {
		return nil, err
	}
	for _, c := range corpora {
		p.Notes = append(p.Notes, c.Notes...)
	}
	for _, stage := range o.Stages {
		p.addStage(stage)
	}
	p.allotViews()
	if len(p.Jobs) == 0 {
		return nil, fmt.Errorf("no procedure to generate from")
	}
	return p, nil
}

// Shard leaves the jobs of shard i of n, of which the first is 1: whole jobs, a
// contiguous range of them, so that dataset.Merge can join what all shards
// make. All else stays that of the whole plan.
func (p *Plan) Shard(i, n int) error {
	shard := fmt.Sprintf("%d/%d", i, n)
	if _, _, err := dataset.ParseShard(shard); err != nil {
		return err
	}
	if p.shard != "" {
		return fmt.Errorf("shard %s of a plan that is already shard %s", shard, p.shard)
	}
	p.shard = shard
	p.Jobs = p.Jobs[part(len(p.Jobs), i-1, n):part(len(p.Jobs), i, n)]
	return nil
}

// part is ⌊whole·i/n⌋ for i up to n, however large these are.
func part(whole, i, n int) int {
	high, low := bits.Mul64(uint64(whole), uint64(i))
	q, _ := bits.Div64(high, low, uint64(n))
	return int(q)
}

func (p *Plan) split() error {
	p.Split = dataset.SplitInfo{Unit: p.Options.SplitBy, Assignments: map[string]string{}}
	switch p.Options.SplitBy {
	case dataset.UnitDomain:
		var domains []string
		for _, c := range p.corpora {
			if !slices.Contains(domains, c.Domain.Name) {
				domains = append(domains, c.Domain.Name)
			}
		}
		if len(domains) < 2 {
			return fmt.Errorf("split_by domain needs at least 2 domains, got %s", strings.Join(domains, ", "))
		}
		if len(p.Options.HeldOut) > 0 {
			return p.holdOut(domains)
		}
		p.assign(domains, "", max(1, len(domains)/7), len(domains)/5)
	case dataset.UnitProcedure:
		for _, c := range p.corpora {
			var units []string
			for _, proc := range c.Domain.Procedures {
				if !c.Domain.Unreviewed(proc) {
					units = append(units, c.Domain.Name+"/"+proc.Goal)
				}
			}
			n := len(units)
			held := (n + 5) / 10
			if n >= 4 {
				held = max(held, 1)
			}
			p.assign(units, c.Domain.Name, held, held)
		}
	}
	return nil
}

// holdOut tests on the domains that are held out and trains on the others.
func (p *Plan) holdOut(domains []string) error {
	for _, d := range domains {
		p.Split.Assignments[d] = dataset.Train
	}
	for _, d := range p.Options.HeldOut {
		if !slices.Contains(domains, d) {
			return fmt.Errorf("held_out has %q, want some of %s", d, strings.Join(domains, ", "))
		}
		p.Split.Assignments[d] = dataset.Test
	}
	if len(p.Options.HeldOut) >= len(domains) {
		return fmt.Errorf("held_out is %s, which leaves no domain to train on", strings.Join(p.Options.HeldOut, ", "))
	}
	return nil
}

// assign holds out the first units in an order drawn from the seed.
func (p *Plan) assign(units []string, salt string, test, validation int) {
	sort.Slice(units, func(i, j int) bool {
		return fraction(p.Options.Seed, "split", salt, units[i]) < fraction(p.Options.Seed, "split", salt, units[j])
	})
	for i, u := range units {
		switch {
		case i < test:
			p.Split.Assignments[u] = dataset.Test
		case i < test+validation:
			p.Split.Assignments[u] = dataset.Validation
		default:
			p.Split.Assignments[u] = dataset.Train
		}
	}
}

// A procedure with few calls has few right answers: two, where one call
// decides. It gets a smaller share, so that its answers do not repeat.
const (
	smallestShare  = 0.1 // of a procedure whose workflow is its end alone
	callsForAWhole = 4
)

// weight is a procedure's share, from the calls that its largest variant has
// besides the goal.
func weight(d *sop.Domain, p *sop.Procedure) float64 {
	calls := 0
	count := func(c sop.Choice) {
		if v, err := d.Variant(p, c); err == nil {
			calls = max(calls, len(v.Requires)-1)
		}
	}
	for _, c := range p.Cases {
		count(sop.Choice{Rules: append([]*sop.Tree{}, c.Rules...)})
	}
	if len(p.Cases) == 0 {
		count(sop.Choice{})
	}
	return max(smallestShare, min(1, float64(calls)/callsForAWhole))
}

// share is a procedure's part of a stage.
type share struct {
	domain *sop.Domain
	proc   *sop.Procedure
	weight float64
	quota  int
}

func (p *Plan) addStage(stage int) {
	var shares []*share
	var bare []string // procedures whose graph is a single call
	for _, c := range p.corpora {
		for _, proc := range c.Domain.Procedures {
			if stage == 3 && !hasConditions(c.Domain, proc) {
				bare = append(bare, c.Domain.Name+"/"+proc.Goal)
				continue
			}
			shares = append(shares, &share{domain: c.Domain, proc: proc, weight: p.share(stage, c.Domain, proc)})
		}
	}
	if len(bare) > 0 {
		p.Notes = append(p.Notes, fmt.Sprintf("stage 3 has no groups of %d procedures without any condition: %s", len(bare), strings.Join(bare, ", ")))
	}
	if stage == 2 {
		p.allotWithin(shares)
	} else {
		allot(shares, p.Options.Groups)
	}
	var perProcedure [][]*Job
	for _, s := range shares {
		if s.quota == 0 {
			continue
		}
		of := (s.quota + groupsPerJob[stage] - 1) / groupsPerJob[stage]
		var jobs []*Job
		for k := range of {
			j := p.job(stage, s)
			j.Index, j.Of, j.Groups = k, of, part(s.quota, k+1, of)-part(s.quota, k, of)
			jobs = append(jobs, j)
		}
		perProcedure = append(perProcedure, jobs)
	}
	for k := 0; ; k++ {
		any := false
		for _, jobs := range perProcedure {
			if k < len(jobs) {
				p.Jobs, any = append(p.Jobs, jobs[k]), true
			}
		}
		if !any {
			return
		}
	}
}

// job is one of the procedure's, still without groups.
func (p *Plan) job(stage int, s *share) *Job {
	if p.loans == nil {
		p.loans = map[*sop.Procedure]*loan{}
	}
	if p.loans[s.proc] == nil {
		p.loans[s.proc] = &loan{}
	}
	return &Job{Stage: stage, Domain: s.domain, Procedure: s.proc, Split: p.splitOf(s.domain, s.proc), Splits: p.Split.Assignments,
		loan: p.loans[s.proc]}
}

// splitOf is the split of all rows of a procedure; "" where each scenario
// decides. What leans on a reading that nobody has accepted is kept apart.
func (p *Plan) splitOf(d *sop.Domain, proc *sop.Procedure) string {
	if d.Unreviewed(proc) {
		return dataset.Unreviewed
	}
	switch p.Options.SplitBy {
	case dataset.UnitDomain:
		return p.Split.Assignments[d.Name]
	case dataset.UnitProcedure:
		return p.Split.Assignments[d.Name+"/"+proc.Goal]
	}
	return ""
}

// Exposure lists what a model trained on the training split has seen.
func (p *Plan) Exposure() []dataset.Exposure {
	var list []dataset.Exposure
	for _, c := range p.corpora {
		for _, proc := range c.Domain.Procedures {
			if s := p.splitOf(c.Domain, proc); s != "" && s != dataset.Train {
				continue
			}
			if len(proc.Cases) == 0 {
				list = append(list, dataset.Exposure{Domain: c.Domain.Name, Goal: proc.Goal})
			}
			seen := map[string]bool{}
			for _, k := range proc.Cases {
				if !seen[k.Source] {
					seen[k.Source] = true
					list = append(list, dataset.Exposure{Domain: c.Domain.Name, Goal: proc.Goal, Source: k.Source})
				}
			}
		}
	}
	return list
}

// The held-out shares where each scenario decides its own split.
const (
	testShare       = 0.1
	validationShare = 0.1
)

// scenarioSplit assigns a fact assignment, under the domain's own names, to a
// split.
func scenarioSplit(seed uint64, d *sop.Domain, goal, facts string) string {
	switch x := fraction(seed, "scenario", d.Name, goal, facts); {
	case x < testShare:
		return dataset.Test
	case x < testShare+validationShare:
		return dataset.Validation
	}
	return dataset.Train
}
