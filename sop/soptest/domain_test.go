package soptest_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/soptest"
	"pgregory.net/rapid"
)

func TestDomainKeepsItsPromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := soptest.Domain(t)
		checkWording(t, d)
		for _, p := range d.Procedures {
			for _, rules := range [][]*sop.Tree{nil, {}, p.Required} {
				v, err := d.Variant(p, sop.Choice{Rules: rules})
				if err != nil {
					t.Fatal(err)
				}
				if len(v.Requires) > 6 || len(v.EstablishedBy) > 6 {
					t.Fatalf("%d calls and %d conditions", len(v.Requires), len(v.EstablishedBy))
				}
				if soptest.New(&v.Graph).Cyclic() {
					t.Fatalf("a cycle in %v", v.Graph)
				}
			}
		}
	})
}

var placeholder = regexp.MustCompile(`\{(\w+)\}`)

func checkWording(t *rapid.T, d *sop.Domain) {
	var wordings, records []string
	for _, a := range d.Actions {
		wordings = append(wordings, a.Text)
	}
	for name, c := range d.Conditions {
		wordings = append(wordings, c.Text, c.Negated)
		if c.Compare == "" {
			records = append(records, c.RecordTrue, c.RecordFalse)
		} else if _, err := sop.ParseComparison(c.Compare); err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(sop.Kinds, c.Kind) {
			t.Fatalf("condition %s has the kind %q", name, c.Kind)
		}
	}
	for _, v := range d.Values {
		wordings = append(wordings, v.Text)
		if !v.Stated {
			records = append(records, v.Record)
		}
	}
	for _, p := range d.Procedures {
		wordings = append(wordings, p.Title, p.Purpose)
		wordings = append(wordings, p.Requests...)
	}
	for _, term := range d.Glossary {
		wordings = append(wordings, term.Term, term.Definition)
	}
	for i, r := range records {
		for j, other := range records {
			if i != j && strings.HasPrefix(r, other) {
				t.Fatalf("record %q begins %q", other, r)
			}
		}
	}
	seen := map[string]bool{}
	for _, w := range append(wordings, records...) {
		if w == "" || seen[w] {
			t.Fatalf("wording %q is empty or used twice", w)
		}
		seen[w] = true
		for _, m := range placeholder.FindAllStringSubmatch(w, -1) {
			if d.Parameters[m[1]] == nil && m[1] != "value" {
				t.Fatalf("%q has the parameter %s, want one of %v", w, m[1], slices.Sorted(maps.Keys(d.Parameters)))
			}
		}
	}
}

// Every kind of violation and workflows without any occur among what is drawn.
func TestWorkflowsAreVaried(t *testing.T) {
	seen := map[sop.Kind]int{}
	rapid.Check(t, func(t *rapid.T) {
		g := &soptest.Variant(t).Graph
		facts := soptest.Facts(t, g)
		o := soptest.New(g)
		for range 10 {
			w := soptest.WorkflowFor(t, g, facts)
			vs := o.Check(facts, w)
			for _, v := range vs {
				seen[v.Kind]++
			}
			if len(vs) == 0 && len(w) > 1 {
				seen["positive"]++
			}
		}
	})
	for _, k := range []sop.Kind{sop.Unmet, sop.Order, sop.WrongEnd, sop.NoEnd, sop.AfterEnd, sop.Outside, sop.Repeated, sop.Idle, "positive"} {
		if seen[k] == 0 {
			t.Errorf("no workflow with %s", k)
		}
	}
}
