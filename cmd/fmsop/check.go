package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/stages"
)

func (a *app) checkCommand() *cobra.Command {
	var address string
	c := &cobra.Command{
		Use:   "check",
		Short: "Judge answers against references: a verifiable reward",
		Long: `Reads one JSON object a line from standard input and writes its verdict as one
line, in the same order and as soon as it is known:

  {"reference": …, "view": "…", "answer": "…"}   the reference and view of a row;
                                       the reference as string or object, "id" if you like
  {"row": {…}, "answer": "…"}          a whole row of a dataset

  {"id": …, "valid": false, "score": 0, "violations": [{"violation": "unmet", "position": 1, …}]}

The score is 1 for a right answer and at most 0.5 for any other:
  stage 1  0; a synonym is right, two terms of which one is wrong or a hedge are not
  stage 2  0.5 for a workflow that is only wasteful, else 0
  stage 3  half the share of statements (rules, sources, edges) that are right
           among all that the right graph or the answer makes; a graph that is
           written differently but means the same is right

The answer is the model's raw text. It may be in any format of its view, in code
fences, with reasoning up to </think> before it and prose around it. One that
cannot be read scores 0 and says why in "unreadable". Without a view, a
reference of stage 2 asks for the next action where calls were made, else for the
workflow. A line that is no question gives {"error": "line 3: …"}, and the exit
status is then 1.

With --serve the same is answered over HTTP: POST / takes one object or an array
of them, POST /batch takes lines. An address without a host is this machine only.
A request has at most 64 MiB, an answer 64 KiB after its reasoning.`,
		Example: `  fmsop check < answers.jsonl > verdicts.jsonl
  zstd -dc data/test.jsonl.zst | jq -c '{row: ., answer: .positive.text}' | fmsop check

  fmsop check --serve :8017
  curl -d '{"row": {…}, "answer": "login_user -> deny"}' http://127.0.0.1:8017/`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("serve") {
				return a.serve(cmd.Context(), address)
			}
			return a.check(cmd.Context())
		},
	}
	c.Flags().StringVar(&address, "serve", "", "answer over HTTP at `ADDR`, :8017 say")
	return c
}

// question is a line of input.
type question struct {
	ID        json.RawMessage `json:"id"`
	Reference json.RawMessage `json:"reference"`
	Row       json.RawMessage `json:"row"`
	View      string          `json:"view"`
	Answer    *string         `json:"answer"`
}

// verdict is a line of output.
type verdict struct {
	ID json.RawMessage `json:"id,omitempty"`
	stages.Verdict
}

type refusal struct {
	ID    json.RawMessage `json:"id,omitempty"`
	Error string          `json:"error"`
}

// judge answers one question; where names it in the error, "line 3". ok is
// false where it is no question.
func judge(text []byte, where string) (answer any, ok bool) {
	var q question
	v, err := q.judge(text)
	if err != nil {
		return refusal{q.ID, where + ": " + err.Error()}, false
	}
	return verdict{q.ID, v}, true
}

func (q *question) judge(text []byte) (stages.Verdict, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(q); err != nil {
		return stages.Verdict{}, jsonError(err)
	}
	if decoder.More() {
		return stages.Verdict{}, errors.New("more follows the object, want one object")
	}
	if q.Answer == nil {
		return stages.Verdict{}, errors.New(`no "answer", want a string`)
	}
	reference, err := q.reference()
	if err != nil {
		return stages.Verdict{}, err
	}
	return stages.Judge(reference, q.View, *q.Answer)
}

// reference returns the JSON of the reference, wherever it is given, and takes
// over view and id of a row.
func (q *question) reference() ([]byte, error) {
	switch {
	case len(q.Row) > 0 && len(q.Reference) > 0:
		return nil, errors.New(`both "row" and "reference", want one of them`)
	case len(q.Row) > 0:
		text, err := unquoted(q.Row)
		if err != nil {
			return nil, err
		}
		row, err := dataset.ParseRow(text)
		if err != nil {
			return nil, fmt.Errorf("row: %w", err)
		}
		if q.View == "" {
			q.View = row.View
		}
		if q.ID == nil {
			q.ID, _ = json.Marshal(row.ID) // a string can always be written
		}
		return []byte(row.Reference), nil
	case len(q.Reference) > 0:
		return unquoted(q.Reference)
	}
	return nil, errors.New(`no "reference" and no "row", want one of them`)
}

