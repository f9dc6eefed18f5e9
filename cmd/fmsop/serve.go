package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/fmsop/fmsop/internal/run"
)

const (
	stopWithin    = 10 * time.Second
	requestWithin = 2 * time.Minute
)

// serve answers over HTTP until it is interrupted, and then finishes the
// requests that it has begun.
func (a *app) serve(ctx context.Context, address string) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return usagef("--serve is %q, want HOST:PORT or :PORT", address)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	server := &http.Server{
		Handler: a.handler(), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: requestWithin, WriteTimeout: requestWithin,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	a.printf("listening on http://%s\n", listener.Addr())
	if err := a.out.Flush(); err != nil {
		return err
	}
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	stop() // a second signal ends the program
	a.remark("stopping once the requests in flight are answered")
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
	defer cancel()
	return server.Shutdown(ctx)
}

func (a *app) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /{$}", a.answerJSON)
	mux.HandleFunc("POST /batch", a.answerLines)
	return mux
}

// answerJSON takes one question or an array of them and answers likewise. An
// item that is no question gets {"error": …} in its place; a single one also
// the status 400.
func (a *app) answerJSON(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxQuestion))
	if err != nil {
		refuse(w, err)
		return
	}
	body = bytes.TrimSpace(body)
	if len(body) == 0 || body[0] != '[' {
		answer, ok := judge(body, "request")
		status := http.StatusOK
		if !ok {
			status = http.StatusBadRequest
		}
		reply(w, status, answer)
		return
	}
	var items []json.RawMessage
	if err := json.Unmarshal(body, &items); err != nil {
		refuse(w, fmt.Errorf("request: %w", jsonError(err)))
		return
	}
	answers := make([]any, 0, len(items))
	err = run.Ordered(r.Context(), run.Options{Workers: a.config.Workers}, len(items),
		func(_ context.Context, i int) (any, error) {
			answer, _ := judge(items[i], fmt.Sprintf("item %d", i))
			return answer, nil
		},
		func(_ int, answer any) error { answers = append(answers, answer); return nil })
	if err != nil {
		refuse(w, err)
		return
	}
	reply(w, http.StatusOK, answers)
}

// answerLines takes lines as standard input does, and answers with lines. The
// answers are held back until all lines are read, as a reply cannot begin
// before that.
func (a *app) answerLines(w http.ResponseWriter, r *http.Request) {
	var answers bytes.Buffer
	err := a.checkLines(r.Context(), http.MaxBytesReader(w, r.Body, maxQuestion), func(answer []byte, _ bool) error {
		_, err := answers.Write(answer)
		return err
	})
	if err != nil {
		refuse(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/jsonl")
	w.Write(answers.Bytes())
}

func refuse(w http.ResponseWriter, err error) {
	status := http.StatusBadRequest
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		status = http.StatusRequestEntityTooLarge
		err = fmt.Errorf("the request is longer than %d bytes", large.Limit)
	}
	reply(w, status, refusal{Error: err.Error()})
}

func reply(w http.ResponseWriter, status int, v any) {
	text, err := marshal(v)
	if err != nil {
		http.Error(w, `{"error":"internal"}`, http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(text)
}
