package dataset

import (
	"maps"
	"math"
	"slices"
)

// cycleOperator makes graphs with a cycle, which are right nowhere.
const cycleOperator = "cycle"

// refusal is the item that ends a workflow in a refusal.
const refusal = "deny"

// viewStats takes in the groups of one view.
type viewStats struct {
	limits     statsLimits
	groups     int
	meters     [measureCount]meter
	procedures map[string]*procedureStats
	tasks      *thinned[struct{}]
	payloads   *thinned[payloadStats] // by procedure and base payload
	operators  map[string]int
	violations map[string]int
	sample     *groupSample
}

type procedureStats struct {
	groups    int
	positives *thinned[struct{}]
	deciding  map[string]int  // refusals by the last call before
	calls     map[string]bool // in refusals
}

type payloadStats struct {
	right int
	wrong []operatorCount
}

type operatorCount struct {
	operator string
	n        int
}

func newViewStats(l statsLimits) *viewStats {
	return &viewStats{
		limits: l, procedures: map[string]*procedureStats{}, tasks: newThinned[struct{}](l.keys),
		payloads: newThinned[payloadStats](l.keys), operators: map[string]int{}, violations: map[string]int{},
		sample: newGroupSample(l.sampleBytes),
	}
}

func (v *viewStats) add(g *statsGroup) {
	v.groups++
	right := g.positive()
	lengths, items := make([]int, len(g.answers)), make([]int, len(g.answers))
	for i := range g.answers {
		lengths[i], items[i] = g.answers[i].length, len(g.answers[i].items)
	}
	v.meters[longerText].larger(lengths)
	v.meters[moreItems].larger(items)
	v.meters[medianText].pick(nearMedian(lengths))
	v.meters[medianItems].pick(nearMedian(items))
	v.meters[medoid].pick(nearOthers(g.answers))

	p := v.procedure(g.procedure)
	p.groups++
	p.positives.at(right.base)
	v.tasks.at(g.context ^ right.payload)
	if n := v.payloads.at(right.base); n != nil {
		n.right++
	}
	for i := range g.answers[1:] {
		a := &g.answers[1+i]
		v.operators[a.operator]++
		if a.violation != "" {
			v.violations[a.violation]++
		}
		if n := v.payloads.at(a.base); n != nil && a.operator != cycleOperator {
			n.addWrong(a.operator)
		}
	}
	if g.workflow {
		v.addOutcome(p, right.baseItems)
	}
	v.sample.offer(g)
}

func (v *viewStats) procedure(name string) *procedureStats {
	p, ok := v.procedures[name]
	if !ok {
		p = &procedureStats{positives: newThinned[struct{}](v.limits.procedureKeys), deciding: map[string]int{}, calls: map[string]bool{}}
		v.procedures[name] = p
	}
	return p
}

func (n *payloadStats) addWrong(operator string) {
	for i := range n.wrong {
		if n.wrong[i].operator == operator {
			n.wrong[i].n++
			return
		}
	}
	n.wrong = append(n.wrong, operatorCount{operator, 1})
}

func (v *viewStats) addOutcome(p *procedureStats, workflow []string) {
	last := len(workflow) - 1
	refuses := last >= 0 && workflow[last] == refusal
	v.meters[refused].share(refuses, 0.5)
	v.meters[refusedAtOnce].share(refuses && last == 0, atOnceLimit)
	if refuses && last > 0 {
		p.deciding[workflow[last-1]]++
		for _, c := range workflow[:last] {
			p.calls[c] = true
		}
	}
}

// nearMedian scores values by how near they are to their median, which is
// between the two middle ones of an even number.
func nearMedian(values []int) []float64 {
	sorted := slices.Sorted(slices.Values(values))
	middle := float64(sorted[(len(sorted)-1)/2]+sorted[len(sorted)/2]) / 2
	scores := make([]float64, len(values))
	for i, v := range values {
		scores[i] = -math.Abs(float64(v) - middle)
	}
	return scores
}

// nearOthers scores answers by the sum of their edit distances to the others.
func nearOthers(answers []statsAnswer) []float64 {
	scores := make([]float64, len(answers))
	for i := range answers {
		for j := range i {
			d := float64(editDistance(answers[i].items, answers[j].items))
			scores[i] -= d
			scores[j] -= d
		}
	}
	return scores
}

// scope is what was found in a view; those of several views can be merged.
type scope struct {
	groups, sampled  int
	positives, tasks int
	estimated        bool
	meters           [measureCount]meter
	procedures       map[string]procedureCount
	frequentItems    []string
	elsewhere        map[string]meter // by operator
	operators        map[string]int
	violations       map[string]int
}

type procedureCount struct{ groups, positives int }

func newScope() *scope {
	return &scope{procedures: map[string]procedureCount{}, elsewhere: map[string]meter{}, operators: map[string]int{}, violations: map[string]int{}}
}

