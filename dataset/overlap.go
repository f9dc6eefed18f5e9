package dataset

import "fmt"

// Overlap says how much of what a held-out split has is in the training split
// too.
type Overlap struct {
	// Wordings are those of queries, as the key query of a row's meta names them.
	Wordings Shared `json:"wordings"`
	// Subtrees are the trees of a reference's rules that join several others.
	Subtrees Shared `json:"subtrees"`
	// Facts are whole assignments of facts.
	Facts Shared `json:"facts"`
}

// Shared counts different things of a split, and those that the training split
// has too. Both are counted by 64-bit hashes, under the domain's own names; from
// mostKept on they are estimated from a share of the hashes.
type Shared struct {
	Distinct  int  `json:"distinct"`
	InTrain   int  `json:"in_train"`
	Estimated bool `json:"estimated"`
}

// String is "51 of 142", or "about 51 of 142".
func (s Shared) String() string {
	about := ""
	if s.Estimated {
		about = "about "
	}
	return fmt.Sprintf("%s%d of %d", about, s.InTrain, s.Distinct)
}

// Distinct counts the tasks of a stage that differ in their variant, scenario or
// right answer, however they are worded. Of stage 1 the variant is what the
// glossary or the procedure says, and the scenario what is asked about.
type Distinct struct {
	// Tasks are told apart by a variant's names too.
	Tasks int `json:"tasks"`
	// NamesUndone are the tasks that differ under the domain's own names.
	NamesUndone int  `json:"names_undone"`
	Estimated   bool `json:"estimated"`
}

// mostKept bounds each set of hashes: about 5 MiB.
const mostKept = 1 << 17

type hashes = thinned[struct{}]

// mostTasks bounds each set of the tasks of a stage, so that 200,000 of them are
// counted exactly.
const mostTasks = 1 << 18

// tasks are those of one stage, see Distinct.
type tasks struct{ written, undone *hashes }

// met is what rows of one split have.
type met struct{ wordings, subtrees, facts *hashes }

func newMet() *met {
	return &met{newThinned[struct{}](mostKept), newThinned[struct{}](mostKept), newThinned[struct{}](mostKept)}
}

func (m *met) sets() []*hashes { return []*hashes{m.wordings, m.subtrees, m.facts} }

func (m *met) merge(other *met) {
	from := other.sets()
	for i, set := range m.sets() {
		set.merge(from[i])
	}
}

// with compares a split with the training split.
func (m *met) with(train *met) Overlap {
	return Overlap{
		Wordings: shared(m.wordings, train.wordings), Subtrees: shared(m.subtrees, train.subtrees), Facts: shared(m.facts, train.facts),
	}
}

// shared looks at the hashes that both sets would keep.
func shared(set, train *hashes) Shared {
	bits := max(set.bits, train.bits)
	s := Shared{Distinct: set.count(), Estimated: bits > 0}
	for h := range set.kept {
		if _, too := train.kept[h]; too && h&(1<<bits-1) == 0 {
			s.InTrain++
		}
	}
	s.InTrain <<= bits
	return s
}

// wanted is a member of a JSON object, and where its text goes.
type wanted struct {
	key  string
	text *string
}

// take fills in the wanted members that the object has.
func take(object string, list []wanted) {
	members(object, func(key, text string) {
		for _, w := range list {
			if w.key == key {
				*w.text = text
			}
		}
	})
}

// meet takes in what a row has, and returns the hash of its task, and that of the
// same under the domain's own names.
func (m *met) meet(r *Row) (written, undone uint64) {
	var meta struct{ query, names, rules, thresholds, glossary string }
	take(r.Meta, []wanted{{"query", &meta.query}, {"names", &meta.names}, {"rules", &meta.rules}, {"thresholds", &meta.thresholds}, {"glossary", &meta.glossary}})
	var reference struct{ requires, establishedBy, outcomes, facts, values, history, subject string }
	take(r.Reference, []wanted{{"requires", &reference.requires}, {"established_by", &reference.establishedBy}, {"outcomes", &reference.outcomes},
		{"facts", &reference.facts}, {"values", &reference.values}, {"history", &reference.history}, {"subject", &reference.subject}})
	bases := map[string]string{}
	members(meta.names, func(base, alias string) { bases[unquoted(alias)] = base })
	hash := func(text string, bases map[string]string, tree func(uint64)) uint64 {
		w := walker{rest: text, bases: bases, tree: tree}
		return w.value(false)
	}

	if meta.query != "" {
		m.wordings.at(hash64(0, meta.query))
	}
	keep := func(h uint64) { m.subtrees.at(h) }
	hash(reference.requires, bases, keep)
	hash(reference.outcomes, bases, keep)
	facts := hash(reference.facts, bases, nil)
	if facts != 0 {
		m.facts.at(facts)
	}

	task := hash64(0, r.Domain, r.Procedure, r.View)
	for _, part := range []string{meta.rules, meta.thresholds, meta.glossary, reference.values, reference.subject} { // of no variant's names
		task = mix(task ^ hash(part, nil, nil))
	}
	task = mix(task ^ facts)
	undone = task
	for _, part := range []string{reference.history, r.Positive.Payload} {
		undone = mix(undone ^ hash(part, bases, nil))
	}
	names := meta.names
	if reference.requires != "" {
		names = "" // those that the graph bears count, no others
	}
	written = undone
	for _, part := range []string{names, reference.requires, reference.establishedBy, reference.history, r.Positive.Payload} {
		written = mix(written ^ hash(part, nil, nil))
	}
	return written, undone
}
