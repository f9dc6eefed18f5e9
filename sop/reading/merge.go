package reading

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/sop"
)

// Recall gives fresh readings the verdicts of earlier ones of the same file,
// kind and sentence, and tells what moved, what is new and what is gone.
func Recall(old, fresh []*Result) (changes []string) {
	earlier := map[string]*Reading{}
	for _, r := range old {
		for _, x := range r.Readings {
			earlier[x.Key()] = x
		}
	}
	for _, r := range fresh {
		for _, x := range r.Readings {
			was, ok := earlier[x.Key()]
			if !ok {
				if len(old) > 0 {
					changes = append(changes, "new      "+x.Source+"  "+x.String())
				}
				continue
			}
			delete(earlier, x.Key())
			x.Verdict = was.Verdict
			if was.Source != x.Source {
				changes = append(changes, "moved    "+was.Source+" -> "+x.Source+"  "+x.String())
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(earlier)) {
		x := earlier[key]
		if slices.ContainsFunc(fresh, func(r *Result) bool { return r.File == x.file() }) {
			changes = append(changes, "gone     "+x.Source+"  "+x.String())
		}
	}
	return changes
}

// Merge takes a person's edits over into a domain that was built anew: what
// edited has otherwise than base, the domain as it was built before, stays as
// it is there. It names what was kept although the document says otherwise by
// now.
func Merge(base, edited, fresh *sop.Domain) (*sop.Domain, []string, error) {
	m := merger{}
	merged := m.value("", plainOf(base), plainOf(edited), plainOf(fresh))
	text, err := json.Marshal(merged)
	if err != nil {
		return nil, nil, err
	}
	var whole wholeDomain
	if err := json.Unmarshal(text, &whole); err != nil {
		return nil, nil, err
	}
	d := whole.Domain
	for _, goal := range slices.Sorted(maps.Keys(whole.Procedures)) {
		d.Procedures = append(d.Procedures, whole.Procedures[goal])
	}
	d.Glossary = nil
	for _, term := range slices.Sorted(maps.Keys(whole.Glossary)) {
		d.Glossary = append(d.Glossary, whole.Glossary[term])
	}
	return &d, m.kept, nil
}

// wholeDomain is a domain with procedures and terms by their names.
type wholeDomain struct {
	sop.Domain
	Procedures map[string]*sop.Procedure `json:"procedures_by_goal"`
	Glossary   map[string]*sop.Term      `json:"terms_by_name"`
}

// plainOf is the domain as decoded JSON.
func plainOf(d *sop.Domain) any {
	whole := wholeDomain{Domain: *d, Procedures: map[string]*sop.Procedure{}, Glossary: map[string]*sop.Term{}}
	whole.Domain.Glossary = nil
	for _, p := range d.Procedures {
		whole.Procedures[p.Goal] = p
	}
	for _, t := range d.Glossary {
		whole.Glossary[t.Term] = t
	}
	text, err := json.Marshal(whole)
	if err != nil {
		panic(err) // the nouns have no value that JSON does not know
	}
	var out any
	if err := json.Unmarshal(text, &out); err != nil {
		panic(err)
	}
	return out
}

type merger struct{ kept []string }

// value merges three ways; a value that is not there is nil.
func (m *merger) value(path string, base, edited, fresh any) any {
	b, e, f := asMap(base), asMap(edited), asMap(fresh)
	if e != nil && f != nil {
		out := map[string]any{}
		keys := map[string]bool{}
		for _, x := range []map[string]any{b, e, f} {
			for k := range x {
				keys[k] = true
			}
		}
		for _, k := range slices.Sorted(maps.Keys(keys)) {
			if x := m.value(strings.TrimPrefix(path+"/"+k, "/"), b[k], e[k], f[k]); x != nil {
				out[k] = x
			}
		}
		return out
	}
	if reflect.DeepEqual(base, edited) {
		return fresh
	}
	if !reflect.DeepEqual(base, fresh) && !reflect.DeepEqual(edited, fresh) {
		m.kept = append(m.kept, path)
	}
	return edited
}

// asMap is the value as a mapping; a tree, which is one in JSON too, is not
// merged but taken whole.
func asMap(v any) map[string]any {
	x, _ := v.(map[string]any)
	if len(x) == 1 {
		for _, op := range []sop.Op{sop.Not, sop.All, sop.Any, sop.Seq, sop.FirstOf} {
			if _, tree := x[string(op)]; tree {
				return nil
			}
		}
	}
	return x
}
