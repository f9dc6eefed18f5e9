package llm

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestErrorKinds(t *testing.T) {
	for kind, want := range map[Kind][2]bool{ // temporary, stops
		RateLimited: {true, false}, Overloaded: {true, false}, Timeout: {true, false}, ServerFault: {true, false}, BrokenOff: {true, false},
		Unreadable: {true, false}, PromptTooLong: {}, Refused: {}, BadRequest: {}, Unusable: {},
		Unreachable: {true, true}, NoModel: {false, true}, Denied: {false, true},
	} {
		e := &Error{Kind: kind}
		assert.Equal(t, want, [2]bool{e.Temporary(), e.Stops()}, "%s", kind)
		assert.ErrorIs(t, e, kind)
		assert.False(t, errors.Is(e, Kind("other")))
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"": 0, "20": 20 * time.Second, "0.5": time.Second / 2, "-3": 0, "soon": 0, "1e300": 0,
		"Fri, 02 Jan 2026 03:05:05 GMT": time.Minute, "Fri, 02 Jan 2026 03:03:05 GMT": 0,
	} {
		assert.Equal(t, want, retryAfter(http.Header{"Retry-After": {value}}, now), "%q", value)
	}
}

func TestOneLine(t *testing.T) {
	assert.Equal(t, "a b", oneLine(" a\n\t b\n"))
	long := oneLine(strings.Repeat("é", longestMessage))
	assert.Equal(t, strings.Repeat("é", longestMessage/2)+"…", long)
	assert.Equal(t, "a\uFFFDb", oneLine("a\xffb"))
}
