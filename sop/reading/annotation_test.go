package reading

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/sop/document"
)

// shared is the folder with documents that nobody here wrote.
const shared = "../../../shared/sops"

func sharedDocument(t *testing.T, name string) *document.Document {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(shared, name, "sop.txt"))
	if errors.Is(err, fs.ErrNotExist) && os.Getenv("CI") != "true" {
		t.Skipf("%s is not here", shared)
	}
	require.NoError(t, err)
	d, err := document.Read(name+"/sop.txt", text)
	require.NoError(t, err)
	return d
}

// found lists what was read in the words of the annotations.
func found(results *Result) map[string][]string {
	got := map[string][]string{}
	add := func(kind, what string) {
		if !slices.Contains(got[kind], what) {
			got[kind] = append(got[kind], what)
		}
	}
	for _, x := range results.Readings {
		_, line, _ := strings.Cut(x.Source, ":")
		place := fmt.Sprintf("%s.%d", line, x.sentence)
		switch x.Kind {
		case Definition:
			add("definition", line+" "+strings.ReplaceAll(slugAll(x.Name), " ", "_"))
		case Outcome:
			add("outcome", x.Name)
		case Step:
			add("step", place)
		case Decision:
			add("decision", place+" "+leads(x))
		case Limit:
			add("threshold", strings.TrimSpace(place+" "+number(x.Number)+" "+x.Unit))
		}
		if x.Kind == Decision && x.Compare != "" {
			add("threshold", strings.TrimSpace(place+" "+number(x.Number)+" "+x.Unit))
		}
	}
	for _, e := range newFlow(results.Readings).edges {
		to := e[1]
		if to == "" {
			to = "end"
		}
		add("edge", e[0]+" "+to)
	}
	return got
}

func slugAll(s string) string { return strings.Join(words(s), "_") }

// leads is what a decision is for, the strongest of its consequences.
func leads(x *Reading) string {
	kind := "do"
	if len(x.Then)+len(x.Else) == 0 {
		kind = "go" // it goes on
	}
	for _, a := range slices.Concat(x.Then, x.Else) {
		if a.End != "" {
			return "end"
		}
		if a.Go != "" && !slices.ContainsFunc(x.Then, func(b Act) bool { return b.End != "" }) {
			kind = "go"
		}
	}
	return kind
}

type counts struct{ right, read, there int }

func (c counts) precision() float64 { return share(c.right, c.read) }
func (c counts) recall() float64    { return share(c.right, c.there) }

func share(a, b int) float64 {
	if b == 0 {
		return 1
	}
	return float64(a) / float64(b)
}

var verbose = flag.Bool("differences", false, "show what was missed and what was read too much")

// The documents were annotated by hand before there was a reader. What the
// table holds are floors; the test prints the figures.
func TestPrecisionAndRecall(t *testing.T) {
	floors := map[string]map[string][2]float64{
		"customer_service":   {"definition": {1, 1}, "step": {1, 1}, "decision": {0.9, 0.9}, "outcome": {1, 1}, "threshold": {1, 1}, "edge": {1, 0.9}},
		"dangerous_goods":    {"definition": {1, 1}, "step": {1, 1}, "decision": {1, 1}, "outcome": {1, 1}, "threshold": {1, 0.9}, "edge": {1, 1}},
		"know_your_business": {"definition": {1, 1}, "step": {0.9, 0.9}, "decision": {1, 1}, "outcome": {1, 1}, "threshold": {1, 1}, "edge": {1, 1}},
	}
	for name, floor := range floors {
		t.Run(name, func(t *testing.T) {
			r, err := Read(sharedDocument(t, name), nil)
			require.NoError(t, err)
			compare(t, name, found(r), annotation(t, name), []string{"definition", "step", "decision", "outcome", "threshold", "edge"}, floor)
		})
	}
}

// The sentences that a call of each tool does, set by hand before the matching
// was looked at. A document says some calls twice, of which one is matched.
func TestPrecisionAndRecallOfTools(t *testing.T) {
	floors := map[string][2]float64{"customer_service": {0.88, 0.57}, "dangerous_goods": {1, 1}, "know_your_business": {0.85, 0.66}}
	for name, floor := range floors {
		t.Run(name, func(t *testing.T) {
			d := sharedDocument(t, name)
			specs, err := os.ReadFile(filepath.Join(shared, name, "toolspecs.json"))
			require.NoError(t, err)
			tools, err := ReadTools(specs)
			require.NoError(t, err)
			r, err := Read(d, tools)
			require.NoError(t, err)
			got := map[string][]string{}
			for _, x := range r.Readings {
				if x.Tool == "" || x.Kind == Tool {
					continue
				}
				_, line, _ := strings.Cut(x.Source, ":")
				pair := fmt.Sprintf("%s.%d %s", line, x.sentence, x.Tool)
				got["tool"] = append(got["tool"], pair)
				if x.Certain {
					got["certain tool"] = append(got["certain tool"], pair)
				}
			}
			want := annotation(t, name)
			want["certain tool"] = want["tool"]
			compare(t, name, got, want, []string{"tool", "certain tool"}, map[string][2]float64{"tool": floor, "certain tool": {1, 0}})
		})
	}
}

// compare prints precision and recall of each kind, and holds them against floors.
func compare(t *testing.T, name string, got, want map[string][]string, kinds []string, floor map[string][2]float64) {
	for _, kind := range kinds {
		c := counts{read: len(got[kind]), there: len(want[kind])}
		for _, x := range got[kind] {
			if slices.Contains(want[kind], x) {
				c.right++
			} else if *verbose {
				t.Logf("too much: %s %s", kind, x)
			}
		}
		for _, x := range want[kind] {
			if *verbose && !slices.Contains(got[kind], x) {
				t.Logf("missed: %s %s", kind, x)
			}
		}
		t.Logf("%-18s %-12s precision %.2f (%d of %d), recall %.2f (%d of %d)", name, kind, c.precision(), c.right, c.read, c.recall(), c.right, c.there)
		assert.GreaterOrEqual(t, c.precision(), floor[kind][0], "precision of %s", kind)
		assert.GreaterOrEqual(t, c.recall(), floor[kind][1], "recall of %s", kind)
	}
}

// annotation reads testdata/annotations/NAME.txt: "kind place what", a line each.
func annotation(t *testing.T, name string) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "annotations", name+".txt"))
	require.NoError(t, err)
	want := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if kind, what, ok := strings.Cut(line, " "); ok && !strings.HasPrefix(line, "#") {
			want[kind] = append(want[kind], what)
		}
	}
	require.NotEmpty(t, want)
	return want
}
