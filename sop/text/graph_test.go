package text

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/soptest"
	"pgregory.net/rapid"
)

func sameTrees(a, b map[string]*sop.Tree) bool {
	if len(a) != len(b) {
		return false
	}
	for k, t := range a {
		if u, ok := b[k]; !ok || !t.Equal(u) {
			return false
		}
	}
	return true
}

func TestGraphReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := &soptest.Variant(t).Graph
		format := rapid.SampledFrom(GraphFormats).Draw(t, "format")
		text := RenderGraph(format, g, drawRng(t))
		requires, sources, edges, err := ReadGraph(format, text)
		if err != nil {
			t.Fatalf("%s: %v\n%s", format, err, text)
		}
		if !sameTrees(requires, g.Requires) || !sameTrees(sources, g.EstablishedBy) || !slices.Equal(edges, g.Edges()) {
			t.Fatalf("%s: read %v %v %v\n%s", format, requires, sources, edges, text)
		}
	})
}

func TestGraphWithRareTrees(t *testing.T) {
	g := &sop.Graph{Goal: "go",
		Requires: map[string]*sop.Tree{
			"go": sop.T(sop.Not, sop.T(sop.All, sop.L("all"), sop.T(sop.Any), sop.T(sop.Seq, sop.T(sop.Not, sop.L("not")), sop.L("x(a=b)")))),
			"do": nil,
		},
		EstablishedBy: map[string]*sop.Tree{"all": sop.T(sop.All), "not": sop.L("do"), "x(a=b)": sop.L(sop.Conversation)},
	}
	for _, format := range GraphFormats {
		text := RenderGraph(format, g, rand.New(rand.NewPCG(1, 1)))
		requires, sources, edges, err := ReadGraph(format, text)
		if err != nil || !sameTrees(requires, g.Requires) || !sameTrees(sources, g.EstablishedBy) || !slices.Equal(edges, g.Edges()) {
			t.Errorf("%s: %v %v %v %v\n%s", format, requires, sources, edges, err, text)
		}
	}
}

const smallList = `Calls and what each requires:
- ` + "`go`: all of (`a`, not `b`)" + `
- ` + "`look`: no rule" + `
How conditions become known:
- ` + "`a`: `look`" + `
- ` + "`b`: the conversation" + `
Edges:
- ` + "`look` -> `go`" + `
`

const smallOutline = `Here it is:
**Calls and what each requires:**
* go
    * requires:
        * all:
            * a
            * not:
                * b
    * comes after:
        * look
* look
    * requires: nothing
**How conditions become known:**
* a
    * known by: look
* b
    * known by: conversation
`

func TestReadGraph(t *testing.T) {
	const want = `go={"all":["a",{"not":"b"}]} look=null | a="look" b="conversation" | [[look go]]`
	plain := strings.ReplaceAll(smallList, "`", "")
	for _, c := range []struct{ name, format, text string }{
		{"list", "edges", smallList},
		{"list in a fence, with chatter", "edges", "Sure:\n```\n" + smallList + "```"},
		{"list without ticks", "edges", plain},
		{"list with other arrows", "edges", strings.ReplaceAll(strings.ReplaceAll(smallList, "->", "→"), "- ", "* ")},
		{"outline", "indented", smallOutline},
		{"outline with tabs", "indented", strings.ReplaceAll(smallOutline, "    ", "\t")},
		{"json", "json", "```json\n{\"requires\":{\"go\":{\"all\":[\"a\",{\"not\":\"b\"}]},\"look\":null},\"established_by\":{\"a\":\"look\",\"b\":\"conversation\"},\"edges\":[[\"look\",\"go\"],[\"look\",\"go\"]]}\n```"},
	} {
		requires, sources, edges, err := ReadGraph(c.format, c.text)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var b strings.Builder
		for _, m := range []map[string]*sop.Tree{requires, sources} {
			for _, k := range scnKeys(m) {
				b.WriteString(k + "=" + m[k].String() + " ")
			}
			b.WriteString("| ")
		}
		if len(edges) != 1 || b.String()+"[["+edges[0][0]+" "+edges[0][1]+"]]" != want {
			t.Errorf("%s: %s %v, want %s", c.name, b.String(), edges, want)
		}
	}
	for _, c := range []struct{ name, format, text, err string }{
		{"empty", "edges", "", "has no call"},
		{"call twice", "edges", smallList + "Calls and what each requires:\n- `go`: no rule", `the call "go" twice`},
		{"no source", "edges", strings.Replace(smallList, "the conversation", "no rule at all (", 1), "b: the rule"},
		{"open parenthesis", "edges", strings.Replace(smallList, "`b`)", "`b`", 1), "want"},
		{"and", "edges", strings.Replace(smallList, "all of (`a`, not `b`)", "`a` and not `b`", 1), "goes on after its end"},
		{"edge of three", "edges", smallList + "- `a` -> `b` -> `c`", "is no pair"},
		{"outline leaf with parts", "indented", strings.Replace(smallOutline, "* all:", "* both:", 1), "others under it"},
		{"outline without rule", "indented", "Calls and what each requires:\n- `go`", `has no bullet "requires"`},
		{"outline stranger", "indented", strings.Replace(smallOutline, "comes after", "follows", 1), `has the bullet "follows:"`},
		{"json operator", "json", `{"requires":{"go":{"xor":["a"]}},"established_by":{},"edges":[]}`, "unknown operator"},
		{"json without edges", "json", `{"requires":{"go":null},"established_by":{}}`, "no array edges"},
		{"json null source", "json", `{"requires":{"go":null},"established_by":{"a":null},"edges":[]}`, "has no source"},
		{"json key", "json", `{"requires":{"go":null},"established_by":{},"edges":[],"nodes":[]}`, `the key "nodes"`},
		{"two graphs", "json", `{"requires":{}} {"requires":{}}`, "has 2 objects"},
		{"format", "dot", "", "want one of edges, indented, json"},
	} {
		_, _, _, err := ReadGraph(c.format, c.text)
		if err == nil || !strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want one line with %q", c.name, err, c.err)
		}
	}
}

func FuzzReadGraph(f *testing.F) {
	f.Add(smallList)
	f.Add(smallOutline)
	f.Add(`{"requires":{"go":{"all":["a"]}},"established_by":{"a":"go"},"edges":[["a","go"]]}`)
	f.Fuzz(func(t *testing.T, text string) {
		for _, format := range GraphFormats {
			requires, sources, _, err := ReadGraph(format, text)
			if err != nil {
				continue
			}
			g := &sop.Graph{Requires: requires, EstablishedBy: sources}
			again, sourcesAgain, _, err := ReadGraph(format, RenderGraph(format, g, rand.New(rand.NewPCG(1, 1))))
			if err != nil || !sameTrees(again, requires) || !sameTrees(sourcesAgain, sources) {
				t.Fatalf("%s: %v %v, then %v %v, %v", format, requires, sources, again, sourcesAgain, err)
			}
		}
	})
}
