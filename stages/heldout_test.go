package stages

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/sop/corpus"
)

func TestHeldOut(t *testing.T) {
	var corpora []*corpus.Corpus
	for _, name := range []string{"bank", "hotel", "library"} {
		c, err := corpus.Load(name)
		require.NoError(t, err)
		corpora = append(corpora, c)
	}
	p, err := NewPlan(Options{Groups: 30, HeldOut: []string{"hotel"}}, corpora)
	require.NoError(t, err)
	assert.Equal(t, dataset.UnitDomain, p.Split.Unit)
	assert.Equal(t, map[string]string{"bank": dataset.Train, "hotel": dataset.Test, "library": dataset.Train}, p.Split.Assignments)
	for _, j := range p.Jobs {
		assert.Equal(t, j.Domain.Name == "hotel", j.Split == dataset.Test, j.Name())
	}
	for _, test := range []struct {
		held []string
		want string
	}{
		{[]string{"dmv"}, `held_out has "dmv", want some of bank, hotel, library`},
		{[]string{"bank", "hotel", "library"}, "leaves no domain to train on"},
	} {
		_, err := NewPlan(Options{HeldOut: test.held}, corpora)
		assert.ErrorContains(t, err, test.want)
	}
}
