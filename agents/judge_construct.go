package agents

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/fmsop/fmsop/augment"
	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/rubric"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/text"
	"github.com/fmsop/fmsop/stages"
)

// constructed is an answer that is known to be right, or wrong.
type constructed struct {
	question *rubric.Question
	operator string
	form     string
	text     string
	right    bool
	holds    func(said string) bool // whether an answer to the question is right
}

// Forms of constructed answers: as the question asks for them, and in prose.
const (
	asAsked = "asked"
	inProse = "prose"
)

// edit is the value of a key that an operator changed, or left right.
type edit struct {
	operator string
	value    []string
	right    bool
}

// construct makes up to n answers of each operator and form out of questions
// with a key: its own value and other right ones, and values that are proven
// wrong. Where an answer is one of calls, the proof is a fault, not mere waste.
// Every answer is held against its key as it is written. Procedures take turns.
func construct(questions []rubric.Question, n int, seed uint64) []constructed {
	calls := callsOf(questions)
	var list []constructed
	count := map[string]int{}
	for _, q := range keyedInTurn(questions, seed) {
		rng := rngOf(seed, "construct", q.ID)
		edits := editsOf(q, calls[q.Domain], rng)
		rng.Shuffle(len(edits), func(i, j int) { edits[i], edits[j] = edits[j], edits[i] })
		taken := map[string]bool{}
		for _, e := range edits {
			if taken[e.operator] || count[e.operator] == n {
				continue
			}
			pair := make([]constructed, 0, 2)
			for _, form := range []string{asAsked, inProse} {
				c := constructed{q, e.operator, form, render(q, form, e.value, rng), e.right, func(said string) bool { return keyed(q, said) }}
				if c.holds(c.text) == e.right {
					pair = append(pair, c)
				}
			}
			if len(pair) == 2 {
				list, taken[e.operator] = append(list, pair...), true
				count[e.operator]++
			}
		}
	}
	return list
}

// inOrder puts answers of one operator and form next to each other.
func inOrder(list []constructed) {
	slices.SortStableFunc(list, func(a, b constructed) int {
		return cmp.Or(cmp.Compare(slices.Index(operators, a.operator), slices.Index(operators, b.operator)), cmp.Compare(a.form, b.form))
	})
}

// operators in the order in which they are shown: right answers first.
var operators = []string{rubric.OperatorReference, rubric.OperatorOther,
	string(augment.Substitute), string(augment.Order), string(augment.Omit), string(augment.Insert), string(augment.Outcome),
	string(augment.Cycle), string(augment.Precondition), string(augment.Edge), string(augment.Connective)}

func rngOf(seed uint64, parts ...string) *rand.Rand {
	h := fnv.New64a()
	for _, p := range parts {
		fmt.Fprintln(h, p)
	}
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}

// keyedInTurn are the questions with a key, drawn so that the units take turns.
func keyedInTurn(questions []rubric.Question, seed uint64) []*rubric.Question {
	var list []*rubric.Question
	for i := range questions {
		if questions[i].Key.Kind != rubric.KeyNone {
			list = append(list, &questions[i])
		}
	}
	rng := rngOf(seed, "turns")
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	inTurn(list, func(q *rubric.Question) string { return q.Unit })
	return list
}

// inTurn sorts a list so that every unit has its turn before one has another.
func inTurn[T any](list []T, unit func(T) string) {
	type placed struct {
		turn int
		item T
	}
	of := map[string]int{}
	order := make([]placed, len(list))
	for i, x := range list {
		order[i] = placed{of[unit(x)], x}
		of[unit(x)]++
	}
	slices.SortStableFunc(order, func(a, b placed) int { return cmp.Compare(a.turn, b.turn) })
	for i, p := range order {
		list[i] = p.item
	}
}

// callsOf are the calls that a domain's questions are about.
func callsOf(questions []rubric.Question) map[string][]string {
	calls := map[string][]string{}
	for _, q := range questions {
		if r, err := stages.ParseReference([]byte(q.Key.Check)); err == nil {
			for _, c := range sortedKeys(r.Requires) {
				if !slices.Contains(calls[q.Domain], c) {
					calls[q.Domain] = append(calls[q.Domain], c)
				}
			}
		}
	}
	return calls
}

// keyed tells whether the key takes an answer for wholly right.
func keyed(q *rubric.Question, said string) bool {
	s, err := SymbolicScorer{}.Score(context.Background(), q, &rubric.Answer{Question: q.ID, Text: said})
	return err == nil && rubric.Reaches(s.E[q.Dimensions[0]], 1)
}

// editsOf lists what can be made of a question's key. What is wrong by mistake
// of this list is left out when it is held against the key.
func editsOf(q *rubric.Question, calls []string, rng *rand.Rand) []edit {
	list := []edit{{rubric.OperatorReference, q.Key.Value, true}}
	wrong := func(operator augment.Operator, value ...string) {
		list = append(list, edit{string(operator), value, false})
	}
	key := q.Key.Value
	switch {
	case q.Key.Check != "":
		r, err := stages.ParseReference([]byte(q.Key.Check))
		if err != nil {
			return nil
		}
		outside := slices.DeleteFunc(slices.Clone(calls), func(c string) bool { _, own := r.Requires[c]; return own })
		if q.Key.Kind == rubric.KeySequence {
			return append(list, workflowEdits(r, key, outside)...)
		}
		return append(list, nextEdits(q, r, outside, rng)...)
	case q.Key.Kind == rubric.KeySet:
		others := slices.DeleteFunc(severalWords(names(q.Context)), func(n string) bool { return slices.Contains(key, n) || strings.Contains(q.Query, n) })
		for i := range key {
			rest := slices.Delete(slices.Clone(key), i, i+1)
			wrong(augment.Omit, rest...)
			if len(others) > 0 {
				wrong(augment.Substitute, append(rest, pick(rng, others))...)
			}
		}
		if len(others) > 0 {
			wrong(augment.Insert, append(slices.Clone(key), pick(rng, others))...)
		}
	case q.Key.Kind == rubric.KeyOutcome:
		for _, end := range ends(q) {
			if end != key[0] {
				wrong(augment.Outcome, end)
			}
		}
	default:
		for _, other := range alternatives(q) {
			wrong(augment.Substitute, other)
		}
	}
	return list
}

