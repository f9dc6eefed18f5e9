package run

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAtomicFolder(t *testing.T) {
	anyFolder := func(string) error { return nil }
	fill := func(text string) func(string) error {
		return func(folder string) error { return os.WriteFile(filepath.Join(folder, "f"), []byte(text), 0o666) }
	}
	parent := t.TempDir()
	dir := filepath.Join(parent, "a", "out")
	held := func(want string) {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(dir, "f"))
		require.NoError(t, err)
		assert.Equal(t, want, string(text))
		left, err := os.ReadDir(filepath.Dir(dir))
		require.NoError(t, err)
		assert.Len(t, left, 1, "nothing but the folder is left")
	}

	require.NoError(t, AtomicFolder(dir, false, anyFolder, fill("one")))
	held("one")
	assert.ErrorContains(t, AtomicFolder(dir, false, anyFolder, fill("two")), "exists, use --force to replace it")
	held("one")
	strange := errors.New("no export.json")
	assert.ErrorIs(t, AtomicFolder(dir, true, func(string) error { return strange }, fill("two")), strange)
	held("one")
	broken := errors.New("broken")
	assert.ErrorIs(t, AtomicFolder(dir, true, anyFolder, func(folder string) error { return errors.Join(fill("two")(folder), broken) }), broken)
	held("one")
	require.NoError(t, AtomicFolder(dir, true, anyFolder, fill("two")))
	held("two")

	empty := filepath.Join(parent, "empty")
	require.NoError(t, os.Mkdir(empty, 0o777))
	assert.NoError(t, AtomicFolder(empty, false, anyFolder, fill("x")))
	file := filepath.Join(parent, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o666))
	assert.ErrorContains(t, AtomicFolder(file, true, anyFolder, fill("x")), "is not a folder that can be replaced")
}
