package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/stages"
)

// generation is what a run of generate made.
type generation struct {
	Folder     string                      `json:"folder"`
	Shard      string                      `json:"shard,omitempty"`  // the part of the run that this is
	Merged     int                         `json:"merged,omitempty"` // shards that this was made of
	Asked      int                         `json:"asked"`
	Made       int                         `json:"made"`
	Stages     map[string]int              `json:"stages"`
	Splits     map[string]int              `json:"splits"`
	SplitBy    string                      `json:"split_by"`
	Views      map[string]int              `json:"views"`
	Operators  map[string]int              `json:"operators"`
	Distinct   map[string]dataset.Distinct `json:"distinct"` // by stage
	Overlap    map[string]dataset.Overlap  `json:"overlap"`
	Drops      map[string]int              `json:"drops"`
	Tokens     fileTokens                  `json:"tokens,omitempty"`
	Short      []shortage                  `json:"short"` // the largest first
	NaiveEdits []dataset.EditStats         `json:"naive_edits"`
	Paraphrase *proposed                   `json:"paraphrase,omitempty"`
	Author     *proposed                   `json:"author,omitempty"`
	Notes      []string                    `json:"notes"`
	Seconds    float64                     `json:"seconds"`
}

// summaryOf sums up a folder that was just made.
func summaryOf(dir string, m dataset.Manifest, asked int, begin time.Time) (*generation, error) {
	made := &generation{
		Folder: dir, Shard: m.Shard, Asked: asked, Stages: m.Counts.Stage, Splits: m.Counts.Split, SplitBy: m.Split.Unit,
		Views: m.Counts.View, Operators: m.Counts.Operator,
		Distinct: m.Distinct, Overlap: m.Overlap, Tokens: m.Tokens, Drops: map[string]int{}, Notes: m.Notes, Seconds: time.Since(begin).Seconds(),
	}
	for _, n := range m.Counts.Stage {
		made.Made += n
	}
	for reason, n := range m.Drops {
		if !slices.Contains(surveyReasons, reason) {
			made.Drops[reason] = n
		}
	}
	var err error
	made.NaiveEdits, made.Short, err = dropsOf(dir)
	return made, err
}

// surveyReasons are drops that only count what became of naive edits.
var surveyReasons = []string{dataset.ReasonEditCorrect, dataset.ReasonEditWasteful, dataset.ReasonEditWrong}

// shortage is what a procedure lacks of the groups of a stage.
type shortage struct {
	Stage     string         `json:"stage"`
	Procedure string         `json:"procedure"` // domain-goal, as in the names of jobs
	Groups    int            `json:"groups"`
	Because   map[string]int `json:"because"` // what was dropped meanwhile, by reason
}

var jobName = regexp.MustCompile(`^s([0-9])-(.*)-[0-9]+$`)

// dropsOf sums up what the drops tell about edits that were drawn without an
// oracle, and about procedures that have too few groups.
func dropsOf(dir string) ([]dataset.EditStats, []shortage, error) {
	reader, err := dataset.Open(dir)
	if err != nil {
		return nil, nil, err
	}
	s := dataset.NewStats(0)
	all := map[string]*shortage{}
	for d, err := range reader.Drops() {
		if err != nil {
			return nil, nil, err
		}
		s.AddDrop(d)
		name := jobName.FindStringSubmatch(d.Job)
		if name == nil || slices.Contains(surveyReasons, d.Reason) {
			continue
		}
		key := name[1] + name[2]
		if all[key] == nil {
			all[key] = &shortage{Stage: name[1], Procedure: name[2], Because: map[string]int{}}
		}
		if d.Reason == stages.DropShortfall {
			all[key].Groups += d.Count
		} else {
			all[key].Because[d.Reason] += d.Count
		}
	}
	short := []shortage{}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if all[key].Groups > 0 {
			short = append(short, *all[key])
		}
	}
	slices.SortStableFunc(short, func(x, y shortage) int { return y.Groups - x.Groups })
	return s.Report().Edits, short, nil
}

// shortText says how many groups are short, and of which procedures most.
func (g *generation) shortText() string {
	const spelt = 3
	var parts []string
	for _, s := range g.Short[:min(spelt, len(g.Short))] {
		part := fmt.Sprintf("%s lacks %d in stage %s", s.Procedure, s.Groups, s.Stage)
		if len(s.Because) > 0 {
			part += " (dropped meanwhile: " + countsText(s.Because) + ")"
		}
		parts = append(parts, part)
	}
	if more := len(g.Short) - spelt; more > 0 {
		parts = append(parts, fmt.Sprintf("%d more in drops.jsonl.zst", more))
	}
	return fmt.Sprintf("%d groups short: the procedures have no more that differ and can be proven; ", g.Asked-g.Made) + strings.Join(parts, "; ")
}

