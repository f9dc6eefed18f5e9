package recheck

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// conversation is the source of what is known before the first call.
const conversation = "conversation"

// rules is the formal part of a procedure, as a text, a reference or an answer states it.
type rules struct {
	goal        string
	requires    map[string]*tree // every call; nil where there is no rule
	established map[string]*tree // every condition: a tree over calls, or the leaf conversation
	depends     map[string]*tree
	excludes    [][]string
	effects     map[string]map[string]bool
	outcomes    []ending
}

type ending struct {
	end  string
	tree *tree
}

// fromStart says whether a source makes its condition known before the first call.
func fromStart(source *tree) bool {
	return source != nil && source.kind == kindLeaf && source.leaf == conversation
}

// edges derives E: a call before each call whose requirement names it or a condition that it helps to make known.
func (r *rules) edges() ([][2]string, error) {
	helps := map[string][]string{}
	for condition, source := range r.established {
		if fromStart(source) {
			continue
		}
		sets, err := source.sets()
		if err != nil {
			return nil, fmt.Errorf("established_by of %q: %w", condition, err)
		}
		helps[condition] = slices.Concat(sets...)
	}
	found := map[[2]string]bool{}
	for v, rule := range r.requires {
		rule.eachLeaf(func(name string) {
			for _, u := range append([]string{name}, helps[name]...) {
				if _, isCall := r.requires[u]; isCall {
					found[[2]string{u, v}] = true
				}
			}
		})
	}
	return slices.SortedFunc(maps.Keys(found), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }), nil
}

// hasCycle takes away calls without an edge into them until there is none; what remains has a circle.
func hasCycle(edges [][2]string) bool {
	for len(edges) > 0 {
		left := slices.DeleteFunc(slices.Clone(edges), func(e [2]string) bool {
			return !slices.ContainsFunc(edges, func(f [2]string) bool { return f[1] == e[0] })
		})
		if len(left) == len(edges) {
			return true
		}
		edges = left
	}
	return false
}

// matters returns the calls and conditions that the outcomes lead to: what the graph has, and no more.
func (r *rules) matters() (calls, conditions map[string]bool) {
	calls, conditions = map[string]bool{}, map[string]bool{}
	var call func(string)
	trees := func(t *tree) {
		t.eachLeaf(func(name string) {
			source := r.established[name]
			if conditions[name] || source == nil {
				return
			}
			conditions[name] = true
			if !fromStart(source) {
				source.eachLeaf(call)
			}
		})
	}
	call = func(name string) {
		rule, isCall := r.requires[name]
		if isCall && !calls[name] {
			calls[name] = true
			trees(rule)
		}
	}
	call(r.goal)
	for _, o := range r.outcomes {
		call(o.end)
		trees(o.tree)
	}
	return calls, conditions
}

// closed names what is missing or too much for a graph: a condition without a source, a source that is no call, a call or a
// condition that nothing leads to.
func (r *rules) closed() error {
	known := func(where string, t *tree) (err error) {
		t.eachLeaf(func(name string) {
			if r.established[name] == nil {
				err = fmt.Errorf("%s names %q, which nothing makes known", where, name)
			}
		})
		return err
	}
	for _, call := range sortedKeys(r.requires) {
		if err := known("the requirement of "+call, r.requires[call]); err != nil {
			return err
		}
	}
	for _, condition := range sortedKeys(r.established) {
		var err error
		if source := r.established[condition]; !fromStart(source) {
			source.eachLeaf(func(call string) {
				if _, isCall := r.requires[call]; !isCall {
					err = fmt.Errorf("%q is made known by %q, which is no call", condition, call)
				}
			})
		}
		if err != nil {
			return err
		}
	}
	calls, conditions := r.matters()
	for _, call := range sortedKeys(r.requires) {
		if !calls[call] {
			return fmt.Errorf("nothing leads to the call %q", call)
		}
	}
	for _, condition := range sortedKeys(r.established) {
		if !conditions[condition] {
			return fmt.Errorf("nothing names the condition %q", condition)
		}
	}
	return nil
}

// graphKey is equal for graphs whose requirements are equal but for what never matters, and whose sources have equal minimal
// sets.
func (r *rules) graphKey() string {
	var b strings.Builder
	for _, call := range sortedKeys(r.requires) {
		b.WriteString(call + "=" + r.requires[call].canonical().String() + "\n")
	}
	for _, condition := range sortedKeys(r.established) {
		b.WriteString(condition + "<" + sourceText(r.established[condition]) + "\n")
	}
	return b.String()
}

func sourceText(source *tree) string {
	if source == nil || fromStart(source) {
		return conversation
	}
	sets, err := source.sets()
	if err != nil {
		return source.String()
	}
	return fmt.Sprint(sets)
}

// differs says the first thing in which two procedures differ in meaning, "" where there is none.
func (r *rules) differs(other *rules) string {
	if r.goal != other.goal {
		return fmt.Sprintf("the goal is %q and %q", r.goal, other.goal)
	}
	plain := func(t *tree) string { return t.canonical().String() }
	for _, part := range []struct {
		what string
		a, b map[string]*tree
		text func(*tree) string
	}{
		{"the requirement of", r.requires, other.requires, plain},
		{"the source of", r.established, other.established, sourceText},
		{"what makes possible", r.depends, other.depends, plain},
	} {
		for _, name := range eitherKeys(part.a, part.b) {
			a, inA := part.a[name]
			b, inB := part.b[name]
			if inA != inB {
				return fmt.Sprintf("%s %q is stated once only", part.what, name)
			}
			if x, y := part.text(a), part.text(b); x != y {
				return fmt.Sprintf("%s %q is %s and %s", part.what, name, x, y)
			}
		}
	}
	for _, call := range eitherKeys(r.effects, other.effects) {
		if !maps.Equal(r.effects[call], other.effects[call]) {
			return fmt.Sprintf("the effects of %q are %v and %v", call, r.effects[call], other.effects[call])
		}
	}
	if a, b := exclusions(r.excludes), exclusions(other.excludes); !slices.Equal(a, b) {
		return fmt.Sprintf("the exclusions are %v and %v", a, b)
	}
	ends := func(list []ending) (texts []string) {
		for _, o := range list {
			texts = append(texts, o.end+" when "+plain(o.tree))
		}
		return texts
	}
	if a, b := ends(r.outcomes), ends(other.outcomes); !slices.Equal(a, b) {
		return fmt.Sprintf("the outcomes are %q and %q", a, b)
	}
	return ""
}

func exclusions(lists [][]string) []string {
	var texts []string
	for _, list := range lists {
		texts = append(texts, strings.Join(slices.Sorted(slices.Values(list)), " | "))
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}

// possible says what speaks against facts: a condition that is true although what it depends on is not, or two that exclude
// each other. Names without a fact say nothing.
func (r *rules) possible(facts map[string]bool) error {
	has := func(name string) bool { _, has := facts[name]; return has }
	for _, name := range sortedKeys(r.depends) {
		if facts[name] && !project(r.depends[name], has).holds(facts) {
			return fmt.Errorf("%q is true although what it depends on is false", name)
		}
	}
	for _, list := range r.excludes {
		var held []string
		for _, name := range list {
			if facts[name] {
				held = append(held, name)
			}
		}
		if len(held) > 1 {
			return fmt.Errorf("%q exclude each other and are all true", held)
		}
	}
	return nil
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func eitherKeys[V any](a, b map[string]V) []string {
	both := map[string]bool{}
	for name := range a {
		both[name] = true
	}
	for name := range b {
		both[name] = true
	}
	return sortedKeys(both)
}
