package agents

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/llm"
	"github.com/fmsop/fmsop/rubric"
)

//go:embed prompts/rubric_merge.txt
var mergePrompt string

// keep adds a dimension, to the one that it nearly equals if there is such a
// one.
func (d *drafting) keep(c choice) {
	for i := range d.choices {
		if nearlyEqual(&d.choices[i].dimension, &c.dimension) {
			d.join(i, c)
			return
		}
	}
	d.choices = append(d.choices, c)
}

// nearlyEqual dimensions share two thirds of the words of their names, or have
// copied criteria.
func nearlyEqual(a, b *rubric.Dimension) bool {
	left, right := strings.Split(a.Name, "_"), strings.Split(b.Name, "_")
	shared := 0
	for _, word := range left {
		if slices.Contains(right, word) {
			shared++
		}
	}
	return 3*shared >= 2*(len(left)+len(right)-shared) ||
		dataset.Similarity(strings.Join(a.Criteria, " "), strings.Join(b.Criteria, " ")) >= similarCriteria
}

// join adds a dimension's share, evidence and covers to another one.
func (d *drafting) join(into int, c choice) {
	to := &d.choices[into]
	if to.dimension.Name != c.dimension.Name {
		d.draft.Merged = append(d.draft.Merged, c.dimension.Name+" into "+to.dimension.Name)
	} else {
		d.draft.Merged = append(d.draft.Merged, c.dimension.Name+" with its like")
	}
	to.share += c.share
	for _, e := range c.dimension.Evidence {
		if len(to.dimension.Evidence) < evidencePieces && !slices.Contains(to.dimension.Evidence, e) {
			to.dimension.Evidence = append(to.dimension.Evidence, e)
		}
	}
	to.dimension.Covers = covers(slices.Concat(to.dimension.Covers.Kinds, to.dimension.Covers.Shapes, c.dimension.Covers.Kinds, c.dimension.Covers.Shapes))
}

// merging is what the model writes of all proposals.
type merging struct {
	Sets []sameSet `json:"sets"`
}

type sameSet struct {
	Keep string   `json:"keep"`
	Same []string `json:"same"`
}

// merge asks which dimensions of several pieces grade the same thing. A reply
// that cannot be used leaves them as they are, which the draft then says.
func (d *drafting) merge(ctx context.Context) error {
	if len(d.choices) < 2 {
		return nil
	}
	var names []any
	var b strings.Builder
	fmt.Fprintf(&b, "The domain: %s.\n\n%s\n", d.domain.Title, fence)
	for _, c := range d.choices {
		names = append(names, c.dimension.Name)
		fmt.Fprintf(&b, "%s: %s\n", c.dimension.Name, inert(c.dimension.Why))
	}
	fmt.Fprintf(&b, "%s\n\nNow name the sets.", fence)
	schema, err := llm.SchemaFor[merging]("sets", func(s *jsonschema.Schema) {
		one := s.Properties["sets"].Items.Properties
		one["keep"].Enum, one["same"].Items.Enum = names, names
		one["same"].MinItems = new(1)
	})
	if err != nil {
		return err
	}
	said, err := llm.Ask[merging](ctx, d.writer.Asker, d.writer.request(mergePrompt, b.String(), 0), schema)
	if repliesBadly(err) {
		d.drop("merging", dropMerging, "%v", err)
		return nil
	}
	if err != nil {
		return err
	}
	if twice := named(said.Value.Sets); twice != "" {
		d.drop("merging", dropMerging, "%s is in two sets", twice)
		return nil
	}
	for _, set := range said.Value.Sets {
		for _, name := range set.Same {
			i := slices.IndexFunc(d.choices, func(c choice) bool { return c.dimension.Name == name })
			c := d.choices[i]
			d.choices = slices.Delete(d.choices, i, i+1)
			d.join(slices.IndexFunc(d.choices, func(c choice) bool { return c.dimension.Name == set.Keep }), c)
		}
	}
	return nil
}

// named returns a name that stands in the sets twice.
func named(sets []sameSet) string {
	seen := map[string]bool{}
	for _, set := range sets {
		for _, name := range append([]string{set.Keep}, set.Same...) {
			if seen[name] {
				return name
			}
			seen[name] = true
		}
	}
	return ""
}
