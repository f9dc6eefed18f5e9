package dataset

import (
	"math"
	"slices"
)

// The measures that learn: each is trained on one half of the sample and picks
// an answer in every group of the other. A pick counts as the share of the
// positive among the answers with the highest score.

// lookUp scores an answer by how often the same one was right for the same
// procedure.
func lookUp(learn, test []*sampledGroup, key func(*sampledAnswer) uint64) meter {
	type count struct{ right, all float64 }
	table := map[uint64]count{}
	for _, g := range learn {
		for i := range g.answers {
			k := key(&g.answers[i])
			c := table[k]
			c.all++
			if i == 0 {
				c.right++
			}
			table[k] = c
		}
	}
	return pickAll(test, func(g *sampledGroup, a *sampledAnswer) float64 {
		c := table[key(a)]
		// One observation more, at chance: what was never seen is undecided.
		return (c.right + 1/float64(len(g.answers))) / (c.all + 1)
	})
}

// weight makes the negatives of a group count as much as its positive.
func (g *sampledGroup) weight(answer int) (class int, weight float64) {
	if answer == 0 {
		return 1, 1
	}
	return 0, 1 / float64(len(g.answers)-1)
}

// addK is added to every count of a 3-gram, seen or not.
const addK = 0.5

// threeGrams scores an answer by the log-likelihood ratio of its items under
// two 3-gram models of the procedure, one of positives and one of negatives.
func threeGrams(learn, test []*sampledGroup) meter {
	type history struct {
		procedure uint64
		items     [2]item
	}
	type gram struct {
		history
		item
	}
	grams, histories := map[gram][2]float64{}, map[history][2]float64{}
	vocabulary := map[item]bool{{}: true} // the end is the zero item
	each := func(g *sampledGroup, a *sampledAnswer, visit func(gram)) {
		h := history{procedure: g.procedure}
		for _, it := range a.items {
			visit(gram{h, it})
			h.items[0], h.items[1] = h.items[1], it
		}
		visit(gram{history: h})
	}
	for _, g := range learn {
		for i := range g.answers {
			class, weight := g.weight(i)
			each(g, &g.answers[i], func(n gram) {
				vocabulary[n.item] = true
				c, h := grams[n], histories[n.history]
				c[class] += weight
				h[class] += weight
				grams[n], histories[n.history] = c, h
			})
		}
	}
	unseen := addK * float64(len(vocabulary)+1) // and one for all that is unknown
	return pickAll(test, func(g *sampledGroup, a *sampledAnswer) (ratio float64) {
		each(g, a, func(n gram) {
			c, h := grams[n], histories[n.history]
			ratio += math.Log((c[1]+addK)/(h[1]+unseen)) - math.Log((c[0]+addK)/(h[0]+unseen))
		})
		return ratio
	})
}

// unigrams scores an answer by naive Bayes over the presence of words in its
// text, whatever the procedure is.
func unigrams(learn, test []*sampledGroup) meter {
	counts := map[item][2]float64{}
	for _, g := range learn {
		for i := range g.answers {
			class, weight := g.weight(i)
			for _, w := range g.answers[i].words {
				c := counts[w]
				c[class] += weight
				counts[w] = c
			}
		}
	}
	all := float64(len(learn)) // the weight of either class
	odds := func(n float64) float64 { return math.Log((n + 1) / (all - n + 1)) }
	return pickAll(test, func(_ *sampledGroup, a *sampledAnswer) (ratio float64) {
		for _, w := range a.words {
			if c, ok := counts[w]; ok {
				ratio += odds(c[1]) - odds(c[0])
			}
		}
		return ratio
	})
}

func pickAll(test []*sampledGroup, score func(*sampledGroup, *sampledAnswer) float64) meter {
	var m meter
	for _, g := range test {
		scores := make([]float64, len(g.answers))
		for i := range g.answers {
			scores[i] = score(g, &g.answers[i])
		}
		m.pick(scores)
	}
	return m
}

// frequentItem finds the item that most answers contain, groups apart in which
// all or none of the answers do, and measures the share of positives among the
// answers that contain it. Of equally frequent items it takes the first.
func frequentItem(all []*sampledGroup) (name string, m meter) {
	meters := map[item]*meter{}
	for _, g := range all {
		contain := map[item]int{}
		for i := range g.answers {
			for _, it := range distinctItems(g.answers[i].items) {
				contain[it]++
			}
		}
		right := distinctItems(g.answers[0].items)
		for it, n := range contain {
			if n == len(g.answers) {
				continue
			}
			if meters[it] == nil {
				meters[it] = &meter{}
			}
			sum := 0.0
			if slices.Contains(right, it) {
				sum = 1
			}
			p := float64(n) / float64(len(g.answers))
			meters[it].add(meter{groups: 1, weight: float64(n), sum: sum, chance: p, variance: p * (1 - p)})
		}
	}
	best := meter{}
	for it, c := range meters {
		if c.weight > best.weight || c.weight == best.weight && it.Value() < name {
			name, best = it.Value(), *c
		}
	}
	return name, best
}

func distinctItems(items []item) []item {
	seen := make(map[item]bool, len(items))
	var out []item
	for _, it := range items {
		if !seen[it] {
			seen[it] = true
			out = append(out, it)
		}
	}
	return out
}
