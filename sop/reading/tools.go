package reading

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
)

// ToolSpec is a call that the agent can make.
type ToolSpec struct {
	Name, Description string
	// Parameters are those for which the list shows examples of what they may
	// be: only these can be made up in a case.
	Parameters map[string][]string
	takes      []string // the names of all
}

// schema is the part of a JSON Schema that matters here.
type schema struct {
	Type        any               `json:"type"`
	Description string            `json:"description"`
	Enum        []any             `json:"enum"`
	Examples    []any             `json:"examples"`
	Properties  map[string]schema `json:"properties"`
}

// ReadTools reads a tool list: as Amazon Bedrock has it (toolSpec), as OpenAI
// does (function), or plain (name, description, parameters), in a list or
// under "tools".
func ReadTools(data []byte) ([]ToolSpec, error) {
	var wrapped struct{ Tools []json.RawMessage }
	var list []json.RawMessage
	if err := json.Unmarshal(data, &list); err != nil {
		if json.Unmarshal(data, &wrapped) != nil || wrapped.Tools == nil {
			return nil, fmt.Errorf("no list of tools, want a JSON list of toolSpec or function objects")
		}
		list = wrapped.Tools
	}
	type spec struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Parameters  schema `json:"parameters"`
		InputSchema struct {
			JSON schema `json:"json"`
			schema
		} `json:"inputSchema"`
	}
	var tools []ToolSpec
	seen := map[string]bool{}
	for i, raw := range list {
		var t struct {
			spec
			ToolSpec *spec `json:"toolSpec"`
			Function *spec `json:"function"`
		}
		if err := json.Unmarshal(raw, &t); err != nil {
			return nil, fmt.Errorf("tool %d is no tool: want an object with name, description and parameters", i)
		}
		s := t.spec
		for _, inner := range []*spec{t.ToolSpec, t.Function} {
			if inner != nil {
				s = *inner
			}
		}
		if s.Name == "" {
			return nil, fmt.Errorf("tool %d has no name", i)
		}
		if seen[s.Name] {
			return nil, fmt.Errorf("the tool %q stands twice", s.Name)
		}
		seen[s.Name] = true
		tool := ToolSpec{Name: s.Name, Description: s.Description, Parameters: map[string][]string{}}
		for _, properties := range []map[string]schema{s.Parameters.Properties, s.InputSchema.JSON.Properties, s.InputSchema.Properties} {
			for _, name := range slices.Sorted(maps.Keys(properties)) {
				p := properties[name]
				tool.takes = append(tool.takes, name)
				if list := p.samples(); len(list) > 1 {
					tool.Parameters[name] = list
				}
			}
		}
		tools = append(tools, tool)
	}
	if len(tools) == 0 {
		return nil, fmt.Errorf("the list of tools is empty")
	}
	return tools, nil
}

var exampleList = regexp.MustCompile(`\(e\.g\.,?\s*([^)]*)\)`)

