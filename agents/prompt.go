package agents

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/fmsop/fmsop/llm"
)

// promptID names a version of a prompt: its name and the beginning of its hash.
func promptID(name, prompt string) string {
	sum := sha256.Sum256([]byte(prompt))
	return name + "@" + hex.EncodeToString(sum[:4])
}

// mustSchema is for reply types of this package, which a test derives.
func mustSchema[T any](name string) *llm.Schema {
	s, err := llm.SchemaFor[T](name, nil)
	if err != nil {
		panic(err)
	}
	return s
}
