package agents

import (
	"cmp"
	"slices"

	"github.com/fmsop/fmsop/rubric"
)

// probing is a probe at work: which constructed answers it takes, and the jobs
// in which each is judged otherwise.
type probing struct {
	name string
	of   []int // constructed answers
	jobs []int
	// reverse: what is probed was done to the answer as it was constructed.
	reverse bool
}

// talk is put around an answer to make it long. It says nothing.
const (
	talkBefore = "Thank you for the question. I have gone through the documents line by line and weighed with care what they say and what is asked here.\n\n"
	talkAfter  = "\n\nTo sum up, what stands above takes into account everything that was given to me. I have gone over it twice. Should anything be unclear, I am glad to put it in other words, at whatever length is wanted; the documents remain what counts in any case."
)

// probes plans the probes, on answers in the form that was asked for.
func (c *checking) probes(built []constructed, plain []int) []probing {
	n := c.options.Constructed
	wrong, right := pickEvenly(built, false, n), pickEvenly(built, true, n)
	reversed := *c.judge
	reversed.reversed = true
	order, padding, trimming, injected := probing{name: rubric.ProbeOrder}, probing{name: rubric.ProbePadding}, probing{name: rubric.ProbeTrimming, reverse: true}, probing{name: rubric.ProbeInjection}
	put := func(p *probing, j *Judge, i int, text string) {
		q := built[i].question
		p.of, p.jobs = append(p.of, i), append(p.jobs, c.add(j, q, &rubric.Answer{Question: q.ID, Text: text}))
	}
	for _, i := range append(wrong[:len(wrong):len(wrong)], right...) {
		put(&order, &reversed, i, built[i].text)
	}
	for _, list := range []struct {
		probe *probing
		of    []int
	}{{&padding, wrong}, {&trimming, right}} {
		for _, i := range list.of {
			if long := talkBefore + built[i].text + talkAfter; built[i].holds(long) == built[i].right {
				put(list.probe, c.judge, i, long)
			}
		}
	}
	if len(wrong) > 0 {
		for k, injection := range Injections() {
			i := wrong[k%len(wrong)]
			put(&injected, c.judge, i, injection.Into(built[i].question, built[i].text))
		}
	}
	return []probing{order, padding, trimming, injected}
}

// pickEvenly takes up to n right, or wrong, answers in the form asked for: the
// operators in turn, of each the first from the unit that was taken least.
func pickEvenly(built []constructed, right bool, n int) []int {
	byOperator := map[string][]int{}
	for i, b := range built {
		if b.right == right && b.form == asAsked {
			byOperator[b.operator] = append(byOperator[b.operator], i)
		}
	}
	var list []int
	taken := map[string]int{}
	unit := func(i int) string { return built[i].question.Unit }
	for before := -1; before < len(list); {
		before = len(list)
		for _, o := range operators {
			of := byOperator[o]
			if len(of) == 0 || len(list) == n {
				continue
			}
			i := slices.MinFunc(of, func(a, b int) int { return cmp.Compare(taken[unit(a)], taken[unit(b)]) })
			taken[unit(i)]++
			list = append(list, i)
			byOperator[o] = slices.DeleteFunc(of, func(k int) bool { return k == i })
		}
	}
	return list
}

// probe compares the two values of each answer.
func (c *checking) probe(p probing, built []constructed, plain []int) {
	var with, without []rubric.Value
	var clusters []string
	var turned []bool
	for k, i := range p.of {
		unit := built[i].question.Unit
		a, okA := c.value(p.jobs[k])
		b, okB := c.value(plain[i])
		if p.reverse {
			a, b = b, a
		}
		with, without = append(with, rubric.Value{Cluster: unit, Value: a}), append(without, rubric.Value{Cluster: unit, Value: b})
		if okA && okB {
			clusters, turned = append(clusters, unit), append(turned, rubric.Reaches(a, c.options.Pass) != rubric.Reaches(b, c.options.Pass))
		}
	}
	out := rubric.Probe{Name: p.name, Comparison: rubric.Compare(with, without, c.options.Seed), Turned: rubric.ShareOf(clusters, turned)}
	c.check.Probes = append(c.check.Probes, out)
}
