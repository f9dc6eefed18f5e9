package llm

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Kind is why there is no answer: what errors.Is compares an *Error with.
type Kind string

const (
	RateLimited   Kind = "rate_limited"    // too many requests a minute
	Overloaded    Kind = "overloaded"      // too many requests at a time
	Timeout       Kind = "timeout"         // no reply in the time of a call
	ServerFault   Kind = "server_fault"    // the server failed
	BrokenOff     Kind = "broken_off"      // the reply ended before its end
	Unreadable    Kind = "unreadable"      // the reply is not of the protocol
	PromptTooLong Kind = "prompt_too_long" // refused, or cut by the server
	Refused       Kind = "refused"         // by the server's policy
	BadRequest    Kind = "bad_request"     // the server does not take it
	Unusable      Kind = "unusable"        // no value could be read from the reply
	Unreachable   Kind = "unreachable"     // no server listens
	NoModel       Kind = "no_model"        // the server does not have the model
	Denied        Kind = "denied"          // the key or the account is not accepted
)

func (k Kind) Error() string { return strings.ReplaceAll(string(k), "_", " ") }

// Error is why a request has no answer.
type Error struct {
	Kind       Kind
	Server     string // the model and the host; "" if it was no server
	Status     int    // of HTTP; 0: there was no response
	Message    string // one line, mostly the server's words
	RetryAfter time.Duration
	Attempts   int    // by a Runner
	Reply      *Reply // what there is of a reply; may be nil

	final bool // asking again was tried for long enough
}

func (e *Error) Error() string {
	var b strings.Builder
	if e.Server != "" {
		b.WriteString(e.Server + ": ")
	}
	b.WriteString(e.Kind.Error())
	if e.Status != 0 {
		fmt.Fprintf(&b, " (HTTP %d)", e.Status)
	}
	if e.Message != "" {
		b.WriteString(": " + e.Message)
	}
	if e.Attempts > 1 {
		fmt.Fprintf(&b, " (after %d attempts)", e.Attempts)
	}
	return b.String()
}

// Is makes errors.Is(err, llm.Timeout) true for an error of that kind.
func (e *Error) Is(target error) bool { return target == e.Kind }

// Temporary errors may be gone when the same is asked again.
func (e *Error) Temporary() bool {
	if e.final {
		return false
	}
	switch e.Kind {
	case RateLimited, Overloaded, Timeout, ServerFault, BrokenOff, Unreadable, Unreachable:
		return true
	}
	return false
}

// Stops tells errors that every further request would meet as well.
func (e *Error) Stops() bool {
	switch e.Kind {
	case Unreachable, NoModel, Denied:
		return true
	}
	return false
}

// transportError classifies what net/http returned. What the caller cancelled
// stays as it is.
func transportError(err error) error {
	var dial *net.OpError
	var certificate *tls.CertificateVerificationError
	var timeout net.Error
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &dial) && dial.Op == "dial":
		return &Error{Kind: Unreachable, Message: oneLine(dial.Err.Error())}
	case errors.As(err, &certificate), errors.Is(err, http.ErrSchemeMismatch):
		return &Error{Kind: Unreachable, Message: oneLine(innermost(err).Error())}
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return &Error{Kind: Timeout, Message: "no reply in time"}
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return &Error{Kind: BrokenOff, Message: "the connection was closed in the middle of the reply"}
	}
	return &Error{Kind: BrokenOff, Message: oneLine(innermost(err).Error())}
}

// innermost drops the method and address that net/http puts before an error.
func innermost(err error) error {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err
		}
		err = next
	}
}

// statusError classifies a response that is no success. The message is the
// server's, and decides where the status says too little.
func statusError(status int, header http.Header, p serverProblem) *Error {
	e := &Error{Status: status, Message: oneLine(p.Message), RetryAfter: retryAfter(header, time.Now())}
	text := strings.ToLower(fmt.Sprint(p.Message, " ", p.Type, " ", p.Code))
	says := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(text, w) {
				return true
			}
		}
		return false
	}
	switch {
	case status == http.StatusTooManyRequests && says("insufficient_quota"),
		status == http.StatusUnauthorized, status == http.StatusPaymentRequired, status == http.StatusForbidden:
		e.Kind = Denied
	case status == http.StatusTooManyRequests:
		e.Kind = RateLimited
	case status == http.StatusServiceUnavailable, status == 529:
		e.Kind = Overloaded
	case status == http.StatusRequestTimeout, status == http.StatusGatewayTimeout:
		e.Kind = Timeout
	case status >= 500:
		e.Kind = ServerFault
	case says("context length", "context_length", "context size", "context window", "exceed_context", "maximum context"):
		e.Kind = PromptTooLong
	case says("content_filter", "content policy", "content management policy"):
		e.Kind = Refused
	case status == http.StatusNotFound:
		e.Kind = NoModel
	default:
		e.Kind = BadRequest
	}
	return e
}

// retryAfter reads the header: seconds, or a date.
func retryAfter(header http.Header, now time.Time) time.Duration {
	value := header.Get("Retry-After")
	if seconds, err := strconv.ParseFloat(value, 64); err == nil && seconds > 0 && seconds < 1e6 {
		return time.Duration(seconds * float64(time.Second))
	}
	if date, err := http.ParseTime(value); err == nil {
		return max(0, date.Sub(now))
	}
	return 0
}

const longestMessage = 300

// oneLine shortens what a server said.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
	if len(s) <= longestMessage {
		return s
	}
	cut := longestMessage
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
