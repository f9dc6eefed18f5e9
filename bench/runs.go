package bench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/bench/python"
	"github.com/fmsop/fmsop/bench/world"
	"github.com/klauspost/compress/zstd"
	"go.starlark.net/starlark"
)

// Runs is a file of recorded runs.
type Runs struct {
	Items []*Item
}

// Item is one task and every run on it.
type Item struct {
	Domain string
	Model  string // of the agent
	Mode   string // fc, react or act-only
	Tools  string // that were offered: full or oracle
	Strict bool   // the agent's environment refused what the rules forbid
	User   string // the model that played the user; "" for fixed texts
	Task   *Task  // the recorded copy
	// Error is why a live run holds no conversation.
	Error string
	Runs  []*Run
}

// Run is one conversation.
type Run struct {
	Calls    []Call
	End      End   // of a live run
	calledAt []int // the messages of the calls
	messages []messageJSON
	Database starlark.Value // at the end, in the agent's environment
	// Recorded is the evaluation that was stored with the run; nil where there
	// is none.
	Recorded *Verdict
	// Stops is why the official evaluator would stop at this run; "" where it
	// does not.
	Stops string
	// Whole tells that pairs were recorded whole, as the older simulator did;
	// the newer one records their second item.
	Whole bool
	// Mends are the faults that the agent's environment did not have.
	Mends []string
}

// Call is one call as the official evaluator reads it.
type Call struct {
	Name      string
	Arguments string // as the model wrote them
	Content   string // as the tool answered
}

// the layout of a run file
type (
	itemJSON struct {
		Domain       string          `json:"domain"`
		Setup        json.RawMessage `json:"setup"`
		Task         json.RawMessage `json:"task"`
		Interactions []struct {
			Messages []messageJSON   `json:"interaction"`
			Database json.RawMessage `json:"database"`
			End      End             `json:"end"` // of live runs
		} `json:"interactions"`
		Evaluations json.RawMessage `json:"evaluations"`
		Error       string          `json:"error"`
	}
	setupJSON struct {
		Layer     string    `json:"env_mode"` // prompt, or program: the strict one
		Tools     string    `json:"tool_list"`
		User      agentJSON `json:"user_agent"`
		Assistant agentJSON `json:"assistant_agent"`
		Mends     []string  `json:"mends"` // of live runs
	}
	agentJSON struct {
		Model string `json:"model"`
		Mode  string `json:"tool_call_mode"`
	}
	messageJSON struct {
		Sender    string          `json:"sender"`
		Content   json.RawMessage `json:"content"`
		ToolName  *string         `json:"tool_name"`
		ToolCalls []struct {
			Function struct {
				Name      string          `json:"name"`
				Arguments json.RawMessage `json:"arguments"`
			} `json:"function"`
		} `json:"tool_calls"`
	}
)

// RunFile is the file of recorded runs in the folder of a live run.
const RunFile = "run.json"

// ReadRuns reads a file of recorded runs, compressed where its name ends in
// .zst, or the one in the folder of a live run.
func ReadRuns(path string) (*Runs, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		dir := path
		path = filepath.Join(dir, RunFile)
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: there is no %s: it is no run, or one that has not ended, and fmsop bench run goes on with it", dir, RunFile)
		}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var in io.Reader = f
	if strings.HasSuffix(path, ".zst") {
		z, err := zstd.NewReader(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		defer z.Close()
		in = z
	}
	runs, err := decodeRuns(bufio.NewReaderSize(in, 1<<20))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return runs, nil
}

func decodeRuns(in io.Reader) (*Runs, error) {
	d := json.NewDecoder(in)
	first, err := d.Token()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("the file is empty, want a list of tasks with their runs")
	}
	if err != nil {
		return nil, notJSON(err, 0)
	}
	if first != json.Delim('[') {
		return nil, fmt.Errorf("found %v, want a list of tasks with their runs", first)
	}
	r := &Runs{}
	for d.More() {
		var raw itemJSON
		if err := d.Decode(&raw); err != nil {
			return nil, notJSON(err, len(r.Items))
		}
		item, err := readItem(&raw)
		if err != nil {
			return nil, fmt.Errorf("item %d: %w", len(r.Items), err)
		}
		r.Items = append(r.Items, item)
	}
	if _, err := d.Token(); err != nil {
		return nil, notJSON(err, len(r.Items))
	}
	return r, nil
}

