package text

import (
	"strconv"
	"strings"

	"github.com/fmsop/fmsop/sop"
)

// requirementOpeners head the parts of a requirement.
var requirementOpeners = map[sop.Op]string{
	sop.All:     "all of these must hold:",
	sop.Any:     "at least one of these must hold:",
	sop.Seq:     "all of these must hold, checked in this order:",
	sop.FirstOf: "at least one of these must hold, tried in this order:",
}

// RenderRequirement writes what the goal of v requires for one who is to act by
// it: a line, or a line with nested lists below it; "" where nothing is
// required. It has no identifiers and one wording, so nothing reads it back.
func RenderRequirement(v *sop.Variant) string {
	t := treeTidy(v.Requires[v.Goal])
	if t == nil {
		return ""
	}
	return requirement(v, t, "")
}

func requirement(v *sop.Variant, t *sop.Tree, indent string) string {
	if treeLiteral(t) {
		return requirementLeaf(v, t)
	}
	if t.Op == sop.Not {
		return treeNot + requirement(v, t.Parts[0], indent)
	}
	var b strings.Builder
	b.WriteString(requirementOpeners[t.Op])
	for i, p := range t.Parts {
		bullet := "- "
		if t.Op.Ordered() {
			bullet = strconv.Itoa(i+1) + ". "
		}
		b.WriteString("\n" + indent + bullet + requirement(v, p, indent+strings.Repeat(" ", len(bullet))))
	}
	return b.String()
}

func requirementLeaf(v *sop.Variant, t *sop.Tree) string {
	name := t.Name
	if t.Op == sop.Not {
		name = t.Parts[0].Name
	}
	use := v.Conditions[name]
	words, measured := use.Text, "measured as: "
	if t.Op == sop.Not {
		words, measured = use.Negated, "measured as the opposite of: "
	}
	if use.Compare != nil {
		words += " (" + measured + sopMeasure(v, name) + ")"
	}
	return words
}
