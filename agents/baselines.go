package agents

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/rubric"
	"github.com/fmsop/fmsop/sop"
)

// Baselines are named as such wherever they appear: none is a model.
const (
	Oracle = "baseline:oracle" // knows the key
	Random = "baseline:random" // draws from the names in the text
	Prior  = "baseline:prior"  // gives what is right most often, whatever the case
	BM25   = "baseline:bm25"   // copies names from the sentence that is most like the query
)

// Baselines lists them.
var Baselines = []string{Oracle, Random, Prior, BM25}

// NewBaseline returns the baseline of that name. Prior learns from the given
// questions, which must not be those that it is asked.
func NewBaseline(name string, learn []rubric.Question, seed uint64) (Answerer, error) {
	switch name {
	case Oracle:
		return baseline{name, func(q *rubric.Question, _ *rand.Rand) string { return q.Reference }, seed}, nil
	case Random:
		return baseline{name, randomAnswer, seed}, nil
	case Prior:
		return baseline{name, newPrior(learn).answer, seed}, nil
	case BM25:
		return baseline{name, retrieved, seed}, nil
	}
	return nil, fmt.Errorf("baseline %q, want one of %s", name, strings.Join(Baselines, ", "))
}

// baseline answers from a question and a source of chance alone.
type baseline struct {
	name  string
	reply func(*rubric.Question, *rand.Rand) string
	seed  uint64
}

func (b baseline) Name() string { return b.name }

func (b baseline) Answer(_ context.Context, q *rubric.Question, repeat int) (rubric.Answer, error) {
	h := fnv.New64a()
	fmt.Fprintln(h, b.name, q.ID, repeat)
	return answer(b.name, q, repeat, b.reply(q, rand.New(rand.NewPCG(b.seed, h.Sum64())))), nil
}

var identifier = regexp.MustCompile("`[a-z][a-z0-9_]*(?:\\([^`]*\\))?`|[a-z][a-z0-9]*(?:_[a-z0-9]+)+")

// names of calls and conditions, each once, in order of appearance.
func names(text string) (list []string) {
	for _, n := range identifier.FindAllString(text, -1) {
		if n = strings.Trim(n, "`"); !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	return list
}

// ends are the two answers that a question of kind outcome offers.
func ends(q *rubric.Question) []string {
	if list := names(q.Query); slices.Contains(list, sop.Deny) {
		return list[:min(2, len(list))]
	}
	if strings.Contains(q.Query, "otherwise") || strings.Contains(q.Query, "Which end") {
		return append(names(q.Query)[:1], sop.Deny)
	}
	return []string{"yes", "no"}
}

func randomAnswer(q *rubric.Question, rng *rand.Rand) string {
	list := names(q.Context)
	switch q.Key.Kind {
	case rubric.KeyOutcome:
		return pick(rng, ends(q))
	case rubric.KeySet, rubric.KeySequence:
		rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		list = list[:min(len(list), 1+rng.IntN(4))]
		if q.Key.Kind == rubric.KeySequence && rng.IntN(2) == 0 {
			list = append(list, sop.Deny)
		}
		return strings.Join(list, "\n")
	}
	if len(list) == 0 {
		list = strings.Fields(q.Context)
	}
	return pick(rng, list)
}

// prior counts right answers by what is asked of which procedure.
type prior map[string]map[string]int

func newPrior(learn []rubric.Question) prior {
	p := prior{}
	for _, q := range learn {
		for _, key := range priorKeys(&q) {
			if p[key] == nil {
				p[key] = map[string]int{}
			}
			p[key][q.Reference]++
		}
	}
	return p
}

// priorKeys go from the narrowest to the widest.
func priorKeys(q *rubric.Question) []string {
	asked, _, _ := strings.Cut(q.Wording, "/")
	return []string{asked + " " + q.Procedure, asked, q.Key.Kind}
}

func (p prior) answer(q *rubric.Question, _ *rand.Rand) string {
	for _, key := range priorKeys(q) {
		if counts := p[key]; len(counts) > 0 {
			return slices.MaxFunc(slices.Sorted(maps.Keys(counts)), func(a, b string) int { return cmp.Compare(counts[a], counts[b]) })
		}
	}
	return ""
}

// retrieved answers with the names, or the words, of the line that BM25 ranks
// first for the query (Robertson and Zaragoza 2009, k1 = 1.2, b = 0.75).
func retrieved(q *rubric.Question, rng *rand.Rand) string {
	lines := strings.FieldsFunc(q.Context+"\n"+q.Case, func(r rune) bool { return r == '\n' })
	if len(lines) == 0 {
		return ""
	}
	line := lines[bm25(lines, q.Query)]
	switch list := names(line); {
	case q.Key.Kind == rubric.KeyOutcome:
		return ends(q)[0]
	case len(list) > 0 && q.Key.Kind == rubric.KeyValue:
		return list[0]
	case len(list) > 0:
		return strings.Join(list, "\n")
	}
	return line
}

// bm25 returns the index of the line that fits the query best, the first of
// equals.
func bm25(lines []string, query string) int {
	const k1, b = 1.2, 0.75
	words := func(s string) []string {
		return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9') })
	}
	counts, length, in := make([]map[string]int, len(lines)), 0.0, map[string]int{}
	for i, line := range lines {
		counts[i] = map[string]int{}
		for _, w := range words(line) {
			counts[i][w]++
			length++
		}
		for w := range counts[i] {
			in[w]++
		}
	}
	mean := length / float64(len(lines))
	best, top := 0, math.Inf(-1)
	for i := range lines {
		own := 0.0
		for _, n := range counts[i] {
			own += float64(n)
		}
		score := 0.0
		for _, w := range words(query) {
			n, f := float64(in[w]), float64(counts[i][w])
			idf := math.Log(1 + (float64(len(lines))-n+0.5)/(n+0.5))
			score += idf * f * (k1 + 1) / (f + k1*(1-b+b*own/mean))
		}
		if score > top {
			best, top = i, score
		}
	}
	return best
}
