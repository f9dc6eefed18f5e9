package corpus

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/fmsop/fmsop/data"
	"github.com/fmsop/fmsop/sop"
	"github.com/goccy/go-yaml"
	"github.com/google/jsonschema-go/jsonschema"
)

// TestBuiltin holds the built-in packs to more than what any pack needs.
func TestBuiltin(t *testing.T) {
	if !slices.IsSorted(Builtin()) || !slices.Contains(Builtin(), "bank") || !slices.Contains(Builtin(), "healthcare") {
		t.Errorf("built-in domains %v", Builtin())
	}
	for _, name := range Builtin() {
		p, notes, err := readPack(data.FS, name, name)
		if err != nil {
			t.Errorf("%s:\n%v", name, err)
			continue
		}
		d := p.domain
		if d.Name != name {
			t.Errorf("the pack in %s is of the domain %s", name, d.Name)
		}
		if p.records == nil {
			t.Errorf("%s has no %s", name, recordsFile)
		}
		if len(d.Glossary) < 40 {
			t.Errorf("%s: %d terms, want at least 40", name, len(d.Glossary))
		}
		for _, term := range d.Glossary {
			if len(term.Confusables) < 2 || len(term.UsedIn) == 0 {
				t.Errorf("%s: term %q has %d confusables and is used in %v", name, term.Term, len(term.Confusables), term.UsedIn)
			}
		}
		for _, note := range notes {
			t.Errorf("%s: %s", name, note)
		}
		for _, proc := range d.Procedures {
			checkProcedure(t, d, proc)
		}
	}
}

func checkProcedure(t *testing.T, d *sop.Domain, p *sop.Procedure) {
	t.Helper()
	if len(p.Requests) < 5 {
		t.Errorf("%s %s: %d requests, want at least 5", d.Name, p.Goal, len(p.Requests))
	}
	for _, text := range p.Requests {
		var said []string
		for _, m := range placeholder.FindAllStringSubmatch(text, -1) {
			said = append(said, m[1])
		}
		for _, parameter := range d.Actions[p.Goal].Parameters {
			// What has one example only is the same in every request.
			if len(d.Parameters[parameter].Examples) != 1 && !slices.Contains(said, parameter) {
				t.Errorf("%s %s: the request %q does not say %s", d.Name, p.Goal, text, parameter)
			}
		}
	}
	v, err := d.Variant(p, sop.Choice{})
	if err != nil {
		t.Fatal(err)
	}
	// Up to this size the sampler enumerates every world.
	if len(v.EstablishedBy) > 13 {
		t.Errorf("%s %s: %d conditions, want at most 13", d.Name, p.Goal, len(v.EstablishedBy))
	}
	s, err := sop.NewSampler(v)
	if err != nil {
		t.Fatal(err)
	}
	if s.Count(0) == 0 {
		t.Errorf("%s %s: %d permitting and %d denying worlds", d.Name, p.Goal, s.Count(0), s.Count(1))
	}
}

// TestSchema validates the built-in packs, and rejects what the loader would.
func TestSchema(t *testing.T) {
	domain, procedure, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	resolve := func(text []byte) *jsonschema.Resolved {
		s := &jsonschema.Schema{}
		if err := json.Unmarshal(text, s); err != nil {
			t.Fatal(err)
		}
		r, err := s.Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	domains, procedures := resolve(domain), resolve(procedure)
	for _, name := range Builtin() {
		if err := domains.Validate(readAny(t, name+"/"+domainFile)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		entries, err := data.FS.ReadDir(name + "/" + procedureFolder)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if err := procedures.Validate(readAny(t, name+"/"+procedureFolder+"/"+e.Name())); err != nil {
				t.Errorf("%s %s: %v", name, e.Name(), err)
			}
		}
	}
	for _, change := range []func(p map[string]any){
		func(p map[string]any) { p["requird"] = []any{} },
		func(p map[string]any) { p["required"] = []any{map[string]any{"both": []any{"a", "b"}}} },
		func(p map[string]any) { delete(p, "requests") },
	} {
		p := readAny(t, "bank/procedures/pay_bill.yaml").(map[string]any)
		change(p)
		if procedures.Validate(p) == nil {
			t.Errorf("the schema accepts %v", p)
		}
	}
}

func readAny(t *testing.T, path string) any {
	t.Helper()
	text, err := data.FS.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := yaml.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	// Through JSON, as an editor's validator would see it.
	encoded, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(encoded, &v); err != nil {
		t.Fatal(err)
	}
	return v
}
