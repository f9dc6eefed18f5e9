package bench

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/fmsop/fmsop/bench/python"
	"github.com/fmsop/fmsop/bench/world"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/corpus"
	"go.starlark.net/starlark"
)

// Shown is one run laid out: what was said and done, what each call did to the
// database, where the procedure was broken, and why it was judged so.
type Shown struct {
	Outcome
	Result        string    `json:"outcome"` // Passed, Failed, or Errored where there is no verdict
	Of            int       `json:"runs"`    // of the item
	ShouldSucceed bool      `json:"should_succeed"`
	Rules         []string  `json:"rules"` // of the goal in this task, as world.Tree.Lines gives them
	Messages      []Message `json:"messages"`
	End           End       `json:"end,omitempty"` // of a live run
	// Criteria are those that a verdict has, in the order of [Criteria].
	Criteria []Criterion `json:"criteria"`
	// Differs tells that the calls, executed again as the agent made them, leave
	// another database than the recorded one.
	Differs bool `json:"differs,omitempty"`
}

// Message is what one side said, with the call that it makes.
type Message struct {
	// From is user, assistant, environment where it tells the assistant of its
	// reply, or tool where no call is answered.
	From string     `json:"from"`
	Text string     `json:"text,omitempty"`
	Call *ShownCall `json:"call,omitempty"`
	// Unmade names calls of the message that are not looked at, such as the one
	// that ends the conversation.
	Unmade []string `json:"unmade,omitempty"`
}

// ShownCall is a call with what came of it.
type ShownCall struct {
	Index     int    `json:"index"` // among the calls of the run
	Tool      string `json:"tool"`
	Arguments string `json:"arguments"` // (username='ann'), or what the model wrote
	Answer    string `json:"answer"`    // as it was recorded
	// Again is what the tool answers now, where that is something else.
	Again   string   `json:"again,omitempty"`
	Changes []Change `json:"changes"` // of the agent's database
	// Broken are the rules that the call breaks. Refused are those by which it is
	// not permitted, but the tool itself refused it too.
	Broken  []Broken `json:"broken,omitempty"`
	Refused []Broken `json:"refused,omitempty"`
	// Error is why the call cannot be executed.
	Error string `json:"error,omitempty"`
}

// Broken is a rule that does not hold for a call.
type Broken struct {
	Rule string `json:"rule"`
	// State is false, or unknown: no call has told, or it cannot be told.
	State string `json:"state"`
	Why   string `json:"why,omitempty"`
}

// Criterion is one of the seven, with what decided.
type Criterion struct {
	Name  string   `json:"name"`
	Holds bool     `json:"holds"`
	Why   []string `json:"why,omitempty"`
}

func (o *Outcome) result() string {
	switch {
	case o.Verdict == nil:
		return Errored
	case o.Success:
		return Passed
	}
	return Failed
}

// Show lays out run number of an item of a file; task is as for [Runs.Find].
func (r *Replay) Show(path, task string, number int) (*Shown, error) {
	runs, err := ReadRuns(path)
	if err != nil {
		return nil, err
	}
	i, err := runs.Find(task)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	item := runs.Items[i]
	if err := known(path, i, item); err != nil {
		return nil, err
	}
	if len(item.Runs) == 0 {
		return nil, fmt.Errorf("%s: item %d holds no conversation: %s", path, i, cmp.Or(item.Error, "nothing was recorded"))
	}
	if n := len(item.Runs); number < 0 || number >= n {
		return nil, fmt.Errorf("%s: item %d has no run %d, it has %d, counted from 0", path, i, number, n)
	}
	files := taskFiles{dir: r.Tasks}
	t, err := files.find(item.Task, i)
	if err != nil {
		return nil, err
	}
	if t == nil {
		return nil, fmt.Errorf("%s: item %d: no task of %s is the recorded one: is it of another version? without --tasks the copy in the run file is taken", path, i, r.Tasks)
	}
	s := &Shown{Outcome: r.item(path, i, item, t)[number], Of: len(item.Runs)}
	c, err := corpus.Load(t.Domain)
	if err != nil {
		return nil, err
	}
	return s, s.layOut(r.Judge, c.Domain, t, item.Runs[number], item.Strict)
}

