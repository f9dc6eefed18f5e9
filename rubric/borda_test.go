package rubric_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/rubric"
)

// Pass rates of FM SO.P, Table 1, and the counts of its Figure 4. The counts
// rank nine models and list eight.
func TestBordaGivesThePublishedCounts(t *testing.T) {
	domains := []string{"bank", "dmv", "healthcare", "online_market", "university", "library", "hotel"}
	table := map[string][]float64{
		"Llama-3.1-70B": {43.79, 66.96, 50.96, 40.44, 45.45, 42.86, 14.29},
		"Qwen2.5-72B":   {32.68, 61.74, 28.46, 41.71, 38.64, 38.46, 14.29},
		"Qwen2.5-32B":   {41.83, 53.04, 42.31, 46.52, 56.82, 37.18, 18.88},
		"Qwen2.5-14B":   {32.03, 53.91, 29.23, 39.04, 27.27, 30.77, 15.31},
		"Llama-3.1-8B":  {13.73, 20.00, 20.00, 19.25, 25.00, 32.05, 0.51},
		"Qwen2.5-7B":    {5.88, 21.74, 17.69, 13.37, 2.27, 21.79, 1.02},
		"FM-7B":         {29.85, 38.14, 41.13, 31.98, 45.24, 27.27, 26.67},
		"FM-14B":        {42.54, 63.92, 41.13, 26.16, 35.71, 33.33, 34.87},
		"FM-32B":        {58.21, 59.79, 41.94, 46.51, 52.38, 45.45, 33.85},
	}
	published := map[string]float64{
		"FM-32B": 6.86, "Llama-3.1-70B": 6.14, "Qwen2.5-32B": 5.86, "FM-14B": 4.86,
		"Qwen2.5-72B": 4.29, "FM-7B": 3.29, "Qwen2.5-14B": 3.14, "Qwen2.5-7B": 0.29,
	}
	rates := map[string]map[string]float64{}
	for model, list := range table {
		rates[model] = map[string]float64{}
		for i, d := range domains {
			rates[model][d] = list[i]
		}
	}
	counts, err := rubric.Borda(rates)
	require.NoError(t, err)
	require.Len(t, counts, 9)
	for model, want := range published {
		assert.Equal(t, want, math.Round(counts[model]*100)/100, model)
	}

	delete(rates["FM-7B"], "hotel")
	_, err = rubric.Borda(rates)
	assert.ErrorContains(t, err, "model FM-7B has no rate in hotel")
	_, err = rubric.Borda(nil)
	assert.Error(t, err)
}
