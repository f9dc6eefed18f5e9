package bench

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"slices"

	"github.com/fmsop/fmsop/bench/world"
	"github.com/fmsop/fmsop/internal/run"
)

// Sampling draws new tasks of a domain: for each goal and each condition that
// can decide it as many that should succeed as that should not, what is left of
// N going to the first ones in an order that the seed gives. The same seed gives
// the same tasks with any number of workers.
type Sampling struct {
	Domain  string // a built-in one, or a pack folder
	N       int
	Seed    uint64
	Workers int
	// Progress is advanced once for each task; it may be nil.
	Progress *run.Progress
}

// SampledTasks counts what was drawn.
type SampledTasks struct {
	Domain   string `json:"domain"`
	Asked    int    `json:"asked"`
	Tasks    int    `json:"tasks"`
	Succeed  int    `json:"should_succeed"`
	Refuse   int    `json:"should_refuse"`
	AtOnce   int    `json:"refused_without_a_call"` // of those that should be refused
	Official int    `json:"solution_passes_official"`
	// Deciding counts by condition the tasks that should succeed and those that
	// should be refused; "" is those that nothing decides.
	Deciding map[string][2]int `json:"deciding_conditions"`
	Goals    map[string]int    `json:"goals"`
	// Dropped counts by reason the draws that gave no task.
	Dropped map[string]int `json:"dropped"`
	// Missing are cases for which no task was found, so that others of the goal
	// came in their place.
	Missing []Case   `json:"missing"`
	Notes   []string `json:"notes"` // goals that tasks are not drawn of
}

// Write draws the tasks and writes them, in the format of SOPBench's task files,
// goal by goal. Memory does not grow with their number.
func (s *Sampling) Write(ctx context.Context, w io.Writer) (*SampledTasks, error) {
	out := bufio.NewWriter(w)
	goal := ""
	found, err := s.Each(ctx, func(t *Sampled) error {
		line, err := world.Encode(t.Task.fields)
		if err != nil {
			return err
		}
		switch {
		case goal == "":
			fmt.Fprintf(out, "{\n%q: [\n", t.Goal)
		case goal != t.Goal:
			fmt.Fprintf(out, "\n],\n%q: [\n", t.Goal)
		default:
			fmt.Fprint(out, ",\n")
		}
		goal = t.Goal
		_, err = out.Write(line)
		return err
	})
	if err != nil {
		return nil, err
	}
	if goal == "" {
		return nil, fmt.Errorf("%s: no task could be drawn", s.Domain)
	}
	fmt.Fprint(out, "\n]\n}\n")
	return found, out.Flush()
}

// Each draws the tasks, those of a goal after each other.
func (s *Sampling) Each(ctx context.Context, sink func(*Sampled) error) (*SampledTasks, error) {
	r, err := NewRealiser(s.Domain)
	if err != nil {
		return nil, err
	}
	draw := &sampler{Realiser: r, seed: s.Seed, pack: r.Domain.Digest}
	goals, notes := draw.goals()
	found := &SampledTasks{
		Domain: r.Corpus.Domain.Name, Asked: s.N, Deciding: map[string][2]int{}, Goals: map[string]int{}, Dropped: map[string]int{},
		Missing: []Case{}, Notes: notes,
	}
	var cases []Case
	for _, p := range goals {
		of, err := draw.cases(p)
		if err != nil {
			return nil, err
		}
		cases = append(cases, of...)
	}
	if len(cases) == 0 {
		return nil, fmt.Errorf("%s: there is no goal to draw tasks of", s.Domain)
	}
	jobs := allot(cases, s.N, s.Seed)
	type drawn struct {
		*Sampled
		dropped map[string]int
	}
	err = run.Ordered(ctx, run.Options{Workers: s.Workers, Progress: s.Progress}, len(jobs), func(_ context.Context, i int) (drawn, error) {
		dropped := map[string]int{}
		for _, c := range instead(jobs[i], cases) {
			if t, err := draw.draw(c, jobs[i], dropped); t != nil || err != nil {
				return drawn{t, dropped}, err
			}
		}
		return drawn{nil, dropped}, nil
	}, func(i int, d drawn) error {
		found.add(jobs[i].Case, d.Sampled, d.dropped)
		if d.Sampled == nil {
			return nil
		}
		d.Task.Index = found.Tasks - 1
		return sink(d.Sampled)
	})
	return found, err
}

// job is the task of a case with that number.
type job struct {
	Case
	number int
}

// allot gives every case the same number of tasks, up to one, by goal. Cases
// that differ in their end alone stand together in the order of the seed, so
// that both ends come equally often, but for one.
func allot(cases []Case, n int, seed uint64) []job {
	rng := rand.New(rand.NewPCG(seed, uint64(len(cases))))
	rank := map[[2]string]int{}
	for i, k := range rng.Perm(len(cases)) {
		pair := [2]string{cases[k].Goal, cases[k].Deciding}
		if _, has := rank[pair]; !has {
			rank[pair] = i
		}
	}
	order := slices.Clone(cases)
	slices.SortStableFunc(order, func(a, b Case) int {
		return cmp.Compare(rank[[2]string{a.Goal, a.Deciding}], rank[[2]string{b.Goal, b.Deciding}])
	})
	var jobs []job
	for i := range n {
		jobs = append(jobs, job{order[i%len(order)], i / len(order)})
	}
	slices.SortStableFunc(jobs, func(a, b job) int { return cmp.Compare(a.Goal, b.Goal) })
	return jobs
}

// instead lists the case of a job and then those of its goal that are taken where
// it has no task: first those that end in the same way.
func instead(j job, cases []Case) []Case {
	list := []Case{j.Case}
	for _, same := range []bool{true, false} {
		var others []Case
		for _, c := range cases {
			if c.Goal == j.Goal && c != j.Case && (c.Succeeds == j.Succeeds) == same {
				others = append(others, c)
			}
		}
		if n := len(others); n > 0 {
			list = append(list, others[j.number%n:]...)
			list = append(list, others[:j.number%n]...)
		}
	}
	return list
}

// rand is of one draw of a case for a job.
func (s *sampler) rand(c Case, j job, draw int) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprintf(h, "%q %q %q %d", s.Corpus.Domain.Name, fmt.Sprint(c), fmt.Sprint(j), draw)
	return rand.New(rand.NewPCG(s.seed, h.Sum64()))
}

func (s *SampledTasks) add(c Case, t *Sampled, dropped map[string]int) {
	for reason, n := range dropped {
		s.Dropped[reason] += n
	}
	if (t == nil || t.Case != c) && !slices.Contains(s.Missing, c) {
		s.Missing = append(s.Missing, c)
	}
	if t == nil {
		return
	}
	s.Tasks++
	s.Goals[t.Goal]++
	deciding := s.Deciding[t.Deciding]
	if t.Succeeds {
		s.Succeed++
		deciding[0]++
	} else {
		s.Refuse++
		deciding[1]++
		if len(t.Solution) == 0 {
			s.AtOnce++
		}
	}
	s.Deciding[t.Deciding] = deciding
	if t.Official {
		s.Official++
	}
}
