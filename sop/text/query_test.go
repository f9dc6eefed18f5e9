package text

import (
	"math/rand/v2"
	"regexp"
	"testing"
)

func TestQueryWordings(t *testing.T) {
	seen := map[string]string{}
	only := regexp.MustCompile(`(?i)\bthe (only|unique|one) |\bthe correct (workflow|next|action)`)
	for _, view := range Views {
		for split, want := range map[string]int{"train": 8, "test": 4} {
			if n := len(queryWords[view][split]); n < want {
				t.Errorf("%s/%s has %d questions, want at least %d", view, split, n, want)
			}
			for _, q := range queryWords[view][split] {
				if at, twice := seen[q]; twice {
					t.Errorf("%q is both in %s and in %s/%s", q, at, view, split)
				}
				seen[q] = view + "/" + split
				if only.MatchString(q) {
					t.Errorf("%q claims that there is one right answer", q)
				}
			}
			for _, format := range Formats(view) {
				if len(queryFormats[queryKind(view)+"/"+format][split]) == 0 {
					t.Errorf("%s/%s/%s does not state its format", view, split, format)
				}
			}
		}
	}
}

func TestQuery(t *testing.T) {
	for _, view := range Views {
		for _, format := range Formats(view) {
			for _, split := range []string{"train", "validation", "test"} {
				text, id := Query(view, format, split, rand.New(rand.NewPCG(7, 8)))
				again, err := QueryText(id)
				if text == "" || err != nil || again != text {
					t.Errorf("Query(%s, %s, %s) = %q, %q; QueryText gives %q, %v", view, format, split, text, id, again, err)
				}
			}
		}
	}
	if text, id := Query("poem", "steps", "train", rand.New(rand.NewPCG(7, 8))); text != "" || id != "" {
		t.Errorf("Query(poem) = %q, %q", text, id)
	}
	if got, want := mustQuery(t, "next_action/test/0/json/0"), "You take over from a colleague at this point. What do you do now? "; got[:len(want)] != want {
		t.Errorf("an old id has changed its wording: %q", got)
	}
	for _, bad := range []QueryID{"", "next_action/train/99/json/0", "next_action/train/0/json", "next_action/train/-1/json/0"} {
		if _, err := QueryText(bad); err == nil {
			t.Errorf("QueryText(%q): no error", bad)
		}
	}
}

func mustQuery(t *testing.T, id QueryID) string {
	t.Helper()
	text, err := QueryText(id)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
