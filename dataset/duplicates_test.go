package dataset

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDuplicates(t *testing.T) {
	d, err := NewDuplicates(0.5)
	require.NoError(t, err)
	d.Add("a", "One two three four five six seven eight.")
	d.Add("short", "Yes, deny.")
	d.Add("b", "one two three four five six seven nine ten")
	for _, test := range []struct {
		name, text string
		want       []Duplicate
	}{
		// 4 runs of five words each, of which 3 are common with the second: 3/5, and with b 3 of 4+5-3.
		{"case and punctuation", "ONE two, three four (five) six seven eight", []Duplicate{{"a", 1, true}, {"b", 0.5, false}}},
		{"one word more", "one two three four five six seven eight nine", []Duplicate{{"a", 0.8, false}}},
		{"short and the same", "yes: deny!", []Duplicate{{"short", 1, true}}},
		{"short and another", "no", nil},
		{"other words", "alpha beta gamma delta epsilon zeta eta theta", nil},
		{"empty", "", nil},
	} {
		assert.Equal(t, test.want, d.Find(test.text), test.name)
	}
	assert.Equal(t, 3, d.Len())
	for _, bad := range []float64{0, -1, 1.1} {
		_, err := NewDuplicates(bad)
		assert.ErrorContains(t, err, "want a number above 0, at most 1")
	}
}

// TestDuplicatesAgainstAllPairs compares with the similarity of every pair: what
// is found is exact, and hardly anything is missed.
func TestDuplicatesAgainstAllPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, threshold := range []float64{0.5, 0.8, 0.95} {
		d, err := NewDuplicates(threshold)
		require.NoError(t, err)
		var texts []string
		for i := range 200 {
			text := make([]string, 300)
			for k := range text {
				text[k] = fmt.Sprintf("w%d", rng.IntN(5000))
			}
			texts = append(texts, strings.Join(text, " "))
			d.Add(fmt.Sprint(i), texts[i])
		}
		want, found := 0, 0
		for i, text := range texts {
			list := strings.Fields(text)
			for range 1 + rng.IntN(20) {
				list[rng.IntN(len(list))] = "changed"
			}
			near := strings.Join(list, " ")
			a, _ := shinglesOf(near)
			b, _ := shinglesOf(text)
			similar := jaccard(a, b)
			got := d.Find(near)
			if similar < threshold {
				assert.Empty(t, got)
				continue
			}
			want++
			if len(got) > 0 {
				found++
				assert.Equal(t, []Duplicate{{fmt.Sprint(i), similar, false}}, got)
			}
		}
		assert.Greater(t, want, 10)
		assert.GreaterOrEqual(t, found, want-1, "threshold %v", threshold)
	}
}

func BenchmarkDuplicates(b *testing.B) {
	d, err := NewDuplicates(0.8)
	require.NoError(b, err)
	text := strings.Repeat("the customer asks the desk to pay a bill of some dollars out of the account ", 100)
	for i := range 500 {
		d.Add(fmt.Sprint(i), fmt.Sprintf("%s %d %s", text[:i*10], i, text))
	}
	for b.Loop() {
		d.Find(text)
	}
}
