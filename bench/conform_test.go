package bench

import (
	"testing"

	"github.com/fmsop/fmsop/sop/corpus"
)

// TestConform checks every built-in pack.
func TestConform(t *testing.T) {
	for _, name := range corpus.Builtin() {
		c, err := Conform(name, nil, 1)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d tools, %d calls, %d workflows", name, c.Tools, c.Calls, c.Workflows)
		for _, x := range c.Findings {
			t.Error(x)
		}
		if c.Tools < 18 || c.Calls < 500 || c.Workflows < 100 {
			t.Errorf("%s: only %d tools, %d calls, %d workflows", name, c.Tools, c.Calls, c.Workflows)
		}
	}
}
