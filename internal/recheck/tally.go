package recheck

import (
	"fmt"
	"hash/maphash"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// seenRow is what is kept of a row: hashes.
type seenRow struct {
	id, line, prompt, triple, unit uint64
	number                         uint32 // line
	file, stage, split             uint8
}

var splits = []string{"train", "validation", "test", "unreviewed", "unproven"}

// tally counts what the manifest says of the folder, and collects what rows have to differ in.
type tally struct {
	*manifest
	report  Report
	counts  map[string]map[string]int
	lengths map[string]map[int]int
	rows    []seenRow
	names   []string
	wording map[string]map[string]bool // sentences of queries, by whether a test row has them
	exposed map[exposure]bool
	wholes  []Problem
}

func newTally(m *manifest) *tally {
	t := &tally{
		manifest: m, report: Report{Kinds: map[string]int{}, Views: map[string]int{}},
		counts: map[string]map[string]int{}, lengths: map[string]map[int]int{},
		wording: map[string]map[string]bool{"train": {}, "test": {}}, exposed: map[exposure]bool{},
	}
	for _, name := range []string{"split", "stage", "view", "domain", "procedure", "operator", "violation"} {
		t.counts[name] = map[string]int{}
	}
	for _, e := range m.Exposure {
		t.exposed[e] = true
		t.exposed[exposure{Domain: e.Domain, Goal: e.Goal}] = true
	}
	for _, name := range []string{"context", "query", "positive", "negative"} {
		t.lengths[name] = map[int]int{}
	}
	return t
}

var seed = maphash.MakeSeed()

func hashOf(parts ...string) uint64 { return maphash.String(seed, strings.Join(parts, "\x00")) }

func (t *tally) problem(p Problem) {
	t.report.Count++
	t.report.Kinds[p.Kind]++
	if len(t.report.Problems) < maxProblems {
		t.report.Problems = append(t.report.Problems, p)
	}
}

func (t *tally) block(b result) {
	if len(t.names) == 0 || t.names[len(t.names)-1] != b.file {
		t.names = append(t.names, b.file)
	}
	for i := range b.rows {
		r := &b.rows[i]
		number := b.first + i
		if r.rowCheck != nil {
			t.row(r, number)
		} else {
			t.report.Rows++
		}
		for _, f := range r.findings {
			t.problem(Problem{b.file, number, r.ID, f.kind, f.detail})
		}
	}
}

func (t *tally) row(r *checkedRow, number int) {
	t.report.Rows++
	t.report.Negatives += len(r.Negatives)
	t.report.Views[r.View]++
	t.report.Compared += r.compared
	procedure := r.Domain + "/" + r.Procedure
	for name, value := range map[string]string{
		"split": r.Split, "stage": fmt.Sprint(r.Stage), "view": r.View, "domain": r.Domain, "procedure": procedure,
	} {
		t.counts[name][value]++
	}
	length := func(name, text string) { t.lengths[name][utf8.RuneCountInString(text)]++ }
	length("context", r.Context)
	length("query", r.Query)
	length("positive", r.Positive.Text)
	for i := range r.Negatives {
		t.counts["operator"][r.Negatives[i].Operator]++
		t.counts["violation"][r.Negatives[i].Violation]++
		length("negative", r.Negatives[i].Text)
	}
	split := slices.Index(splits, r.Split)
	add := func(kind, format string, args ...any) {
		r.findings = append(r.findings, finding{kind, fmt.Sprintf(format, args...)})
	}
	if ratio := t.Config.Ratio; len(ratio) == 3 && len(r.Negatives) != ratio[r.Stage-1] {
		add("row", "%d negatives, the manifest's config wants %d", len(r.Negatives), ratio[r.Stage-1])
	}
	file := t.names[len(t.names)-1]
	if want := r.Split + ".jsonl.zst"; split < 0 || r.Split == "train" != strings.HasPrefix(file, "train_") || r.Split != "train" && want != file {
		add("split", "a row of the split %q stands in %s", r.Split, file)
		return
	}
	if prefix := fmt.Sprintf("s%d-%s-%s-", r.Stage, r.Domain, r.Procedure); !strings.HasPrefix(r.ID, prefix) {
		add("row", "the id is %q, want %s…", r.ID, prefix)
	}
	s := seenRow{
		id: hashOf(r.ID), line: r.hash, prompt: hashOf(r.Context, r.Query), triple: hashOf(r.Context, r.Query, r.Positive.Text),
		number: uint32(number), file: uint8(len(t.names) - 1), stage: uint8(r.Stage), split: uint8(split),
	}
	if unit := t.unit(r, procedure); unit != "" && split < 3 {
		s.unit = hashOf(unit)
		if assigned, has := t.Split.Assignments[unit]; has && assigned != r.Split {
			add("leakage", "%s is assigned to %s, the row is in %s", unit, assigned, r.Split)
		}
	}
	t.rows = append(t.rows, s)
	t.words(r, add)
	if r.Split == "train" && !t.exposed[exposure{r.Domain, r.Procedure, r.meta.Source}] {
		add("exposure", "%s (source %q) is trained on, but not in the manifest's exposure", procedure, r.meta.Source)
	}
}

// unit is what no two splits may share: of scenarios the facts, under the domain's own names.
func (t *tally) unit(r *checkedRow, procedure string) string {
	switch {
	case t.Split.Unit == "domain":
		return r.Domain
	case t.Split.Unit == "procedure":
		return procedure
	case t.Split.Unit == "scenario" && r.ref != nil:
		var facts []string
		for name, holds := range r.ref.Facts {
			facts = append(facts, fmt.Sprintf("%s=%v", r.names.domainName(name), holds))
		}
		slices.Sort(facts)
		return procedure + "/" + strings.Join(facts, ";")
	}
	return ""
}

var (
	quotedWords = regexp.MustCompile(`“[^”]*”|‘[^’]*’`)
	sentenceEnd = regexp.MustCompile(`[.?!:](?:\s+|$)`)
)

// words collects the sentences of a query without what it quotes, and holds the wording that the meta names against the split.
func (t *tally) words(r *checkedRow, add func(kind, format string, args ...any)) {
	side := "train"
	if r.Split == "test" {
		side = "test"
	}
	if want := r.View + "/" + side + "/"; !strings.HasPrefix(r.meta.Query, want) {
		add("wording", "the query is %q in the split %s", r.meta.Query, r.Split)
	}
	for _, sentence := range sentenceEnd.Split(quotedWords.ReplaceAllString(r.Query, "“”"), -1) {
		if strings.Trim(sentence, " \n“”") != "" {
			t.wording[side][sentence] = true
		}
	}
}

// finish reads the smaller files and holds the whole against the manifest.
func (t *tally) finish(dir string, smaller []string) error {
	whole := func(name, kind, format string, args ...any) {
		t.wholes = append(t.wholes, Problem{File: name, Kind: kind, Detail: fmt.Sprintf(format, args...)})
	}
	t.apart(whole)
	if err := t.cumulative(dir, smaller, whole); err != nil {
		return err
	}
	drops := map[string]int{}
	if err := t.readFile(dir, "drops.jsonl.zst", func(first int, lines [][]byte) {
		for i, line := range lines {
			var d struct {
				Job, Reason, Detail string
				Count               int
			}
			if err := strict(line, &d); err != nil || d.Reason == "" || d.Count < 1 {
				whole("drops.jsonl.zst", "drops", "line %d: %q: %v", first+i, line, err)
			}
			drops[d.Reason] += d.Count
		}
	}); err != nil {
		return err
	}
	const name = "manifest.json"
	t.counts["drops"], t.Counts["drops"] = drops, t.Drops
	for _, group := range eitherKeys(t.counts, t.Counts) {
		for _, key := range eitherKeys(t.counts[group], t.Counts[group]) {
			if got, want := t.counts[group][key], t.Counts[group][key]; got != want {
				whole(name, "counts", "%s %q: %d, in the manifest %d", group, key, got, want)
			}
		}
	}
	for _, of := range sortedKeys(t.lengths) {
		if got, want := summary(t.lengths[of]), t.Lengths[of]; got.Min != want.Min || got.Max != want.Max || !near(got.Median, want.Median) {
			whole(name, "lengths", "%s: %+v, in the manifest %+v", of, got, want)
		}
	}
	if asked := t.Config.Groups * len(t.Stages); t.Shard == "" && t.report.Rows+drops["shortfall"] != asked {
		whole(name, "counts", "%d rows and %d fewer than asked for; asked for were %d", t.report.Rows, drops["shortfall"], asked)
	}
	for _, sentence := range sortedKeys(t.wording["test"]) {
		if t.wording["train"][sentence] {
			whole("test.jsonl.zst", "wording", "%q is asked in training too", sentence)
		}
	}
	return t.listing(dir, whole)
}

// listing holds the names of the folder against the manifest's.
func (t *tally) listing(dir string, whole func(name, kind, format string, args ...any)) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if _, listed := t.Files[e.Name()]; !listed && e.Name() != "manifest.json" && e.Name() != "README.md" {
			whole(e.Name(), "file", "the manifest does not list it")
		}
	}
	card, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		return err
	}
	for _, stage := range t.Stages {
		if !strings.Contains(string(card), trainFile(stage)) {
			whole("README.md", "file", "it does not declare %s", trainFile(stage))
		}
	}
	for _, p := range t.wholes {
		t.problem(p)
	}
	return nil
}

