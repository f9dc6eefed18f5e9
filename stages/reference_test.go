package stages

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/sop/corpus"
)

func TestReferenceIsThatOfTheVariant(t *testing.T) {
	for _, name := range corpus.Builtin() {
		c, err := corpus.Load(name)
		require.NoError(t, err)
		for _, p := range c.Domain.Procedures {
			pool, rng := newPool(c.Domain, p, 1), rand.New(rand.NewPCG(1, 0))
			for i := range 4 {
				v, err := pool.variant(i)
				if err != nil || v.Worlds() == nil {
					continue
				}
				for _, worlds := range v.Worlds() {
					for _, w := range worlds[:min(2, len(worlds))] {
						s, err := v.Scenario(w, rng)
						require.NoError(t, err)
						done, err := v.M.Along(s.Facts, nil, rng)
						require.NoError(t, err)
						for _, history := range [][]string{nil, done[:len(done)-1]} {
							assert.Equal(t, ReferenceJSON(v.V, s, history), v.reference(s, history))
						}
					}
				}
			}
		}
	}
}
