package dataset

import "math"

// The marks of a measure: what it says about the rows.
const (
	MarkOK   = "ok"   // nothing to exploit that is worth a mark
	MarkWeak = "weak" // a gain from 0.05 on
	MarkLeak = "LEAK" // a gain from 0.10 on
	MarkFew  = "few"  // too few groups to tell
	MarkNone = ""     // a fact to know, neither good nor bad
)

const (
	gainWeak = 0.05
	gainLeak = 0.10
	// sureErrors is how many standard errors a gain has to be away from
	// chance: there are about ten measures for each of nine views.
	sureErrors = 3
	// enough groups for the measures that have no standard error.
	enough = 100
	// atOnceLimit is the share of right answers that may be a refusal without
	// any call.
	atOnceLimit = 0.05
	// Shares below these let a model learn by heart what is right.
	floorOK   = 0.5
	floorWeak = 0.1
)

// kind says how a measure is judged.
type kind int

const (
	// picks are a fixed way to choose an answer. Far below chance is a leak
	// too: choose any other answer.
	picks kind = iota
	// learns is like picks, but only better than chance is a gain. Where a
	// group and its mirror fall into different halves, what was learnt
	// misleads, as it should.
	learns
	// balances are to be neither above nor below chance.
	balances
	// caps are not to be above chance.
	caps
	// floors are shares that are better the larger they are, up to 1.
	floors
	// facts are not judged.
	facts
)

// measure numbers the measures as they are reported.
type measure int

const (
	longerText measure = iota
	moreItems
	medianText
	medianItems
	medoid
	lookUpWritten
	lookUpBase
	threeGram
	unigram
	frequent
	rightElsewhere
	refused
	refusedAtOnce
	decidingCall
	largestProcedure
	measureCount
)

var measures = [measureCount]struct {
	name  string
	kind  kind
	label string
}{
	longerText:       {"longer_text", balances, "right is longer than wrong (AUC)"},
	moreItems:        {"more_items", balances, "right has more items than wrong (AUC)"},
	medianText:       {"median_text", picks, "pick the median length"},
	medianItems:      {"median_items", picks, "pick the median number of items"},
	medoid:           {"medoid", picks, "pick the most similar to the others"},
	lookUpWritten:    {"lookup", learns, "look-up table"},
	lookUpBase:       {"lookup_base", learns, "look-up table, renaming undone"},
	threeGram:        {"three_grams", learns, "3-grams of items"},
	unigram:          {"unigrams", learns, "words of the answer"},
	frequent:         {"frequent_item", balances, "right where the frequent item is"},
	rightElsewhere:   {"right_elsewhere", floors, "wrong here but right elsewhere"},
	refused:          {"deny", balances, "right answers that refuse"},
	refusedAtOnce:    {"deny_at_once", caps, "right answers that refuse at once"},
	decidingCall:     {"deciding_call", floors, "evenness of the call that decides"},
	largestProcedure: {"largest_procedure", facts, "share of the largest procedure"},
}

// meter sums up one measure over groups.
type meter struct {
	groups   int
	weight   float64 // what the sums are divided by: groups, unless said otherwise
	sum      float64
	chance   float64 // what the sum would be by chance
	variance float64 // of the sum, by chance
	wrong    float64 // negatives, in a pick
}

func (m *meter) add(n meter) {
	m.groups += n.groups
	m.weight += n.weight
	m.sum += n.sum
	m.chance += n.chance
	m.variance += n.variance
	m.wrong += n.wrong
}

// pick takes in a group whose answer with the highest score is picked, the
// positive's score first. Ties are shared.
func (m *meter) pick(scores []float64) {
	ties, hit := 0, 1.0
	for _, s := range scores {
		switch {
		case s > scores[0]:
			hit = 0
		case s == scores[0]:
			ties++
		}
	}
	p := 1 / float64(len(scores))
	m.add(meter{groups: 1, weight: 1, sum: hit / float64(ties), chance: p, variance: p * (1 - p), wrong: float64(len(scores) - 1)})
}

// larger takes in the share of negatives whose value the positive's exceeds,
// ties counted half. By chance the positive's rank is uniform.
func (m *meter) larger(values []int) {
	sum := 0.0
	for _, v := range values[1:] {
		switch {
		case values[0] > v:
			sum++
		case values[0] == v:
			sum += 0.5
		}
	}
	n := float64(len(values) - 1)
	m.add(meter{groups: 1, weight: 1, sum: sum / n, chance: 0.5, variance: (n + 2) / (12 * n)})
}

// share takes in a group that either is so or not.
func (m *meter) share(so bool, chance float64) {
	sum := 0.0
	if so {
		sum = 1
	}
	m.add(meter{groups: 1, weight: 1, sum: sum, chance: chance, variance: chance * (1 - chance)})
}

func (m *meter) measure(which measure) Measure {
	about := measures[which]
	r := Measure{Name: about.name, Value: round(m.sum / m.weight), Groups: m.groups, Mark: m.mark(about.kind)}
	if about.kind != floors {
		chance := round(m.chance / m.weight)
		r.Chance = &chance
	}
	return r
}

func (m *meter) mark(k kind) string {
	value, chance := m.sum/m.weight, m.chance/m.weight
	var gain float64
	switch k {
	case facts:
		return MarkNone
	case floors:
		switch {
		case m.groups < enough:
			return MarkFew
		case value < floorWeak:
			return MarkLeak
		case value < floorOK:
			return MarkWeak
		}
		return MarkOK
	case picks:
		other := (1 - value) * m.weight / m.wrong // picking any other answer
		gain = max(value, other) - chance
	case learns:
		gain = value - chance
	case caps:
		if gain = value - chance; gain > 0 {
			gain += gainWeak // no excess is harmless
		}
	case balances:
		gain = math.Abs(value - chance)
	}
	sure := sureErrors * math.Sqrt(m.variance) / m.weight
	switch {
	case math.Abs(value-chance) <= sure && sure > gainLeak:
		return MarkFew
	case math.Abs(value-chance) <= sure || gain < gainWeak:
		return MarkOK
	case gain < gainLeak:
		return MarkWeak
	}
	return MarkLeak
}

// round to 6 decimals, so that machines with other floating-point
// instructions write the same report.
func round(x float64) float64 { return math.Round(x*1e6) / 1e6 }