// apart looks for rows that are one row, and for units and queries that two splits share.
func (t *tally) apart(whole func(name, kind, format string, args ...any)) {
	for _, part := range []struct {
		kind, what string
		key        func(*seenRow) uint64
		same       func(a, b *seenRow) bool
	}{
		{"duplicate", "id", func(r *seenRow) uint64 { return r.id }, func(a, b *seenRow) bool { return true }},
		{"duplicate", "context, query and positive", func(r *seenRow) uint64 { return r.triple }, func(a, b *seenRow) bool { return true }},
		{"leakage", "context and query", func(r *seenRow) uint64 { return r.prompt }, func(a, b *seenRow) bool { return a.split != b.split }},
		{"leakage", t.Split.Unit, func(r *seenRow) uint64 { return r.unit }, func(a, b *seenRow) bool { return a.unit != 0 && a.split != b.split }},
	} {
		rows := sortedBy(t.rows, part.key)
		for i := 1; i < len(rows); i++ {
			if a, b := &rows[i-1], &rows[i]; part.key(a) == part.key(b) && part.same(a, b) {
				whole(t.names[b.file], part.kind, "line %d has the %s of %s:%d", b.number, part.what, t.names[a.file], a.number)
			}
		}
	}
}

// cumulative demands that a smaller train file has the rows of its stages, and no others, as they stand in the largest.
func (t *tally) cumulative(dir string, smaller []string, whole func(name, kind, format string, args ...any)) error {
	rows := sortedBy(t.rows, func(r *seenRow) uint64 { return r.line })
	for i, name := range smaller {
		stage, want := uint8(t.Stages[i]), 0
		for _, r := range rows {
			if r.split == 0 && r.stage <= stage {
				want++
			}
		}
		seen := map[uint64]bool{}
		err := t.readFile(dir, name, func(first int, lines [][]byte) {
			for i, line := range lines {
				h := maphash.Bytes(seed, line)
				at, found := slices.BinarySearchFunc(rows, h, func(r seenRow, h uint64) int {
					switch {
					case r.line < h:
						return -1
					case r.line > h:
						return 1
					}
					return 0
				})
				switch {
				case !found || rows[at].split != 0 || rows[at].stage > stage:
					whole(name, "cumulative", "line %d is not in %s, or of another stage", first+i, t.names[0])
				case seen[h]:
					whole(name, "cumulative", "line %d stands there twice", first+i)
				}
				seen[h] = true
			}
		})
		if err != nil {
			return err
		}
		if len(seen) != want {
			whole(name, "cumulative", "%d rows, want %d", len(seen), want)
		}
	}
	return nil
}

// summary of a histogram; the median is the lower of two.
func summary(histogram map[int]int) length {
	var l length
	total := 0
	keys := make([]int, 0, len(histogram))
	for n, count := range histogram {
		keys, total = append(keys, n), total+count
	}
	slices.Sort(keys)
	if total == 0 {
		return l
	}
	l.Min, l.Max = keys[0], keys[len(keys)-1]
	below := 0
	for _, n := range keys {
		if below += histogram[n]; 2*below >= total {
			l.Median = n
			break
		}
	}
	return l
}

// near allows for a median that is kept within one percent, and for the upper of two.
func near(a, b int) bool { return max(a-b, b-a) <= 2+max(a, b)/50 }
