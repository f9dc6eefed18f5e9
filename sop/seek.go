package sop

import "math/rand/v2"

const (
	fewWorlds = 64  // of an outcome: more are looked for
	sought    = 512 // worlds around which they are
)

// seek looks for worlds of the outcomes that few draws end in, since much has to
// hold for them: one fact away from those of the rarest. Seen are the assignments
// that were drawn.
func (s *Sampler) seek(seen map[set]bool, rng *rand.Rand) {
	looked := make([]int, len(s.worlds)) // at how many of an outcome's worlds
	for range sought {
		rarest := -1
		for k, worlds := range s.worlds {
			if looked[k] < len(worlds) && len(worlds) < fewWorlds && (rarest < 0 || len(worlds) < len(s.worlds[rarest])) {
				rarest = k
			}
		}
		if rarest < 0 {
			return
		}
		from := s.worlds[rarest][looked[rarest]].facts
		looked[rarest]++
		for i := range s.M.conds {
			if x := s.dependent(from ^ bit(i)); !seen[x] {
				seen[x] = true
				s.add(x, rng)
			}
		}
	}
}