// unquoted returns the JSON that a JSON string holds, or the value itself.
func unquoted(value json.RawMessage) ([]byte, error) {
	if value[0] != '"' {
		return value, nil
	}
	var s string
	err := json.Unmarshal(value, &s)
	return []byte(s), err
}

// jsonError words an error of encoding/json for one who wrote the line.
func jsonError(err error) error {
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong) && wrong.Field != "":
		return fmt.Errorf("%q is %s %s, want %s", wrong.Field, article(wrong.Value), wrong.Value, wrong.Type)
	case errors.As(err, &wrong):
		return fmt.Errorf("it is %s %s, want an object", article(wrong.Value), wrong.Value)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the JSON breaks off")
	}
	if key, ok := unknownKey(err); ok {
		return fmt.Errorf("unknown key %s, want id, reference, row, view, answer", key)
	}
	return fmt.Errorf("no JSON: %w", err)
}

func article(noun string) string {
	if noun == "array" || noun == "object" {
		return "an"
	}
	return "a"
}

// check judges line after line.
func (a *app) check(ctx context.Context) error {
	if f, ok := a.stdin.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		a.remark("reading JSON lines from the terminal; end them with Ctrl-D")
	}
	questions, bad := 0, 0
	err := a.checkLines(ctx, a.stdin, func(answer []byte, ok bool) error {
		questions++
		if !ok {
			bad++
		}
		a.out.Write(answer) // Flush tells of an error
		return a.out.Flush()
	})
	switch {
	case err != nil:
		return err
	case bad > 0:
		return fmt.Errorf("%d of %s could not be judged", bad, count(questions, "line"))
	}
	return nil
}

// maxQuestion bounds a line or a request.
const maxQuestion = dataset.MaxLineBytes

// checkLines judges the lines in parallel and hands the answers over in their
// order, each with its line's end. It reads no further than it has to, so that
// one who waits for an answer before the next question gets it.
func (a *app) checkLines(ctx context.Context, in io.Reader, sink func(answer []byte, ok bool) error) error {
	scanner := bufio.NewScanner(in)
	scanner.Buffer(make([]byte, 64<<10), maxQuestion)
	number := 0
	source := run.NewTurns(func() (line numberedLine, err error) {
		for scanner.Scan() {
			number++
			if text := bytes.TrimSpace(scanner.Bytes()); len(text) > 0 {
				return numberedLine{number, bytes.Clone(text)}, nil
			}
		}
		if err := scanner.Err(); err != nil {
			return line, fmt.Errorf("line %d: %w", number+1, err)
		}
		return line, io.EOF
	})
	type answered struct {
		text []byte
		ok   bool
	}
	err := run.Ordered(ctx, run.Options{Workers: a.config.Workers}, math.MaxInt,
		func(_ context.Context, i int) (answered, error) {
			line, err := source.Take(i)
			if err != nil {
				return answered{}, err
			}
			answer, ok := judge(line.text, fmt.Sprintf("line %d", line.number))
			text, err := marshal(answer)
			return answered{text, ok}, err
		},
		func(_ int, v answered) error { return sink(v.text, v.ok) })
	if errors.Is(err, io.EOF) {
		return nil
	}
	if e := errors.Unwrap(err); e != nil { // without "job 3"
		return e
	}
	return err
}

type numberedLine struct {
	number int
	text   []byte
}

// marshal writes a line of JSON.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}

func unknownKey(err error) (string, bool) {
	var key string
	_, failed := fmt.Sscanf(err.Error(), "json: unknown field %q", &key)
	return fmt.Sprintf("%q", key), failed == nil
}
