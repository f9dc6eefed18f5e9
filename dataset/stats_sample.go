package dataset

import (
	"cmp"
	"container/heap"
	"math"
	"slices"
	"unique"
)

// thinned is a map by hash that keeps at most a number of keys: when there are
// more, only the hashes that end in one more zero bit are kept, and so on. A
// key that is kept at the end was never lost meanwhile, so that its value is
// exact, and what is kept does not depend on the order of the keys.
type thinned[V any] struct {
	most int
	bits int
	kept map[uint64]*V
}

func newThinned[V any](most int) *thinned[V] {
	return &thinned[V]{most: most, kept: map[uint64]*V{}}
}

// at returns the key's value, zero at first; nil if the key is not kept.
func (t *thinned[V]) at(key uint64) *V {
	if !t.keeps(key) {
		return nil
	}
	v, ok := t.kept[key]
	if !ok {
		v = new(V)
		t.kept[key] = v
		for len(t.kept) > t.most {
			t.bits++
			for k := range t.kept {
				if !t.keeps(k) {
					delete(t.kept, k)
				}
			}
		}
	}
	return v
}

func (t *thinned[V]) keeps(key uint64) bool { return key&(1<<t.bits-1) == 0 }

// merge takes in the keys of another, not their values.
func (t *thinned[V]) merge(other *thinned[V]) {
	for key := range other.kept {
		t.at(key)
	}
}

// count is the number of distinct keys, exact as long as all are kept.
func (t *thinned[V]) count() int { return len(t.kept) << t.bits }

func (t *thinned[V]) exact() bool { return t.bits == 0 }

// groupSample keeps the groups that come first in the order of their hashes, as
// many as fit. Which these are does not depend on the order in which they are
// offered.
type groupSample struct {
	most, size int
	limit      uint64 // the smallest order that found no room
	groups     groupHeap
}

type sampledGroup struct {
	order     uint64
	procedure uint64
	answers   []sampledAnswer // the positive first
}

type sampledAnswer struct {
	payload, base uint64
	items         []item // of the base payload, in order
	words         []item // of the text: distinct, sorted
}

// item is an interned string: samples share what they have in common.
type item = unique.Handle[string]

// tests says which half a group is in.
func (g *sampledGroup) tests() bool { return g.order&1 == 1 }

func (g *sampledGroup) bytes() int {
	n := 64
	for _, a := range g.answers {
		n += 80 + 8*(len(a.items)+len(a.words))
	}
	return n
}

func newGroupSample(most int) *groupSample { return &groupSample{most: most, limit: math.MaxUint64} }

func (s *groupSample) offer(g *statsGroup) {
	if g.order >= s.limit {
		return
	}
	kept := &sampledGroup{order: g.order, procedure: hash64(0, g.procedure)}
	for i := range g.answers {
		a := &g.answers[i]
		kept.answers = append(kept.answers, sampledAnswer{a.payload, a.base, intern(a.baseItems), intern(distinctWords(a.text))})
	}
	heap.Push(&s.groups, kept)
	s.size += kept.bytes()
	for s.size > s.most {
		out := heap.Pop(&s.groups).(*sampledGroup)
		s.size -= out.bytes()
		s.limit = out.order
	}
}

// sorted returns the groups in their order, those to learn from and those to
// be tested on.
func (s *groupSample) sorted() (all, learn, test []*sampledGroup) {
	all = slices.SortedFunc(slices.Values(s.groups), func(a, b *sampledGroup) int { return cmp.Compare(a.order, b.order) })
	for _, g := range all {
		if g.tests() {
			test = append(test, g)
		} else {
			learn = append(learn, g)
		}
	}
	return all, learn, test
}

func intern(list []string) []item {
	items := make([]item, len(list))
	for i, s := range list {
		items[i] = unique.Make(s)
	}
	return items
}

func distinctWords(s string) []string {
	list := words(s)
	slices.Sort(list)
	return slices.Compact(list)
}

// groupHeap has the group that goes first, the last in order, at its top.
type groupHeap []*sampledGroup

func (h groupHeap) Len() int           { return len(h) }
func (h groupHeap) Less(i, j int) bool { return h[i].order > h[j].order }
func (h groupHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *groupHeap) Push(x any)        { *h = append(*h, x.(*sampledGroup)) }
func (h *groupHeap) Pop() any {
	old := *h
	last := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return last
}
