package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Extract finds the value of the schema in a reply: the whole text, or the
// last value in it that satisfies the schema, be it in prose, in a code fence
// or broken in a way that can be repaired. Thinking is left out. What was
// repaired is named. What the end of a reply left open is closed only where
// the model stopped by itself. The error says in one line what is wrong with
// the reply, as a model can be told.
func (s *Schema) Extract(r Reply) (value json.RawMessage, repairs []string, err error) {
	text := strings.TrimSpace(r.Text)
	if json.Valid([]byte(text)) && s.Check([]byte(text)) == nil {
		return json.RawMessage(text), nil, nil
	}
	text = WithoutThinking(text)
	cut := r.Finish != FinishStop
	err = s.nothing(r, text)
	for at := s.next(text, 0); at >= 0; {
		found, fixes, length, problem := read(text[at:], cut)
		if problem == nil {
			problem = s.Check(found)
		}
		if problem == nil {
			value, repairs = found, fixes
		}
		if err = problem; errors.Is(err, errCut) && r.Finish == FinishLength {
			err = fmt.Errorf("%w: the reply was cut after %d tokens", errCut, r.Usage.Completion)
		}
		at = s.next(text, at+max(1, length))
	}
	if value != nil {
		err = nil
	}
	return value, repairs, err
}

// FirstObject finds the first JSON object in a text, repaired where what was
// meant is plain, and where it stands. The error says what is wrong with the
// first that cannot be read, or that there is none.
func FirstObject(text string) (object json.RawMessage, start, end int, err error) {
	err = errors.New("there is no JSON object")
	for at := strings.IndexByte(text, '{'); at >= 0; {
		value, _, length, problem := read(text[at:], false)
		if problem == nil {
			return value, at, at + length, nil
		}
		if end == 0 {
			err, end = problem, at+1
		}
		next := strings.IndexByte(text[min(len(text), at+max(1, length)):], '{')
		if next < 0 {
			break
		}
		at += max(1, length) + next
	}
	return nil, -1, -1, err
}

// read takes the value that text begins with, repaired if it has to be, and
// tells how far it came: nothing before that is worth another try.
func read(text string, cut bool) (value json.RawMessage, repairs []string, length int, err error) {
	d := json.NewDecoder(strings.NewReader(text))
	strict := d.Decode(&value)
	if strict == nil {
		return value, nil, int(d.InputOffset()), nil
	}
	value, repairs, length, err = readLenient(text, cut)
	if err != nil {
		length = max(length, fault(strict, text))
	}
	return value, repairs, length, err
}

// fault is where a decoder stopped.
func fault(err error, text string) int {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return int(syntax.Offset)
	}
	return len(text)
}

// next is where the next value may begin, -1 if none does.
func (s *Schema) next(text string, from int) int {
	begins := "{["
	if s.kind != 0 {
		begins = string(s.kind)
	}
	if from > len(text) {
		return -1
	}
	if at := strings.IndexAny(text[from:], begins); at >= 0 {
		return from + at
	}
	return -1
}

// nothing says why no value is there at all.
func (s *Schema) nothing(r Reply, text string) error {
	what := "JSON"
	switch s.kind {
	case '{':
		what = "JSON object"
	case '[':
		what = "JSON array"
	}
	switch {
	case r.Finish == FinishRefused:
		return errors.New("the model refused to answer")
	case len(r.ToolCalls) > 0:
		return fmt.Errorf("the reply calls %s, want a %s", r.ToolCalls[0].Name, what)
	case r.Finish == FinishLength:
		return fmt.Errorf("the reply was cut after %d tokens, before any %s", r.Usage.Completion, what)
	case text == "" && (r.Thinking != "" || r.Text != ""):
		return errors.New("the reply is empty but for its thinking")
	case text == "":
		return errors.New("the reply is empty")
	}
	return fmt.Errorf("there is no %s in the reply", what)
}

// WithoutThinking drops what a model writes before its answer where the server
// leaves it in the text. The opening tag may be part of the prompt; without a
// closing tag there is no answer.
func WithoutThinking(text string) string {
	for _, tag := range []string{"think", "thinking"} {
		if at := strings.LastIndex(text, "</"+tag+">"); at >= 0 {
			text = text[at+len(tag)+3:]
		} else if before, _, ok := strings.Cut(text, "<"+tag+">"); ok {
			text = before
		}
	}
	return strings.TrimSpace(text)
}
