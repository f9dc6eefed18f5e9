package dataset

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDiff(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	rows := sample()
	write(t, a, Options{}, rows)
	write(t, b, Options{}, rows)
	d, err := Diff(a, b)
	require.NoError(t, err)
	assert.True(t, d.Empty())
	assert.Equal(t, len(rows), d.Same)
	assert.Empty(t, d.Counts)

	other := sample()
	other[2].Query = "Which calls, in what order?"
	other = append(other[1:], workflow(99), workflow(98))
	write(t, b, Options{Force: true}, other)
	d, err = Diff(a, b)
	require.NoError(t, err)
	assert.False(t, d.Empty())
	assert.Equal(t, []int{len(rows) - 2, 1, 1, 2}, []int{d.Same, d.Changed, d.OnlyA, d.OnlyB})
	assert.Equal(t, []Change{
		{"row", "", other[len(other)-2].ID}, {"row", "", other[len(other)-1].ID}, {"row", rows[0].ID, ""},
		{rows[2].ID + " query", "Which calls, in which order?", "Which calls, in what order?"},
	}, d.Examples)
	assert.Contains(t, d.Counts, Change{"stage.2", "7", "9"})
	assert.Contains(t, d.Counts, Change{"stage.1", "2", "1"})

	_, err = Diff(a, filepath.Join(dir, "none"))
	assert.ErrorContains(t, err, "is no dataset folder")
}
