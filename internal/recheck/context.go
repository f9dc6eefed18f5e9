package recheck

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

func cutCall(name string) (base, args string, found bool) { return strings.Cut(name, "(") }

func isWordByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// occurs says whether a name stands in the text by itself: not inside a longer name, and not with arguments that are not its own.
func occurs(text, name string) bool {
	for from := 0; ; {
		at := strings.Index(text[from:], name)
		if at < 0 {
			return false
		}
		at += from
		end := at + len(name)
		before := at == 0 || !isWordByte(text[at-1])
		after := end == len(text) || text[end-1] == ')' || !isWordByte(text[end]) && text[end] != '('
		if before && after {
			return true
		}
		from = at + 1
	}
}

// numbers collects the numbers of a text, thousands separators read away: $1,234.00 is 1234.
func numbers(text string) map[float64]bool {
	found := map[float64]bool{}
	for i := 0; i < len(text); {
		if text[i] < '0' || text[i] > '9' {
			i++
			continue
		}
		start := i
		for i < len(text) && (text[i] >= '0' && text[i] <= '9' || (text[i] == ',' || text[i] == '.') && i+1 < len(text) && text[i+1] >= '0' && text[i+1] <= '9') {
			i++
		}
		token := strings.ReplaceAll(text[start:i], ",", "")
		if f, err := strconv.ParseFloat(token, 64); err == nil {
			if before := strings.TrimSuffix(text[:start], "$"); strings.HasSuffix(before, "-") {
				found[-f] = true
			}
			found[f] = true
		}
	}
	return found
}

// context holds the reference against the text that a model reads: the SOP up to the first rule line, then the scenario.
func (c *rowCheck) context() {
	sop, scenario, found := strings.Cut(c.r.Context, "\n---\n")
	if !found {
		c.add("context", "no line --- parts the procedure from the scenario")
		return
	}
	for _, name := range c.g.names {
		if !occurs(sop, name) {
			c.add("context", "%q does not occur in the procedure's text", name)
		}
	}
	said := numbers(scenario)
	for _, name := range slices.Sorted(maps.Keys(c.ref.Values)) {
		f, err := c.ref.Values[name].Float64()
		if err != nil {
			c.add("reference", "value %q is %q, want a number", name, c.ref.Values[name])
			continue
		}
		if c.r.View == "workflow" && !said[f] {
			c.add("context", "the value %s = %s does not occur in the scenario", name, c.ref.Values[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.ref.Bindings)) {
		switch v := c.ref.Bindings[name].(type) {
		case string:
			if !strings.Contains(scenario, v) {
				c.add("context", "the detail %s = %q does not occur in the scenario", name, v)
			}
		case interface{ Float64() (float64, error) }:
			if f, err := v.Float64(); err != nil || !said[f] {
				c.add("context", "the detail %s = %v does not occur in the scenario", name, v)
			}
		}
	}
	c.comparisons(sop)
	if c.r.View == "next_action" {
		c.log(scenario)
	}
}

// log holds the calls made so far, as the last part of the context lists them, against the reference's history. A line has one
// call with its values first.
func (c *rowCheck) log(scenario string) {
	_, log, found := strings.Cut(scenario, "\n---\n")
	if !found {
		c.add("context", "no line --- parts the scenario from the calls made so far")
		return
	}
	var calls []string
	for line := range strings.SplitSeq(log, "\n") {
		_, quotedOn, has := strings.Cut(line, "`")
		if !has || strings.HasPrefix(line, " ") {
			continue // a result, which may name what it shows
		}
		call, _, _ := strings.Cut(quotedOn, "`")
		n, err := readNextCall(call)
		if err != nil {
			c.add("context", "the line %q of the calls made so far: %v", line, err)
			return
		}
		calls = append(calls, c.callOf(n))
	}
	if !slices.Equal(calls, c.ref.History) {
		c.add("context", "the calls made so far are %q, the history is %q", calls, c.ref.History)
	}
}
