package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// endpoint is a server that JSON is posted to. It asks once: who asks again,
// and when, is decided elsewhere.
//
// It is used for Ollama's chat too, with the types of Ollama's own package,
// instead of that package's Client.Chat: that one reports a reply whose
// connection broke as whole, drops Retry-After, and takes 8 MB a call.
type endpoint struct {
	spec
	http *http.Client
	key  string // "" for none
}

const longestReply = 64 << 20

// transport keeps a connection for each call that runs at a time.
var transport = func() *http.Transport {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConns, t.MaxIdleConnsPerHost = 0, 256
	return t
}()

func (e *endpoint) post(ctx context.Context, path string, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("%s: the request cannot be written as JSON: %w", e.server(), err)
	}
	return e.do(ctx, http.MethodPost, path, body, out)
}

func (e *endpoint) get(ctx context.Context, path string, out any) error {
	return e.do(ctx, http.MethodGet, path, nil, out)
}

func (e *endpoint) do(ctx context.Context, method, path string, body []byte, out any) error {
	err := e.exchange(ctx, method, path, body, out)
	if problem, ok := errors.AsType[*Error](err); ok {
		problem.Server = e.server()
	}
	return err
}

func (e *endpoint) exchange(ctx context.Context, method, path string, body []byte, out any) error {
	request, err := http.NewRequestWithContext(ctx, method, e.base.JoinPath(path).String(), bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	if e.key != "" {
		request.Header.Set("Authorization", "Bearer "+e.key)
	}
	response, err := e.http.Do(request)
	if err != nil {
		return transportError(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, longestReply+1))
	switch {
	case err != nil:
		return transportError(err)
	case len(text) > longestReply:
		return &Error{Kind: Unreadable, Message: fmt.Sprintf("the reply is longer than %d MiB", longestReply>>20)}
	}
	problem, found := errorBody(text)
	problem.Message = e.withoutKey(problem.Message)
	switch {
	case response.StatusCode != http.StatusOK:
		return statusError(response.StatusCode, response.Header, problem)
	case found: // some gateways send it with a status of 200
		return statusError(problem.status(), response.Header, problem)
	}
	if err := json.Unmarshal(text, out); err != nil {
		return &Error{Kind: Unreadable, Message: fmt.Sprintf("%v in %q", err, oneLine(problem.Message))}
	}
	return nil
}

// serverProblem is what a server says went wrong.
type serverProblem struct {
	Message string `json:"message"`
	Type    string `json:"type"`
	Code    any    `json:"code"` // a word, or a status
}

// status is that of HTTP which the code stands for.
func (p serverProblem) status() int {
	if code, ok := p.Code.(float64); ok && code >= 400 && code < 600 {
		return int(code)
	}
	return http.StatusBadGateway
}

// errorBody finds the problem in {"error": "…"} (Ollama) or {"error":
// {"message": "…", "code": …}} (OpenAI and others). Any other text is not
// found to be one, and is the message.
func errorBody(text []byte) (p serverProblem, found bool) {
	var body struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(text, &body) != nil || len(body.Error) == 0 || string(body.Error) == "null" {
		return serverProblem{Message: string(text)}, false
	}
	if json.Unmarshal(body.Error, &p.Message) != nil && json.Unmarshal(body.Error, &p) != nil {
		p.Message = string(body.Error)
	}
	return p, true
}

// withoutKey is for what a server echoes.
func (e *endpoint) withoutKey(s string) string {
	if e.key == "" {
		return s
	}
	return strings.ReplaceAll(s, e.key, "[key]")
}

// fail is an error about a reply that came whole.
func (e *endpoint) fail(kind Kind, r *Reply, format string, args ...any) error {
	return &Error{Kind: kind, Server: e.server(), Message: fmt.Sprintf(format, args...), Reply: r}
}

// checked measures a reply and refuses one to a prompt that the server cut.
func (e *endpoint) checked(q Request, r Reply, began time.Time) (Reply, error) {
	if r.Timing.Total = time.Since(began); r.Usage.Prompt > 0 {
		if least := leastTokens(q); r.Usage.Prompt < least {
			return r, e.fail(PromptTooLong, &r, "the server read %d tokens of a prompt of at least %d: it cut the rest, a longer context is needed", r.Usage.Prompt, least)
		}
	}
	return r, nil
}
