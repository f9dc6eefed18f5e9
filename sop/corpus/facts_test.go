package corpus

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fmsop/fmsop/sop"
	"github.com/goccy/go-yaml"
)

// facts is a facts file on a domain of SOPBench, as far as the packs follow it.
type facts struct {
	Parameters defaults `yaml:"parameters"`
	Tools      []struct {
		Name   string `yaml:"name"`
		Params []struct {
			Name     string `yaml:"name"`
			Required bool   `yaml:"required"`
		} `yaml:"params"`
		Innate       any `yaml:"innate"`
		Required     any `yaml:"composed_required"`
		ComposedFull any `yaml:"composed_full"`
	} `yaml:"tools"`
	Conditions []struct {
		Name       string `yaml:"name"`
		Kind       string `yaml:"kind"`
		VerifiedBy any    `yaml:"verified_by"`
		Links      *struct {
			Tool string `yaml:"tool"`
		} `yaml:"links"`
	} `yaml:"conditions"`
}

// defaults are thresholds by name; the facts write them as a map or as a list.
type defaults map[string]float64

func (d *defaults) UnmarshalYAML(decode func(any) error) error {
	var raw any
	if err := decode(&raw); err != nil {
		return err
	}
	byName := map[string]any{}
	switch raw := raw.(type) {
	case map[string]any:
		byName = raw
	case []any:
		for _, p := range raw {
			if p, ok := p.(map[string]any); ok {
				byName[fmt.Sprint(p["name"])] = p["default"]
			}
		}
	}
	*d = defaults{}
	for name, v := range byName {
		text := fmt.Sprint(v)
		// Clock times are hours in the packs; lists are no thresholds.
		text, _ = strings.CutSuffix(text, ":00")
		if x, err := strconv.ParseFloat(text, 64); err == nil {
			(*d)[name] = x
		}
	}
	return nil
}

// shared returns the path of a file that is shared with the project and kept
// beside its repository. FMSOP_NO_SHARED=1 is for a clone without it.
func shared(t *testing.T, path string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
	return filepath.Join(dir, "..", "shared", filepath.FromSlash(path))
}

