package stages

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/augment"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/corpus"
)

// drawing is a job of each procedure of a domain, ready to draw from.
func drawing(t *testing.T, domain string) (workers []*worker) {
	c, err := corpus.Load(domain)
	require.NoError(t, err)
	for _, p := range c.Domain.Procedures {
		j := &Job{Stage: 2, Domain: c.Domain, Procedure: p, Of: 1, Groups: 100, loan: &loan{}}
		w := j.sequences(Options{}.WithDefaults(), nil)
		workers = append(workers, w)
	}
	return workers
}

// Every answer of an exchange is right in its own context and wrong in all the
// others, and nearly all exchanges have as many contexts as they are to have.
func TestAnswersExchange(t *testing.T) {
	const each = 12
	exchanges, full, wasteFirst := 0, 0, 0
	for _, domain := range []string{"bank", "hotel", "library"} {
		for _, w := range drawing(t, domain) {
			for range each {
				u, _ := w.units.draw()
				if u == nil {
					continue
				}
				x := w.workflowExchange(u, 5)
				for i, s := range x.members {
					require.Empty(t, s.M.Check(s.scenario.Facts, s.positive), "%s: %v", w.Name(), s.positive)
					require.Nil(t, s.world, "%s: the scenario is not settled", w.Name())
					for j, o := range x.members {
						if i == j {
							continue
						}
						found, n := s.M.Check(s.scenario.Facts, o.positive), x.wrong[i][j]
						require.NotEmpty(t, found, "%s: %v is right twice", w.Name(), o.positive)
						require.Equal(t, found[0], n.violation)
						require.Equal(t, o.positive, n.workflow)
						if n.waste && n.operator != augment.Insert {
							require.True(t, slices.ContainsFunc(found, func(v sop.Violation) bool { return v.Kind.Fault() }),
								"%s: %v is only wasteful", w.Name(), o.positive)
							wasteFirst++
						}
					}
					require.Len(t, x.negatives(i), len(x.members)-1)
				}
				y := w.nextExchange(u, 5)
				for i, m := range y.members {
					require.Contains(t, m.right, m.next)
					require.Equal(t, m.M.Next(m.scenario.Facts, m.history), m.right)
					for j, o := range y.members {
						require.Equal(t, i == j, slices.Contains(m.right, o.next), "%s: %s after %v", w.Name(), o.next, m.history)
					}
				}
				exchanges += 2
				full += boolOrder(len(x.members) == 5) + boolOrder(len(y.members) == 5)
			}
		}
	}
	require.Greater(t, float64(full)/float64(exchanges), 0.85, "%d of %d exchanges", full, exchanges)
	require.NotZero(t, wasteFirst, "no answer goes on where another case is decided")
}
