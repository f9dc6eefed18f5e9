package agents

import (
	"cmp"

	"github.com/fmsop/fmsop/rubric"
	"github.com/fmsop/fmsop/sop"
)

// choice is a dimension that the corpus has something for.
type choice struct {
	dimension rubric.Dimension
	share     float64
}

// byShare puts the largest first.
func byShare(a, b choice) int { return cmp.Compare(b.share, a.share) }

// kinds is 1 of a dimension of kinds of conditions, else 0.
func (c choice) kinds() int { return min(1, len(c.dimension.Covers.Kinds)) }

// weighed turns the shares of dimensions into the weights of a rubric.
func weighed(d *sop.Domain, generator string, choices []choice) (*rubric.Rubric, error) {
	var shares []float64
	for _, ch := range choices {
		shares = append(shares, ch.share)
	}
	weights, err := rubric.Normalise(shares, weightDecimals)
	if err != nil {
		return nil, err
	}
	r := &rubric.Rubric{Domain: d.Name, Corpus: Fingerprint(d), Generator: generator}
	for i, ch := range choices {
		ch.dimension.Weight = weights[i]
		r.Dimensions = append(r.Dimensions, ch.dimension)
	}
	return r, r.Validate()
}
