package export

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/dataset"
)

// BenchmarkConvert is rows a second: of a line of the dataset, parsed and as
// SFT and as pairs.
func BenchmarkConvert(b *testing.B) {
	formats, err := Lookup([]string{"trl-sft", "trl-dpo"})
	require.NoError(b, err)
	line, err := small.AppendJSON(nil)
	require.NoError(b, err)
	x := &Exporter{Options: Options{Formats: formats, Encoding: JSONL, Stage: 3}}
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		row, err := dataset.ParseRow(line)
		require.NoError(b, err)
		_, err = x.Convert(dataset.Train, []dataset.Row{row})
		require.NoError(b, err)
	}
}