// samples are the examples of a text parameter that is not one of few: what is
// one of few (an enum) is mostly what another call found out.
func (s schema) samples() (list []string) {
	if s.Type != "string" || len(s.Enum) > 0 {
		return nil
	}
	for _, x := range s.Examples {
		if text, ok := x.(string); ok && text != "" {
			list = append(list, text)
		}
	}
	if m := exampleList.FindStringSubmatch(s.Description); m != nil && len(list) == 0 {
		for _, x := range strings.Split(m[1], ",") {
			if x = strings.Trim(strings.TrimSpace(x), `"'`); x != "" && !strings.Contains(x, " ") && x != "etc." {
				list = append(list, x)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

const (
	minMatch   = 0.34 // of a tool's words that a sentence and its section have to share
	sureMatch  = 0.6  // from which a match is certain, if no other comes near
	sureMargin = 0.12
)

// matchTools finds the step that each tool does: at most one tool a step, the
// best pairs first. The score of a pair is the share of the tool's words that
// the sentence has, words of the name counting three times, words of the
// section's title by half, and rare words more; the more of it the less the
// sentence speaks of other tools. It returns tool by step, and which of these
// are certain: no other step and no other tool comes near.
func matchTools(tools []ToolSpec, steps []*Reading, titles []string, named map[int]string) (by map[int]int, sure map[int]bool) {
	by, sure = map[int]int{}, map[int]bool{}
	used := map[int]bool{}
	for at, name := range named {
		for t := range tools {
			if tools[t].Name == name {
				by[at], sure[at], used[t] = t, true, true
			}
		}
	}
	rare, alone := rarity(tools), distinctive(tools)
	type pair struct {
		tool, at int
		score    float64
	}
	var pairs []pair
	best := map[int][2]float64{} // tool -> its two best scores
	rivals := map[int][]float64{}
	for t := range tools {
		for at := range steps {
			score := similarity(tools[t], steps[at].does(), titles[at], rare) * alone.share(t, steps[at])
			rivals[at] = append(rivals[at], score)
			if score < minMatch || used[t] {
				continue
			}
			pairs = append(pairs, pair{t, at, score})
			b := best[t]
			if score > b[0] {
				b = [2]float64{score, b[0]}
			} else if score > b[1] {
				b[1] = score
			}
			best[t] = b
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int {
		switch {
		case a.score != b.score:
			if a.score > b.score {
				return -1
			}
			return 1
		case a.at != b.at:
			return a.at - b.at
		}
		return a.tool - b.tool
	})
	for _, p := range pairs {
		if _, taken := by[p.at]; taken || used[p.tool] {
			continue
		}
		by[p.at], used[p.tool] = p.tool, true
		slices.Sort(rivals[p.at])
		other := 0.0
		if n := len(rivals[p.at]); n > 1 {
			other = rivals[p.at][n-2]
		}
		sure[p.at] = p.score >= sureMatch && p.score-other >= sureMargin && best[p.tool][0]-best[p.tool][1] >= sureMargin
	}
	return by, sure
}

// does is what a step does, or a decision leads to.
func (r *Reading) does() string {
	if r.Kind == Step {
		return r.Text
	}
	return acts(r.Then)
}

func rarity(tools []ToolSpec) map[string]float64 {
	in := map[string]int{}
	for _, t := range tools {
		for w := range stems(t.Name + " " + t.Description) {
			in[w]++
		}
	}
	rare := map[string]float64{}
	for w, n := range in {
		rare[w] = math.Log(1 + float64(len(tools))/float64(n))
	}
	return rare
}

// marks are what one tool alone is told by: words of its name, and the names of
// parameters.
type marks []map[string]bool

func distinctive(tools []ToolSpec) marks {
	in := map[string]int{}
	all := make(marks, len(tools))
	for t := range tools {
		all[t] = stems(tools[t].Name)
		for _, name := range tools[t].takes {
			if strings.Contains(name, "_") { // others are words like any
				all[t][name] = true
			}
		}
		for w := range all[t] {
			in[w]++
		}
	}
	for t := range all {
		maps.DeleteFunc(all[t], func(w string, _ bool) bool { return in[w] > 1 })
	}
	return all
}

// share is near 1 where of all the marks in a sentence few are of other tools.
func (m marks) share(t int, step *Reading) float64 {
	said := stems(step.does())
	for _, w := range strings.Fields(step.Quote) {
		if w = strings.Trim(w, ".,;:()`*\"'"); strings.Contains(w, "_") {
			said[w] = true
		}
	}
	own, others := 0, 0
	for other := range m {
		for w := range m[other] {
			switch {
			case said[w] && other == t:
				own++
			case said[w]:
				others++
			}
		}
	}
	if own+others == 0 {
		return 1
	}
	return 0.5 + 0.5*float64(own)/float64(own+others)
}

// saysLittle are words of names that any tool may have.
var saysLittle = stems("get set do run make perform execute fetch retrieve process handle data details info information record")

// similarity is the share of the words of the tool's name, or of its name and
// description, that the sentence and the titles above it have.
func similarity(t ToolSpec, sentence, title string, rare map[string]float64) float64 {
	name, about := stems(t.Name), stems(firstSentence(t.Description))
	said, titled := stems(sentence), stems(title)
	share := func(wordsOf map[string]bool, nameWeight float64) float64 {
		total, shared := 0.0, 0.0
		for _, w := range slices.Sorted(maps.Keys(wordsOf)) {
			weight := rare[w]
			switch {
			case saysLittle[w]:
				weight /= 3
			case name[w]:
				weight *= nameWeight
			}
			total += weight
			switch {
			case said[w]:
				shared += weight
			case titled[w]:
				shared += weight / 2
			}
		}
		if total == 0 {
			return 0
		}
		return shared / total
	}
	// A long sentence shares words with every tool.
	hit := 0
	for w := range said {
		if name[w] || about[w] {
			hit++
		}
	}
	length := 0.7 + 0.3*float64(hit)/float64(max(1, len(said)))
	return length * max(share(union(name, about), 3), 0.9*share(name, 1))
}

func union(a, b map[string]bool) map[string]bool {
	u := maps.Clone(a)
	maps.Copy(u, b)
	return u
}

func firstSentence(s string) string {
	first, _, _ := strings.Cut(s, ". ")
	return first
}