// workflowEdits are those of stage 2: what has a fault, and other orders that
// are right.
func workflowEdits(r *stages.Reference, w sop.Workflow, outside []string) []edit {
	m, err := sop.Compile(r.Graph())
	if err != nil {
		return nil
	}
	var finals []string
	for _, o := range r.Outcomes {
		finals = append(finals, o.End)
	}
	own := slices.DeleteFunc(sortedKeys(r.Requires), func(c string) bool { return slices.Contains(finals, c) })
	var list []edit
	for _, e := range slices.Concat(augment.Orders(w), augment.Omits(w), augment.Inserts(w, own, outside), augment.Outcomes(w, finals)) {
		found := m.Check(r.Facts, slices.Concat(r.History, e.Workflow))
		switch {
		case len(found) == 0 && e.Operator == augment.Order:
			list = append(list, edit{rubric.OperatorOther, e.Workflow, true})
		case slices.ContainsFunc(found, func(v sop.Violation) bool { return v.Kind.Fault() }) && !strings.HasSuffix(e.How, "_end"):
			list = append(list, edit{string(e.Operator), e.Workflow, false})
		}
	}
	return list
}

// nextEdits are the other items that could come next, by what is wrong with
// each; those that are only wasteful are left out.
func nextEdits(q *rubric.Question, r *stages.Reference, outside []string, rng *rand.Rand) []edit {
	candidates := sortedKeys(r.Requires)
	for _, o := range r.Outcomes {
		candidates = append(candidates, o.End)
	}
	if len(outside) > 0 {
		candidates = append(candidates, pick(rng, outside))
	}
	byViolation := map[string]augment.Operator{
		string(sop.Unmet): augment.Order, string(sop.Order): augment.Order, string(sop.WrongEnd): augment.Outcome, string(sop.Outside): augment.Insert,
	}
	var list []edit
	for _, item := range candidates {
		v, err := stages.Judge([]byte(q.Key.Check), dataset.ViewNextAction, text.RenderNext("call", item, r.Parameters, r.Bindings, rng))
		if err != nil || v.Unreadable != "" || item == q.Key.Value[0] {
			continue
		}
		if v.Valid {
			list = append(list, edit{rubric.OperatorOther, []string{item}, true})
		} else if operator, ok := byViolation[v.Violations[0].Kind]; ok {
			list = append(list, edit{string(operator), []string{item}, false})
		}
	}
	return list
}

// alternatives are values of the kind of the key's that stand beside it: terms
// of the glossary, names of the text, or other numbers.
func alternatives(q *rubric.Question) []string {
	key := q.Key.Value[0]
	if number, err := strconv.ParseFloat(key, 64); err == nil {
		return []string{sop.Number(number + 1), sop.Number(2*number + 1), sop.Number(number - 1)}
	}
	var list []string
	if entries, err := text.ReadGlossary(q.Context); err == nil {
		for _, e := range entries {
			list = append(list, e.Term)
		}
	} else {
		list = severalWords(names(q.Context))
	}
	return slices.DeleteFunc(list, func(s string) bool { return s == key || slices.Contains(q.Key.Also, s) })
}

// Sentences around a value in prose.
var (
	oneInProse  = []string{"By what the documents say, the answer is {value}.", "Going through the text, one comes to {value}.", "It has to be {value} here, since nothing else in the documents fits the question."}
	noneInProse = []string{"Going through the documents, one finds that there is none.", "By what the documents say, the answer is none."}
	setInProse  = []string{"By what the documents say, these are the ones: {value}.", "Going through the text, one finds {value}."}
	nextInProse = []string{"{value} That is what the procedure has due at this point.", "Given what is known so far, one thing is due. {value}"}
)

// render writes a value.
func render(q *rubric.Question, form string, value []string, rng *rand.Rand) string {
	r, err := stages.ParseReference([]byte(q.Key.Check))
	withCalls := err == nil
	format := q.Format
	if form == inProse {
		format = inProse
	}
	fill := func(sentences []string, said string) string {
		return strings.ReplaceAll(pick(rng, sentences), "{value}", said)
	}
	switch {
	case q.Key.Kind == rubric.KeySequence:
		return text.RenderWorkflow(format, value, rng)
	case withCalls && form == inProse:
		return fill(nextInProse, text.RenderNext("sentence", value[0], r.Parameters, r.Bindings, rng))
	case withCalls:
		return text.RenderNext(format, value[0], r.Parameters, r.Bindings, rng)
	case len(value) == 0 && form == inProse:
		return pick(rng, noneInProse)
	case len(value) == 0:
		return "none"
	case q.Key.Kind == rubric.KeySet && form == inProse:
		quoted := make([]string, len(value))
		for i, v := range value {
			quoted[i] = "`" + v + "`"
		}
		last := len(quoted) - 1
		if last == 0 {
			return fill(setInProse, quoted[0])
		}
		return fill(setInProse, strings.Join(quoted[:last], ", ")+" and "+quoted[last])
	case form == inProse:
		said := value[0]
		if strings.Contains(said, "_") {
			said = "`" + said + "`"
		}
		if q.Key.Unit != "" {
			said += " " + q.Key.Unit
		}
		return fill(oneInProse, said)
	}
	return strings.Join(value, ", ")
}
