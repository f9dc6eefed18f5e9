package world

import (
	"testing"

	"github.com/fmsop/fmsop/sop/corpus"
)

func TestLoad(t *testing.T) {
	for _, name := range corpus.Builtin() {
		if _, err := Load(name); err != nil {
			t.Error(err)
		}
	}
}
