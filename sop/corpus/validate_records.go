package corpus

import (
	"slices"
	"sort"
	"strings"
)

// recordLine is a line that a case file may hold, as it looks like once its
// parameters are bound.
type recordLine struct {
	path  []string
	shape string
}

func (v *validator) recordLine(path []string, text string) {
	if text = oneLine(text); text != "" {
		shape := placeholder.ReplaceAllString(text, "{}")
		v.lines = append(v.lines, recordLine{slices.Clone(path), strings.ToLower(shape)})
	}
}

// recordLinesDistinct reports lines of which one is, or begins, another.
func (v *validator) recordLinesDistinct() {
	sort.SliceStable(v.lines, func(i, j int) bool { return v.lines[i].shape < v.lines[j].shape })
	for i, a := range v.lines {
		for _, b := range v.lines[i+1:] {
			if !strings.HasPrefix(b.shape, a.shape) {
				break
			}
			v.in(b.path, "the record begins like that of %s, want one that can be told from it", strings.Join(a.path, "."))
		}
	}
}

// recordFunctions checks that records.star, where there is one, says every
// fact and value.
func (v *validator) recordFunctions() {
	if v.records == nil {
		return
	}
	for _, name := range sortedKeys(v.d.Conditions) {
		if v.d.Conditions[name].Compare == "" && v.sound([]string{"conditions", name}) {
			v.recordFunction(name)
		}
	}
	for _, name := range sortedKeys(v.d.Values) {
		if !v.d.Values[name].Stated && v.sound([]string{"values", name}) {
			v.recordFunction("value_" + name)
		}
	}
}

func (v *validator) recordFunction(name string) {
	report := func(line int, text string) { // line 0: the file as a whole
		v.problems = append(v.problems, Problem{v.records.file, line, text})
	}
	f := v.records.function(name)
	if f == nil {
		report(0, "there is no function "+quote(name)+want(name, v.records.globals.Keys()))
		return
	}
	line := int(f.Position().Line)
	if f.NumParams() == 0 || f.NumKwonlyParams() > 0 || f.HasVarargs() || f.HasKwargs() {
		report(line, name+": want the database as first parameter and names of the domain's parameters after it")
		return
	}
	for i := 1; i < f.NumParams(); i++ {
		if p, _ := f.Param(i); v.d.Parameters[p] == nil {
			report(line, name+": parameter "+quote(p)+" is not declared"+want(p, sortedKeys(v.d.Parameters)))
		}
	}
}
