package text

import (
	"strconv"

	"github.com/fmsop/fmsop/sop"
)

// treeUse says where a tree stands: the same operator is worded differently
// over rules, over facts and over calls.
type treeUse int

const (
	ruleTree treeUse = iota // requirements and outcomes: order binds
	factTree                // depends_on and effects: order is only how it is told
	callTree                // established_by: leaves are calls, order as above
)

// treeOpeners introduce a list of parts, as "OPENER:" with items below it or
// "OPENER: (a) …; (b) …". No opener may be read as another one of its use.
var treeOpeners = map[treeUse]map[sop.Op][]string{
	ruleTree: {
		sop.All:     {"all of the following hold", "each of these points is met", "every one of these conditions is satisfied"},
		sop.Any:     {"at least one of the following holds", "any one of these points is met", "one or more of these conditions are satisfied"},
		sop.Seq:     {"all of the following hold, settled in the order given", "each of these points is met, taken strictly in this order"},
		sop.FirstOf: {"at least one of the following holds, tried in the order given", "any one of these points is met, taken strictly in this order"},
	},
	factTree: {
		sop.All:     {"all of the following are true", "each of these is the case"},
		sop.Any:     {"at least one of the following is true", "any one of these is the case"},
		sop.Seq:     {"all of the following are true, each building on the one before"},
		sop.FirstOf: {"at least one of the following is true, the most usual named first"},
	},
	callTree: {
		sop.All:     {"all of these calls together", "every one of these calls"},
		sop.Any:     {"any one of these calls", "whichever one of these calls suits best"},
		sop.Seq:     {"all of these calls together, named in their usual order"},
		sop.FirstOf: {"any one of these calls, named by preference"},
	},
}

// treeJoint words a short list of leaves within a sentence: BEFORE a JOIN b
// JOIN c.
type treeJoint struct {
	op           sop.Op
	before, join string
}

var treeJoints = map[treeUse][]treeJoint{
	ruleTree: {
		{sop.All, "both ", " and "}, // for two; longer lists take the next one
		{sop.All, "", " and also "},
		{sop.All, "", ", and "},
		{sop.Any, "either ", " or "},
		{sop.Any, "", ", or else "},
		{sop.Seq, "it is established first that ", " and only then that "},
		{sop.Seq, "it is settled in this order that ", " and next that "},
		{sop.Seq, "", " and, once that is settled, also "},
		{sop.FirstOf, "", " or, if that fails, "},
		{sop.FirstOf, "it is found, trying in this order, that ", " or failing that, that "},
	},
	factTree: {
		{sop.All, "both ", " and "},
		{sop.All, "", ", and "},
		{sop.Any, "either ", " or "},
	},
	callTree: {
		{sop.All, "", " together with "},
		{sop.All, "both ", " and "},
		{sop.Any, "either ", " or "},
		{sop.Any, "", " or "},
	},
}

const (
	treeNot  = "it is not the case that "
	treeNone = "(none)" // stands for the items of a list without any
)

// treeLabel numbers the items of a list within a sentence; each depth has a
// style of its own, so that a label tells which list it belongs to.
func treeLabel(depth, i int) string {
	switch depth {
	case 0:
		return "(" + treeLetters(i) + ")"
	case 1:
		return "(" + strconv.Itoa(i+1) + ")"
	}
	return "(" + treeLetters(i) + strconv.Itoa(depth) + ")"
}

func treeLetters(i int) string {
	if i < 26 {
		return string(rune('a' + i))
	}
	return treeLetters(i/26-1) + treeLetters(i%26)
}