// distinctText says how many of a stage's groups are different tasks.
func (g *generation) distinctText() string {
	var parts []string
	for _, stage := range slices.Sorted(maps.Keys(g.Distinct)) {
		d, about := g.Distinct[stage], ""
		if d.Estimated {
			about = "about "
		}
		parts = append(parts, fmt.Sprintf("stage %s %s%d tasks in %d groups, %d with names undone", stage, about, d.Tasks, g.Stages[stage], d.NamesUndone))
	}
	return strings.Join(parts, "; ") + " (variant, scenario, answer)"
}

func overlapText(o dataset.Overlap) string {
	return fmt.Sprintf("test has of train: query wordings %s, subtrees of rules %s, fact assignments %s", o.Wordings, o.Subtrees, o.Facts)
}

// showGeneration prints a summary; unless brief, also what stats would show
// and where to look next.
func (a *app) showGeneration(g *generation, brief bool) error {
	if a.json {
		return a.emit(g)
	}
	from := ""
	switch {
	case g.Shard != "":
		from = ", shard " + g.Shard + ","
	case g.Merged > 0:
		from = " from " + count(g.Merged, "shard")
	}
	a.printf("%s: %d groups of %d%s in %.1f s (%.0f/s)\n", a.paint.bold(g.Folder), g.Made, g.Asked, from, g.Seconds, float64(g.Made)/max(g.Seconds, 1e-3))
	if g.Made < g.Asked {
		a.printf("%s", a.paint.bad(wrapped("  ", g.shortText())))
	}
	if g.Splits[dataset.Train] == 0 && g.Shard == "" && g.Author == nil {
		why := "every " + g.SplitBy + " fell into another split; try another --seed or --split-by"
		if g.Splits[dataset.Unreviewed] == g.Made {
			why = "nobody has accepted what they lean on; see fmsop corpus review"
		}
		a.printf("%s\n", a.paint.bad("  no group to train on: "+why))
	}
	a.printf("%s", wrapped("  splits     ", countsText(g.Splits)+" (no "+g.SplitBy+" in two of them)"))
	if !brief && g.Made > 0 {
		a.printf("%s", wrapped("  distinct   ", g.distinctText()))
		if g.Shard == "" { // of a part it would say nothing about the whole
			a.printf("%s", wrapped("  overlap    ", overlapText(g.Overlap[dataset.Test])))
		}
	}
	a.printf("%s", wrapped("  views      ", countsText(g.Views)))
	a.printf("%s", wrapped("  negatives  ", countsText(g.Operators)))
	if len(g.Drops) > 0 {
		a.printf("%s", wrapped("  dropped    ", countsText(g.Drops)))
	}
	for _, line := range g.Tokens.lines() {
		a.printf("%s", wrapped("  tokens     ", line))
	}
	if len(g.NaiveEdits) > 0 && !brief {
		a.printf("  edits drawn without proof, and what they turned out to be\n")
		rows := [][]string{{"    operator", "edits", "still right", "only wasteful", "wrong"}}
		for _, e := range g.NaiveEdits {
			rows = append(rows, []string{"    " + e.Operator, fmt.Sprint(e.Edits), percent(e.StillCorrect), percent(e.OnlyWasteful),
				percent(1 - e.StillCorrect - e.OnlyWasteful)})
		}
		a.printf("%s", columns(rows))
	}
	for _, line := range g.Paraphrase.lines() {
		a.printf("%s", wrapped("  paraphrase ", line))
	}
	for _, line := range g.Author.lines() {
		a.printf("%s", wrapped("  author     ", line))
	}
	for _, n := range g.Notes {
		a.printf("%s", wrapped("  note       ", n))
	}
	switch {
	case brief || a.quiet:
	case g.Shard != "":
		a.printf("next: fmsop merge with the folders of the other shards\n")
	default:
		a.printf("next: fmsop verify %[1]s, fmsop stats %[1]s, fmsop show %[1]s\n", g.Folder)
	}
	return nil
}

// lineWidth is that of a terminal that nobody widened.
const lineWidth = 80

// wrapped writes a text behind its label, over as many lines as it takes.
func wrapped(label, text string) string {
	var b strings.Builder
	line := label
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
			line += word
		case len([]rune(line))+1+len([]rune(word)) > lineWidth:
			b.WriteString(line + "\n")
			line = strings.Repeat(" ", len(label)) + word
		default:
			line += " " + word
		}
	}
	return b.String() + line + "\n"
}

// countsText writes counts, the largest first.
func countsText(counts map[string]int) string {
	names := slices.SortedFunc(maps.Keys(counts), func(x, y string) int {
		if counts[x] != counts[y] {
			return counts[y] - counts[x]
		}
		return strings.Compare(x, y)
	})
	var parts []string
	for _, n := range names {
		parts = append(parts, fmt.Sprintf("%s %d", n, counts[n]))
	}
	return strings.Join(parts, ", ")
}

func percent(share float64) string { return fmt.Sprintf("%.1f %%", 100*share) }