// scope trains and tests what has to be learnt, and sums up the rest.
func (v *viewStats) scope() *scope {
	s := newScope()
	s.groups, s.tasks, s.meters = v.groups, v.tasks.count(), v.meters
	s.estimated = !v.tasks.exact() || !v.payloads.exact()
	maps.Copy(s.operators, v.operators)
	maps.Copy(s.violations, v.violations)

	all, learn, test := v.sample.sorted()
	s.sampled = len(all)
	s.meters[lookUpWritten] = lookUp(learn, test, func(a *sampledAnswer) uint64 { return a.payload })
	s.meters[lookUpBase] = lookUp(learn, test, func(a *sampledAnswer) uint64 { return a.base })
	s.meters[threeGram] = threeGrams(learn, test)
	s.meters[unigram] = unigrams(learn, test)
	name, m := frequentItem(all)
	s.meters[frequent] = m
	if m.groups > 0 {
		s.frequentItems = []string{name}
	}

	right := 0
	for _, n := range v.payloads.kept {
		found := 0.0
		if n.right > 0 {
			right++
			found = 1
		}
		for _, w := range n.wrong {
			m := s.elsewhere[w.operator]
			m.add(meter{weight: float64(w.n), sum: found * float64(w.n)})
			s.elsewhere[w.operator] = m
		}
	}
	s.positives = right << v.payloads.bits
	for _, m := range s.elsewhere {
		s.meters[rightElsewhere].add(m)
	}
	s.meters[rightElsewhere].groups = v.groups

	for _, name := range slices.Sorted(maps.Keys(v.procedures)) {
		p := v.procedures[name]
		s.procedures[name] = procedureCount{p.groups, p.positives.count()}
		s.estimated = s.estimated || !p.positives.exact()
		if len(p.calls) > 1 {
			s.meters[decidingCall].add(evenness(p.deciding, len(p.calls)))
		}
	}
	return s
}

// evenness is the entropy of the counts against that of as many equal ones as
// there could be, weighted by the sum of the counts.
func evenness(counts map[string]int, could int) meter {
	total := 0
	for _, n := range counts {
		total += n
	}
	entropy := 0.0
	for _, key := range slices.Sorted(maps.Keys(counts)) {
		p := float64(counts[key]) / float64(total)
		entropy -= p * math.Log(p)
	}
	weight := float64(total)
	return meter{groups: total, weight: weight, sum: weight * entropy / math.Log(float64(could))}
}

func (s *scope) merge(t *scope) {
	s.groups += t.groups
	s.sampled += t.sampled
	s.positives += t.positives
	s.tasks += t.tasks
	s.estimated = s.estimated || t.estimated
	for i := range s.meters {
		s.meters[i].add(t.meters[i])
	}
	for name, p := range t.procedures {
		q := s.procedures[name]
		s.procedures[name] = procedureCount{q.groups + p.groups, q.positives + p.positives}
	}
	for operator, m := range t.elsewhere {
		n := s.elsewhere[operator]
		n.add(m)
		s.elsewhere[operator] = n
	}
	s.frequentItems = append(s.frequentItems, t.frequentItems...)
	for k, n := range t.operators {
		s.operators[k] += n
	}
	for k, n := range t.violations {
		s.violations[k] += n
	}
}

func (s *scope) report(view string) StatsScope {
	r := StatsScope{
		View: view, Groups: s.groups, Sampled: s.sampled, DistinctPositives: s.positives, DistinctTasks: s.tasks,
		Estimated: s.estimated, Operators: s.operators, Violations: s.violations, Measures: []Measure{}, Elsewhere: []Elsewhere{},
	}
	var positives []int
	for _, name := range slices.Sorted(maps.Keys(s.procedures)) {
		p := s.procedures[name]
		positives = append(positives, p.positives)
		if r.LargestProcedure == "" || p.groups > s.procedures[r.LargestProcedure].groups {
			r.LargestProcedure = name
		}
	}
	slices.Sort(positives)
	r.PositivesPerProcedure = Length{Min: positives[0], Median: positives[(len(positives)-1)/2], Max: positives[len(positives)-1]}
	meters := s.meters
	groups := float64(s.groups)
	meters[largestProcedure] = meter{groups: s.groups, weight: groups, sum: float64(s.procedures[r.LargestProcedure].groups), chance: groups / float64(len(positives))}
	for i := range meters {
		if meters[i].weight > 0 {
			r.Measures = append(r.Measures, meters[i].measure(measure(i)))
		}
	}
	for _, operator := range slices.Sorted(maps.Keys(s.elsewhere)) {
		m := s.elsewhere[operator]
		r.Elsewhere = append(r.Elsewhere, Elsewhere{operator, int(m.weight), round(m.sum / m.weight)})
	}
	if len(s.frequentItems) == 1 {
		r.FrequentItem = s.frequentItems[0]
	}
	return r
}