func notJSON(err error, whole int) error {
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("the file ends in the middle, after %d whole items: it is cut short, copy it again", whole)
	case errors.As(err, &wrong):
		return fmt.Errorf("item %d: %s is %s, which is no recorded run of SOPBench", whole, wrong.Field, wrong.Value)
	}
	return fmt.Errorf("item %d: not JSON: %w", whole, err)
}

func readItem(raw *itemJSON) (*Item, error) {
	// Setup and evaluations are told along with the verdicts, not needed for
	// them: files in which they look otherwise are read too.
	var setup setupJSON
	_ = json.Unmarshal(raw.Setup, &setup)
	var evaluations []json.RawMessage
	_ = json.Unmarshal(raw.Evaluations, &evaluations)
	item := &Item{Domain: raw.Domain, Model: setup.Assistant.Model, Mode: setup.Assistant.Mode, Tools: setup.Tools, Strict: setup.Layer == "program", User: setup.User.Model, Error: raw.Error}
	v, err := decode(raw.Task)
	if err != nil {
		return nil, fmt.Errorf("task: %w", err)
	}
	fields, ok := v.(*starlark.Dict)
	if !ok {
		return nil, fmt.Errorf("task: found %s, want an object", kind(v))
	}
	goal, _, _ := fields.Get(starlark.String("user_goal"))
	name, ok := goal.(starlark.String)
	if !ok {
		return nil, fmt.Errorf(`task: the field "user_goal" is missing, which recorded tasks have`)
	}
	if item.Task, err = readTask(raw.Domain, string(name), v); err != nil {
		return nil, fmt.Errorf("task: %w", err)
	}
	for i, x := range raw.Interactions {
		run := &Run{Mends: setup.Mends, End: x.End, messages: x.Messages}
		run.Calls, run.calledAt, run.Stops = calls(x.Messages)
		run.Whole = slices.ContainsFunc(run.Calls, func(c Call) bool {
			return strings.HasPrefix(c.Content, "(True,") || strings.HasPrefix(c.Content, "(False,")
		})
		if run.Database = starlark.None; len(x.Database) > 0 {
			if run.Database, err = decode(x.Database); err != nil {
				return nil, fmt.Errorf("run %d: database: %w", i, err)
			}
		}
		if i < len(evaluations) {
			run.Recorded = readVerdict(evaluations[i])
		}
		item.Runs = append(item.Runs, run)
	}
	return item, nil
}

// readVerdict returns a recorded evaluation, nil where it lacks a criterion.
func readVerdict(text []byte) *Verdict {
	var fields map[string]json.RawMessage
	var v Verdict
	if json.Unmarshal(text, &fields) != nil || json.Unmarshal(text, &v) != nil {
		return nil
	}
	for _, name := range Criteria {
		if _, has := fields[name]; !has {
			return nil
		}
	}
	return &v
}

// decode reads JSON. The standard decoder has bounded its depth before.
func decode(text []byte) (starlark.Value, error) {
	if !json.Valid(text) {
		var v any
		return nil, notJSONText(json.NewDecoder(bytes.NewReader(text)).Decode(&v))
	}
	return world.Decode(text)
}

func notJSONText(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the text ends in the middle of a value, it is cut short")
	}
	return fmt.Errorf("not JSON: %w", err)
}

// none are names by which a model says that it calls nothing.
var none = map[string]bool{"n/a": true, "na": true, "none": true, "null": true}

// calls extracts the calls of a conversation: the first of each message, with
// the name and the content of the message after it. The last message is not
// looked at. at are the messages of the calls.
func calls(messages []messageJSON) (list []Call, at []int, stops string) {
	for i := 0; i+1 < len(messages); i++ {
		for _, c := range messages[i].ToolCalls {
			if none[strings.ToLower(c.Function.Name)] {
				continue
			}
			answer := messages[i+1]
			if answer.ToolName == nil {
				return list, at, fmt.Sprintf("message %d calls %q and no tool answers", i, c.Function.Name)
			}
			list = append(list, Call{*answer.ToolName, text(c.Function.Arguments), text(answer.Content)})
			at = append(at, i)
			break
		}
	}
	return list, at, ""
}

// text is a JSON string as it reads, anything else as it is written.
func text(raw json.RawMessage) string {
	var s string
	if err := json.Unmarshal(raw, &s); err != nil || len(raw) == 0 || raw[0] != '"' {
		return string(raw)
	}
	return s
}

// evaluate is what the official evaluator makes of a text: the value of the
// Python expression, else the text itself.
func evaluate(s string) starlark.Value {
	if v, err := python.Eval(s); err == nil {
		return v
	}
	return starlark.String(s)
}
