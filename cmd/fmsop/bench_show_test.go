package main

import (
	"bufio"
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/fmsop/fmsop/bench"
)

// What a model wrote cannot steer the terminal, with colours or without.
func TestShownRunsAreHarmless(t *testing.T) {
	const steering = "\x1b[2J\x07\u009b1A"
	to := "1" + steering
	shown := &bench.Shown{
		Outcome: bench.Outcome{Verdict: &bench.Verdict{}, File: steering, Goal: steering, Model: steering, Mode: steering},
		Rules:   []string{steering},
		Result:  "failed",
		Messages: []bench.Message{{From: "assistant", Text: "two\r\nlines " + steering, Unmade: []string{steering}, Call: &bench.ShownCall{
			Tool: steering, Arguments: steering, Answer: "a\nb" + steering, Again: steering, Error: steering,
			Changes: []bench.Change{{Path: steering, To: &to}},
			Broken:  []bench.Broken{{Rule: steering, State: "false", Why: steering}},
			Refused: []bench.Broken{{Rule: steering, State: "unknown"}},
		}}},
		Criteria: []bench.Criterion{{Name: "database_match", Why: []string{steering, steering}}},
	}
	print := func(p paint) string {
		var b bytes.Buffer
		a := &app{out: bufio.NewWriter(&b), paint: p}
		a.printShown(shown)
		assert.NoError(t, a.out.Flush())
		return b.String()
	}
	plain := print(false)
	assert.NotRegexp(t, `[\x00-\x09\x0b-\x1f\x7f-\x{9f}]`, plain)
	assert.Contains(t, plain, `two`+"\n"+`  lines \x1b[2J\a\u009b1A`)
	coloured := print(true)
	for _, want := range []string{"\x1b[31mbroken\x1b[0m", "\x1b[32m+ ", "\x1b[31mno\x1b[0m"} {
		assert.Contains(t, coloured, want)
	}
	assert.NotContains(t, coloured, "\x1b[2J")
}