// layOut executes the run twice, as the agent did and as the rules permit;
// formal has the words for the conditions.
func (s *Shown) layOut(j *Judge, formal *sop.Domain, t *Task, r *Run, strict bool) error {
	d, err := world.Load(t.Domain)
	if err != nil {
		return err
	}
	setup := world.Setup{Database: t.Database, Limits: t.Limits, Goal: t.Goal, Constraints: t.Constraints, Mends: r.Mends}
	if r.Whole {
		setup.Mends = append(slices.Clone(r.Mends), "cards")
	}
	s.Result, s.End, s.ShouldSucceed = s.Outcome.result(), r.End, t.ShouldSucceed
	s.Rules, s.Messages, s.Criteria = append([]string{}, t.Constraints.Lines()...), []Message{}, []Criterion{}
	p := &player{trial: j.begin(d, t, r), agent: d.Start(setup), strict: strict, formal: formal, goals: map[bool][]string{}}
	calls := make(map[int]*ShownCall, len(r.Calls))
	for i, call := range r.Calls {
		calls[r.calledAt[i]] = p.play(i, call)
	}
	for i := 0; i < len(r.messages); i++ {
		m := &r.messages[i]
		shown := Message{From: m.from(), Text: m.text(), Call: calls[i]}
		for k, call := range m.ToolCalls {
			if k > 0 || shown.Call == nil {
				shown.Unmade = append(shown.Unmade, call.Function.Name)
			}
		}
		if shown.Call != nil && calls[i+1] == nil {
			i++ // the answer, which stands with the call
		}
		s.Messages = append(s.Messages, shown)
	}
	if s.Verdict != nil {
		s.Differs = !python.Equal(d.Masked(p.agent.Database()), d.Masked(r.Database))
		s.Criteria = p.criteria(s.Verdict)
	}
	return nil
}

func (m *messageJSON) from() string {
	switch {
	case m.Sender == string(FromUser), m.Sender == environmentSender:
		return m.Sender
	case m.ToolName != nil:
		return "tool"
	}
	return "assistant"
}

func (m *messageJSON) text() string {
	if string(m.Content) == "null" {
		return ""
	}
	return text(m.Content)
}

// player executes a run for a person to read.
type player struct {
	*trial
	agent  *world.World // the agent's environment
	strict bool         // which refuses what the rules forbid
	formal *sop.Domain
	over   bool // the evaluator has stopped

	// calls, by what is to be said of them
	errors, broken, unready []string
	goals                   map[bool][]string // by success
}

func (p *player) play(i int, c Call) *ShownCall {
	s := &ShownCall{Index: i, Tool: c.Name, Arguments: c.Arguments, Answer: c.Content, Changes: []Change{}}
	if object, ok := argumentsMade(c); ok {
		s.Arguments = world.Arguments(object)
		p.enact(s, c, object)
	}
	if p.over {
		return s
	}
	args := p.arguments(c)
	var refused, missing []Broken
	if object, ok := args.(*starlark.Dict); ok {
		for _, r := range p.world.Refusals(c.Name, object) {
			refused = append(refused, p.explain(r))
		}
	}
	for _, call := range p.graph.missing(c.Name, args) {
		missing = append(missing, Broken{call, isUnknown, notCalled})
	}
	out, err := p.call(c)
	if p.over = err != nil; p.over {
		s.Error = err.Error()
		return s
	}
	p.note(s, c, out, refused, missing)
	return s
}

// argumentsMade are the arguments with which the agent's environment made the
// call: JSON, or what Python reads.
func argumentsMade(c Call) (*starlark.Dict, bool) {
	v, err := decode([]byte(c.Arguments))
	if err != nil {
		v = evaluate(c.Arguments)
	}
	object, ok := v.(*starlark.Dict)
	return object, ok
}

// enact makes the call in the agent's environment.
func (p *player) enact(s *ShownCall, c Call, args *starlark.Dict) {
	if notOffered(c) {
		return
	}
	before := python.Copy(p.agent.Database())
	call := p.agent.CallPlain
	if p.strict {
		call = p.agent.Call
	}
	v, err := call(c.Name, args)
	s.Changes = append(s.Changes, Changes(before, p.agent.Database())...)
	if again := world.Observation(v, err); again != c.Content && !(err == nil && python.Str(v) == c.Content) && !errors.Is(err, world.ErrAbsent) {
		s.Again = again
	}
}
