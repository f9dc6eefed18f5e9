package corpus

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/fmsop/fmsop/data"
	"github.com/fmsop/fmsop/sop"
)

const taskFileSuffix = "_tasks.json"

func isTaskFile(path string, info fs.FileInfo) bool {
	return info.Mode().IsRegular() && filepath.Ext(path) == ".json"
}

// loadTaskFile reads a task file of SOPBench. Its constraint trees are the
// variants, its databases and users the scenarios; what words them is the
// built-in pack of the domain.
func loadTaskFile(path string) (*Corpus, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("corpus %q cannot be read: %w", path, withoutPath(err))
	}
	return readTaskFile(path, text)
}

func readTaskFile(path string, text []byte) (*Corpus, error) {
	tasks, problems := decodeTasks(path, text)
	if len(problems) > 0 {
		return nil, problems
	}
	base, err := basePack(path, tasks)
	if err != nil {
		return nil, err
	}
	b := taskCorpus{pack: base, d: openDomain(base.domain), leftOut: map[string][]string{}}
	b.declare(tasks)
	for _, t := range tasks {
		if reason := b.add(t); reason != "" {
			b.leftOut[reason] = append(b.leftOut[reason], t.where)
		}
	}
	b.closeDomain(tasks)
	if len(b.d.Procedures) == 0 {
		return nil, Problems{{File: path, Text: "no task can be used: " + strings.Join(b.leftOutNotes(len(tasks)), "; ")}}
	}
	return &Corpus{Domain: b.d, Source: path, Notes: append(b.leftOutNotes(len(tasks)), b.notes...), Split: "scenario"}, nil
}

// basePack returns the built-in pack that a task file is of: the one that its
// name says, else the one that knows most of its goals, if that is more than
// half of them.
func basePack(path string, tasks []*task) (*pack, error) {
	named := strings.TrimSuffix(filepath.Base(path), taskFileSuffix)
	goals := map[string]bool{}
	for _, t := range tasks {
		goals[t.goal] = true
	}
	var best *pack
	bestKnown := len(goals) / 2
	for _, name := range Builtin() {
		p, _, err := readPack(data.FS, name, "data/"+name)
		if err != nil {
			return nil, err
		}
		if name == named {
			return p, nil
		}
		known := 0
		for g := range goals {
			if p.domain.Procedure(g) != nil {
				known++
			}
		}
		if known > bestKnown {
			best, bestKnown = p, known
		}
	}
	if best == nil {
		return nil, Problems{{File: path, Text: fmt.Sprintf("no built-in domain knows more than half of the %d goals (%s), want a task file of %s",
			len(goals), firstFew(sortedKeys(goals)), strings.Join(Builtin(), ", "))}}
	}
	return best, nil
}

// openDomain returns a copy of d to which declarations and cases can be added
// without touching d.
func openDomain(d *sop.Domain) *sop.Domain {
	open := *d
	open.Parameters = maps.Clone(d.Parameters)
	open.Conditions = maps.Clone(d.Conditions)
	open.Actions = maps.Clone(d.Actions)
	open.Procedures = make([]*sop.Procedure, len(d.Procedures))
	for i, p := range d.Procedures {
		own := *p
		open.Procedures[i] = &own
	}
	return &open
}

// taskCorpus collects the cases of a task file.
type taskCorpus struct {
	*pack
	d       *sop.Domain
	leftOut map[string][]string // reason -> tasks
	notes   []string
	denied  []string // tasks whose tree contradicts itself
	implied []string // tasks with facts that only their verdict tells
}

// add makes a case of the task, or tells why not.
func (b *taskCorpus) add(t *task) (reason string) {
	p := b.d.Procedure(t.goal)
	if p == nil {
		return "the goal is neither in the pack nor shown as a function"
	}
	for _, name := range t.tree.Names() {
		n, err := sop.ParseName(name)
		if err != nil || b.d.Conditions[n.Base] == nil {
			return fmt.Sprintf("nothing tells how the condition %q becomes known", n.Base)
		}
	}
	rules := []*sop.Tree{}
	switch {
	case t.tree != nil && t.tree.Op == sop.All:
		rules = t.tree.Parts
	case t.tree != nil:
		rules = append(rules, t.tree)
	}
	thresholds := map[string]float64{}
	for name, x := range t.parameters {
		if b.d.Thresholds[name] != nil {
			thresholds[name] = x
		}
	}
	variant, err := b.d.Variant(p, sop.Choice{Rules: rules, Thresholds: thresholds})
	if err != nil {
		return err.Error()
	}
	scenario, reason := b.scenario(t, variant)
	if reason == "" {
		reason = b.verdict(t, variant, scenario)
	}
	if reason != "" {
		return reason
	}
	p.Cases = append(p.Cases, &sop.Case{Rules: rules, Thresholds: thresholds, Scenario: scenario, Source: t.source})
	if ok, err := canBePermitted(variant); err == nil && !ok {
		b.denied = append(b.denied, t.where)
	}
	return ""
}

// verdict tells why the outcome that the model computes is not what the task
// says it should be, if so.
func (b *taskCorpus) verdict(t *task, v *sop.Variant, s *sop.Scenario) (reason string) {
	if permitted := v.Requires[v.Goal].Holds(s.Facts); permitted != t.succeeds {
		if permitted {
			return "its rules permit the goal, but the task says that the tool itself refuses it"
		}
		return "its rules forbid the goal, but the task says that it succeeds"
	}
	m, err := sop.Compile(&v.Graph)
	if err != nil {
		return err.Error()
	}
	k, decided := m.FinalOutcome(s.Facts)
	if !decided || (k == 0) != t.succeeds {
		return "its rules permit the goal, but the calls that would show it are not permitted with what the user knows"
	}
	return ""
}

// closeDomain keeps the procedures that have cases; the others still govern
// the calls that lead to a goal, as plain actions.
func (b *taskCorpus) closeDomain(tasks []*task) {
	var kept []*sop.Procedure
	for _, p := range b.d.Procedures {
		if len(p.Cases) > 0 {
			kept = append(kept, p)
			continue
		}
		action := *b.d.Actions[p.Goal]
		action.Requires = sop.Conjunction(p.AllRules())
		b.d.Actions[p.Goal] = &action
	}
	b.d.Procedures = kept
	if n := len(b.denied); n > 0 {
		b.notes = append(b.notes, fmt.Sprintf("%d of %d tasks have rules that contradict themselves and are always denied: %s", n, len(tasks), firstFew(b.denied)))
	}
	if n := len(b.implied); n > 0 {
		b.notes = append(b.notes, fmt.Sprintf("%d of %d tasks name conditions that the pack does not know; their facts are such as the task's own verdict needs: %s",
			n, len(tasks), firstFew(b.implied)))
	}
}

func (b *taskCorpus) leftOutNotes(total int) []string {
	var notes []string
	for _, reason := range sortedKeys(b.leftOut) {
		where := b.leftOut[reason]
		notes = append(notes, fmt.Sprintf("%d of %d tasks left out: %s: %s", len(where), total, reason, firstFew(where)))
	}
	return notes
}

// firstFew lists some of the names and counts the rest.
func firstFew(names []string) string {
	const few = 5
	if len(names) <= few {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:few], ", "), len(names)-few)
}

// TaskHash identifies a task of SOPBench, whatever the layout of its file; it
// is the Source of the task's case. The fields are as encoding/json decodes
// them, numbers as json.Number.
func TaskHash(fields map[string]any) string {
	text, _ := json.Marshal(fields) // what was decoded encodes; keys come sorted
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