// readShared returns the file, or nil where FMSOP_NO_SHARED allows it to be
// missing.
func readShared(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(shared(t, path))
	if errors.Is(err, os.ErrNotExist) && os.Getenv("FMSOP_NO_SHARED") != "" && os.Getenv("CI") == "" {
		t.Logf("%s is missing, and FMSOP_NO_SHARED is set", path)
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func readFacts(t *testing.T, domain string) *facts {
	t.Helper()
	text := readShared(t, "sopbench/facts/"+domain+".facts.yaml")
	if text == nil {
		return nil
	}
	f := &facts{}
	if err := yaml.Unmarshal(text, f); err != nil {
		t.Fatal(err)
	}
	return f
}

// factTree converts a tree of the facts, with leaves as d writes them.
func factTree(t *testing.T, d *sop.Domain, x any) *sop.Tree {
	t.Helper()
	text, err := json.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	var plain any
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&plain); err != nil {
		t.Fatal(err)
	}
	r := &taskReader{}
	tree := r.tree("", plain, 0)
	if len(r.problems) > 0 {
		t.Fatal(r.problems)
	}
	return tree.Map(func(name string) string {
		n, err := sop.ParseName(name)
		if err != nil {
			t.Fatal(err)
		}
		if c := d.Conditions[n.Base]; c != nil {
			n = n.Rename(nil, c.Parameters)
		} else if a := d.Actions[n.Base]; a != nil {
			n = n.Rename(nil, a.Parameters)
		}
		return n.String()
	})
}

// sameMeaning compares truth tables over the names of both trees.
func sameMeaning(t *testing.T, a, b *sop.Tree) bool {
	t.Helper()
	names := append(a.Names(), b.Names()...)
	slices.Sort(names)
	names = slices.Compact(names)
	if len(names) > 16 {
		t.Fatalf("%d names are too many for a truth table", len(names))
	}
	for x := range 1 << len(names) {
		truth := map[string]bool{}
		for i, n := range names {
			truth[n] = x>>i&1 == 1
		}
		if a.Holds(truth) != b.Holds(truth) {
			return false
		}
	}
	return true
}

const noDatabase = "internal_get_database"

// otherRules are tools whose pack is not to mean what the facts say.
var otherRules = map[string]string{
	"bank open_account":                 "its composed tree contradicts itself, the pack has the satisfiable part",
	"bank get_bank_maximum_loan_amount": "demands internal_get_database, which no agent may call",
}

// TestTrees holds every action of the built-in packs against the facts.
func TestTrees(t *testing.T) {
	for _, name := range Builtin() {
		f := readFacts(t, name)
		if f == nil {
			return
		}
		c, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		d := c.Domain
		procedures := 0
		for _, tool := range f.Tools {
			if tool.Name == noDatabase {
				continue
			}
			action := d.Actions[tool.Name]
			if action == nil {
				t.Errorf("%s: action %s is missing", name, tool.Name)
				continue
			}
			if !strings.HasPrefix(tool.Name, "internal_") {
				procedures++
			}
			got, want := d.Requirement(tool.Name), factTree(t, d, tool.ComposedFull)
			if reason, other := otherRules[name+" "+tool.Name]; other == sameMeaning(t, got, want) {
				t.Errorf("%s: %s requires %s, the facts say %s (meant to differ: %v %s)", name, tool.Name, got, want, other, reason)
			}
			if want := factTree(t, d, tool.Innate); !sameMeaning(t, action.Innate, want) {
				t.Errorf("%s: %s is innately bound to %s, the facts say %s", name, tool.Name, action.Innate, want)
			}
			var required, all []string
			for _, p := range tool.Params {
				all = append(all, p.Name)
				if p.Required {
					required = append(required, p.Name)
				}
			}
			if !slices.Equal(action.Parameters, required) && !slices.Equal(action.Parameters, all) {
				t.Errorf("%s: %s has the parameters %v, the facts say %v", name, tool.Name, action.Parameters, required)
			}
			if p := d.Procedure(tool.Name); p != nil && otherRules[name+" "+tool.Name] == "" {
				if got, want := sop.Conjunction(p.Required), factTree(t, d, tool.Required); !sameMeaning(t, got, want) {
					t.Errorf("%s: the required rules of %s are %s, the facts say %s", name, tool.Name, got, want)
				}
			}
		}
		if len(d.Procedures) != procedures {
			t.Errorf("%s has %d procedures, the facts have %d tools that are not internal", name, len(d.Procedures), procedures)
		}
		for threshold, want := range f.Parameters {
			if th := d.Thresholds[threshold]; th == nil || th.Default != want {
				t.Errorf("%s: threshold %s is %+v, the facts say %v", name, threshold, th, want)
			}
		}
	}
}

// otherSources are conditions that become known otherwise than the facts say.
var otherSources = map[string]string{
	"healthcare claim_within_coverage_amount": "the details of one claim do not show the total of all open ones",
}

// TestSources holds what establishes a condition against the facts: the link,
// else verified_by without the database, else the conversation or the action
// of the same name.
func TestSources(t *testing.T) {
	for _, name := range Builtin() {
		f := readFacts(t, name)
		if f == nil {
			return
		}
		c, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		d := c.Domain
		for _, fact := range f.Conditions {
			cond := d.Conditions[fact.Name]
			if cond == nil {
				continue // named by no rule
			}
			if cond.Kind != fact.Kind && fact.Kind != "other" {
				t.Errorf("%s: %s is of kind %s, the facts say %s", name, fact.Name, cond.Kind, fact.Kind)
			}
			got := cond.EstablishedBy
			if got == nil {
				got = sop.L(fact.Name)
			}
			want := sop.L(sop.Conversation)
			switch verified := withoutDatabase(factTree(t, d, fact.VerifiedBy)); {
			case fact.Links != nil:
				want = sop.L(fact.Links.Tool)
			case verified != nil:
				want = verified
			case d.Actions[fact.Name] != nil:
				want = sop.L(fact.Name)
			}
			reason, other := otherSources[name+" "+fact.Name]
			if other == sameMeaning(t, got, want) {
				t.Errorf("%s: %s is established by %s, the facts say %s (meant to differ: %v %s)", name, fact.Name, got, want, other, reason)
			}
		}
	}
}

// withoutDatabase drops alternatives that only the whole database gives.
func withoutDatabase(tree *sop.Tree) *sop.Tree {
	if tree == nil || tree.Op == sop.Leaf {
		if tree != nil && tree.Name == noDatabase {
			return nil
		}
		return tree
	}
	var parts []*sop.Tree
	for _, p := range tree.Parts {
		q := withoutDatabase(p)
		if q == nil && tree.Op.Conjunctive() {
			return nil
		}
		if q != nil {
			parts = append(parts, q)
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return sop.T(tree.Op, parts...)
}
