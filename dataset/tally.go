package dataset

import (
	"math/bits"
	"slices"
	"strconv"
	"unicode/utf8"
)

// tally counts rows for the manifest. Adding rows in any order, or in parts
// that are merged, gives the same result; its size does not depend on how
// many there were.
type tally struct {
	counts                             Counts
	context, query, positive, negative histogram
	met                                map[string]*met   // by split
	tasks                              map[string]*tasks // by stage
	tokens                             splitTokens
}

func newTally() *tally {
	return &tally{
		counts: Counts{
			Split: map[string]int{}, Stage: map[string]int{}, View: map[string]int{}, Domain: map[string]int{},
			Procedure: map[string]int{}, Operator: map[string]int{}, Violation: map[string]int{},
		},
		context: newHistogram(), query: newHistogram(), positive: newHistogram(), negative: newHistogram(),
		met: map[string]*met{}, tasks: map[string]*tasks{}, tokens: splitTokens{},
	}
}

func (t *tally) add(r *Row) {
	t.counts.Split[r.Split]++
	t.counts.Stage[strconv.Itoa(r.Stage)]++
	t.counts.View[r.View]++
	t.counts.Domain[r.Domain]++
	if p := r.procedure(); p != "" {
		t.counts.Procedure[p]++
	}
	t.context.add(utf8.RuneCountInString(r.Context))
	t.query.add(utf8.RuneCountInString(r.Query))
	t.positive.add(utf8.RuneCountInString(r.Positive.Text))
	for i := range r.Negatives {
		n := &r.Negatives[i]
		t.counts.Operator[n.Operator]++
		if n.Violation != "" {
			t.counts.Violation[n.Violation]++
		}
		t.negative.add(utf8.RuneCountInString(n.Text))
	}
	tasks := t.stage(strconv.Itoa(r.Stage))
	written, undone := t.split(r.Split).meet(r)
	tasks.written.at(written)
	tasks.undone.at(undone)
}

func (t *tally) split(name string) *met {
	if t.met[name] == nil {
		t.met[name] = newMet()
	}
	return t.met[name]
}

func (t *tally) stage(number string) *tasks {
	if t.tasks[number] == nil {
		t.tasks[number] = &tasks{newThinned[struct{}](mostTasks), newThinned[struct{}](mostTasks)}
	}
	return t.tasks[number]
}

func (t *tally) merge(u *tally) {
	into, from := t.counts.groups(), u.counts.groups()
	for i := range into {
		for k, n := range from[i].counts {
			into[i].counts[k] += n
		}
	}
	t.context.merge(&u.context)
	t.query.merge(&u.query)
	t.positive.merge(&u.positive)
	t.negative.merge(&u.negative)
	for name, m := range u.met {
		t.split(name).merge(m)
	}
	for number, from := range u.tasks {
		into := t.stage(number)
		into.written.merge(from.written)
		into.undone.merge(from.undone)
	}
	t.tokens.merge(u.tokens)
}

func (t *tally) distinct() map[string]Distinct {
	distinct := map[string]Distinct{}
	for number, s := range t.tasks {
		distinct[number] = Distinct{s.written.count(), s.undone.count(), !s.written.exact() || !s.undone.exact()}
	}
	return distinct
}

// overlap is that of the held-out splits with the training split.
func (t *tally) overlap() map[string]Overlap {
	overlap := map[string]Overlap{}
	for _, split := range []string{Validation, Test} {
		overlap[split] = t.split(split).with(t.split(Train))
	}
	return overlap
}

func (t *tally) lengths() Lengths {
	return Lengths{t.context.length(), t.query.length(), t.positive.length(), t.negative.length()}
}

type group struct {
	name   string
	counts map[string]int
}

func (c Counts) groups() []group {
	return []group{{"split", c.Split}, {"stage", c.Stage}, {"view", c.View}, {"domain", c.Domain},
		{"procedure", c.Procedure}, {"operator", c.Operator}, {"violation", c.Violation}}
}

// histogram has bins of one value up to 255, and 128 bins for every doubling
// above: a median within 1 % from a few thousand numbers.
type histogram struct {
	bins     map[int]int
	n        int
	min, max int
}

func newHistogram() histogram { return histogram{bins: map[int]int{}} }

const binBits = 8 // values under 1<<binBits have a bin each

// bin numbers are monotone in the value.
func bin(value int) int {
	shift := max(0, bits.Len(uint(value))-binBits)
	return shift<<(binBits-1) + value>>shift
}

// binStart is the smallest value in the bin.
func binStart(bin int) int {
	shift := max(0, bin>>(binBits-1)-1)
	return (bin - shift<<(binBits-1)) << shift
}

func (h *histogram) add(value int) {
	if h.n == 0 || value < h.min {
		h.min = value
	}
	h.max = max(h.max, value)
	h.n++
	h.bins[bin(value)]++
}

func (h *histogram) merge(g *histogram) {
	if g.n == 0 {
		return
	}
	if h.n == 0 || g.min < h.min {
		h.min = g.min
	}
	h.max = max(h.max, g.max)
	h.n += g.n
	for b, n := range g.bins {
		h.bins[b] += n
	}
}

// length takes the lower of the two middle values for the median.
func (h *histogram) length() Length {
	bins := make([]int, 0, len(h.bins))
	for b := range h.bins {
		bins = append(bins, b)
	}
	slices.Sort(bins)
	below := 0
	for _, b := range bins {
		below += h.bins[b]
		if 2*below >= h.n {
			return Length{h.min, max(h.min, binStart(b)), h.max}
		}
	}
	return Length{}
}
