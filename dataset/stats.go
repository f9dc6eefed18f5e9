package dataset

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// The reasons of drops that survey naive edits, each with the operator, and
// perhaps a slash and how it was applied, as the detail: see EditStats.
const (
	ReasonEditCorrect  = "naive_edit_correct"
	ReasonEditWasteful = "naive_edit_wasteful"
	ReasonEditWrong    = "naive_edit_wrong"
)

// Stats measures what a model could exploit to pick the right answer of a
// group without understanding it: in all the measures neither context nor
// query is looked at. Add each row once, in any order; the same rows and seed
// give the same report.
//
// Memory does not grow with the number of rows. Distinct payloads are counted
// by hash, exactly up to 131072 a view (4096 a procedure) and estimated from a
// share of the hashes beyond. What has to be learnt or counted item by item
// (the look-up tables, 3-grams, words and the frequent item) is measured on a
// sample of the groups, 64 MiB a view: StatsScope.Sampled says how many. All
// else is exact.
type Stats struct {
	seed   uint64
	limits statsLimits
	rows   int
	views  map[viewKey]*viewStats
	edits  map[string]*EditStats
}

type statsLimits struct {
	keys          int // distinct payloads of a view
	procedureKeys int // distinct positives of a procedure and view
	sampleBytes   int // of a view
}

type viewKey struct {
	stage int
	view  string
}

// NewStats returns empty statistics. The seed draws the sample, and the half
// of it on which the learning measures are trained.
func NewStats(seed uint64) *Stats {
	return &Stats{
		seed:   seed,
		limits: statsLimits{keys: 1 << 17, procedureKeys: 1 << 12, sampleBytes: 64 << 20},
		views:  map[viewKey]*viewStats{}, edits: map[string]*EditStats{},
	}
}

// Add takes a row in; the row is not kept. A row without negatives is no
// choice and is left out.
func (s *Stats) Add(r *Row) {
	if len(r.Negatives) == 0 {
		return
	}
	s.rows++
	key := viewKey{r.Stage, r.View}
	v, ok := s.views[key]
	if !ok {
		v = newViewStats(s.limits)
		s.views[key] = v
	}
	v.add(newStatsGroup(r, s.seed))
}

// AddDrop takes in what a drop says about naive edits; other drops say nothing
// here.
func (s *Stats) AddDrop(d Drop) {
	if d.Reason != ReasonEditCorrect && d.Reason != ReasonEditWasteful && d.Reason != ReasonEditWrong {
		return
	}
	operator, _, _ := strings.Cut(d.Detail, "/")
	e, ok := s.edits[operator]
	if !ok {
		e = &EditStats{Operator: operator}
		s.edits[operator] = e
	}
	n := max(1, d.Count)
	e.Edits += n
	switch d.Reason {
	case ReasonEditCorrect:
		e.correct += n
	case ReasonEditWasteful:
		e.wasteful += n
	}
}

// StatsReport is what Stats found. It is plain data for JSON.
type StatsReport struct {
	Seed   uint64       `json:"seed"`
	Rows   int          `json:"rows"`
	Stages []StageStats `json:"stages"`
	Edits  []EditStats  `json:"edits"`
	// Overlap is left to the caller: it is in the manifest.
	Overlap map[string]Overlap `json:"overlap,omitempty"`
}

// StageStats is one stage: its views together, then each alone. A measure of
// the whole is the mean over the groups of the views, each judged in its own.
type StageStats struct {
	Stage int          `json:"stage"`
	All   StatsScope   `json:"all"`
	Views []StatsScope `json:"views"`
}

// StatsScope is what was found in one view, or in all of a stage.
type StatsScope struct {
	View    string `json:"view"` // empty for all
	Groups  int    `json:"groups"`
	Sampled int    `json:"sampled"` // groups that the learning measures saw
	// DistinctPositives counts right answers under the domain's own names, of
	// a next action the item without its arguments.
	DistinctPositives int `json:"distinct_positives"`
	// DistinctTasks counts pairs of a context and its right answer.
	DistinctTasks int `json:"distinct_tasks"`
	// Estimated is true where the two are not exact.
	Estimated             bool           `json:"estimated"`
	PositivesPerProcedure Length         `json:"positives_per_procedure"` // distinct ones; lower median
	LargestProcedure      string         `json:"largest_procedure"`
	FrequentItem          string         `json:"frequent_item"` // of the measure frequent_item; empty where views have several
	Measures              []Measure      `json:"measures"`
	Elsewhere             []Elsewhere    `json:"elsewhere"`
	Operators             map[string]int `json:"operators"`
	Violations            map[string]int `json:"violations"`
}

// Measure is one number held against chance.
type Measure struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	// Chance is what the value would be if nothing could be exploited; null
	// where there is no such number.
	Chance *float64 `json:"chance"`
	Groups int      `json:"groups"` // that it rests on
	Mark   string   `json:"mark"`
}

// Elsewhere says how many of the negatives that an operator made are the
// positive of another row of the same procedure and view.
type Elsewhere struct {
	Operator  string  `json:"operator"`
	Negatives int     `json:"negatives"`
	Share     float64 `json:"share"`
}

// EditStats says what became of naive edits of one operator: the share whose
// result is still right, and the share whose result is only wasteful. The rest
// is wrong, as a naive generator takes for granted.
type EditStats struct {
	Operator     string  `json:"operator"`
	Edits        int     `json:"edits"`
	StillCorrect float64 `json:"still_correct"`
	OnlyWasteful float64 `json:"only_wasteful"`

	correct, wasteful int
}

// Report computes the report of what was added so far.
func (s *Stats) Report() StatsReport {
	report := StatsReport{Seed: s.seed, Rows: s.rows, Stages: []StageStats{}, Edits: []EditStats{}}
	keys := slices.SortedFunc(maps.Keys(s.views), func(a, b viewKey) int {
		return cmp.Or(cmp.Compare(a.stage, b.stage), cmp.Compare(viewOrder(a), viewOrder(b)), cmp.Compare(a.view, b.view))
	})
	for len(keys) > 0 {
		stage := StageStats{Stage: keys[0].stage}
		all := newScope()
		for len(keys) > 0 && keys[0].stage == stage.Stage {
			scope := s.views[keys[0]].scope()
			all.merge(scope)
			stage.Views = append(stage.Views, scope.report(keys[0].view))
			keys = keys[1:]
		}
		stage.All = all.report("")
		report.Stages = append(report.Stages, stage)
	}
	for _, operator := range slices.Sorted(maps.Keys(s.edits)) {
		e := *s.edits[operator]
		e.StillCorrect = float64(e.correct) / float64(e.Edits)
		e.OnlyWasteful = float64(e.wasteful) / float64(e.Edits)
		report.Edits = append(report.Edits, e)
	}
	return report
}

// viewOrder is the view's place in its stage; unknown views come last.
func viewOrder(k viewKey) int {
	stage := stageOf(k.stage)
	if stage == nil {
		return 0
	}
	if i := slices.Index(stage.Views, k.view); i >= 0 {
		return i
	}
	return len(stage.Views)
}
