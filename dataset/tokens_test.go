package dataset

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestSummaryOfTokens(t *testing.T) {
	assert.Equal(t, TokenSummary{}, TokenCounts{}.Summary())
	one := TokenCounts{}
	one.Add(7)
	assert.Equal(t, TokenSummary{Texts: 1, Tokens: 7, Median: 7, P95: 7, Longest: 7}, one.Summary())
	many := TokenCounts{}
	for i := range 20 { // 1 to 20
		many.Add(i + 1)
	}
	assert.Equal(t, TokenSummary{Texts: 20, Tokens: 210, Median: 10, P95: 19, Longest: 20}, many.Summary())
	many.Merge(one)
	assert.Equal(t, TokenSummary{Texts: 21, Tokens: 217, Median: 10, P95: 19, Longest: 20}, many.Summary()) // 7 comes twice: the eleventh is 10
}
