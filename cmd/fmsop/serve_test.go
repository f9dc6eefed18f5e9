package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const reference = `{"requires":{"lend":"known","ask":null},"established_by":{"known":"ask"},"depends_on":{},"excludes":[],"effects":{},` +
	`"facts":{"known":true},"values":{},"outcomes":[{"end":"lend","tree":"known"},{"end":"deny","tree":null}],"goal":"lend","history":[],"bindings":{}}`

const (
	right      = `{"reference":` + reference + `,"answer":"1. ask\n2. lend"}`
	wrong      = `{"id":"w","reference":` + reference + `,"answer":"1. ask\n2. deny"}`
	rightReply = `{"valid":true,"score":1,"violations":[]}`
	wrongReply = `{"id":"w","valid":false,"score":0,"violations":[{"violation":"wrong_end","position":1,"call":"deny"}]}`
)

func TestHandler(t *testing.T) {
	server := httptest.NewServer((&app{}).handler())
	defer server.Close()
	tests := []struct {
		name, method, path, body string
		status                   int
		want                     string
	}{
		{"one", "POST", "/", right, 200, rightReply},
		{"array", "POST", "/", "[" + wrong + "," + right + "]", 200, "[" + wrongReply + "," + rightReply + "]"},
		{"empty array", "POST", "/", "[]", 200, "[]"},
		{"one of an array is none", "POST", "/", "[" + right + `,{"answer":"x"}]`, 200,
			"[" + rightReply + `,{"error":"item 1: no \"reference\" and no \"row\", want one of them"}]`},
		{"unreadable answer", "POST", "/", `{"reference":` + reference + `,"answer":""}`, 200, ""},
		{"no question", "POST", "/", `{"id":3,"answer":"x"}`, 400, `{"id":3,"error":"request: no \"reference\" and no \"row\", want one of them"}`},
		{"empty", "POST", "/", "", 400, `{"error":"request: the JSON breaks off"}`},
		{"two objects", "POST", "/", right + right, 400, `{"error":"request: more follows the object, want one object"}`},
		{"broken array", "POST", "/", "[1", 400, `{"error":"request: no JSON: unexpected end of JSON input"}`},
		{"lines", "POST", "/batch", wrong + "\n\n" + right + "\nx\n", 200,
			wrongReply + "\n" + rightReply + "\n" + `{"error":"line 4: no JSON: invalid character 'x' looking for beginning of value"}`},
		{"wrong method", "GET", "/", "", 405, "Method Not Allowed"},
		{"wrong path", "POST", "/score", right, 404, "404 page not found"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			request, err := http.NewRequest(test.method, server.URL+test.path, strings.NewReader(test.body))
			require.NoError(t, err)
			response, err := http.DefaultClient.Do(request)
			require.NoError(t, err)
			defer response.Body.Close()
			body, err := io.ReadAll(response.Body)
			require.NoError(t, err)
			assert.Equal(t, test.status, response.StatusCode)
			if test.want != "" {
				assert.Equal(t, test.want, strings.TrimSpace(string(body)))
			} else {
				assert.Contains(t, string(body), `"score":0,"violations":[],"unreadable":"`)
			}
		})
	}
}

func TestHandlerRefusesWhatIsTooLong(t *testing.T) {
	server := httptest.NewServer((&app{}).handler())
	defer server.Close()
	body := bytes.Repeat([]byte(" "), maxQuestion+1)
	response, err := http.Post(server.URL, "application/json", bytes.NewReader(body))
	require.NoError(t, err)
	defer response.Body.Close()
	assert.Equal(t, http.StatusRequestEntityTooLarge, response.StatusCode)
}

func TestServeIsLocalAndStops(t *testing.T) {
	read, write := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	a := &app{stdin: strings.NewReader(""), stdout: write, stderr: io.Discard}
	done := make(chan int)
	go func() {
		done <- a.run(ctx, []string{"check", "--serve", ":0"})
		write.Close()
	}()
	line, err := bufio.NewReader(read).ReadString('\n')
	require.NoError(t, err)
	address := strings.TrimSpace(strings.TrimPrefix(line, "listening on "))
	require.Contains(t, address, "http://127.0.0.1:")
	response, err := http.Post(address, "application/json", strings.NewReader(right))
	require.NoError(t, err)
	response.Body.Close()
	assert.Equal(t, 200, response.StatusCode)
	cancel()
	select {
	case status := <-done:
		assert.Zero(t, status)
	case <-time.After(10 * time.Second):
		t.Fatal("the server does not stop")
	}
}

// One who waits for an answer before asking again gets it.
func TestCheckAnswersLineByLine(t *testing.T) {
	asked, ask := io.Pipe()
	answered, answer := io.Pipe()
	a := &app{stdin: asked, stdout: answer, stderr: io.Discard}
	done := make(chan int)
	go func() { done <- a.run(context.Background(), []string{"check", "-j", "4"}) }()
	replies := bufio.NewReader(answered)
	for range 20 {
		for question, want := range map[string]string{right: rightReply, wrong: wrongReply} {
			_, err := io.WriteString(ask, question+"\n")
			require.NoError(t, err)
			got, err := replies.ReadString('\n')
			require.NoError(t, err)
			require.Equal(t, want+"\n", got)
		}
	}
	ask.Close()
	assert.Zero(t, <-done)
}
