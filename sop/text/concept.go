package text

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The views of stage 1: what a query about terms asks for.
const (
	DefinitionView       = "definition"        // which term has this definition
	ApplicationView      = "application"       // which term names what a situation is about
	DiscriminationView   = "discrimination"    // which of two terms fits
	ConditionWordingView = "condition_wording" // which identifier of the procedure a clause is about
	ToolChoiceView       = "tool_choice"       // which call does what is asked
)

// ConceptViews are the views of stage 1 in a fixed order.
var ConceptViews = []string{DefinitionView, ApplicationView, DiscriminationView, ConditionWordingView, ToolChoiceView}

// Entry is a line of a glossary: a term, or the identifier of a call, and
// what it means in this house.
type Entry struct{ Term, Definition string }

// GlossaryStyles are the ways of writing a glossary.
var GlossaryStyles = []string{"bullets", "numbered", "table", "paragraphs", "list"}

// glossaryForms are how a style writes one entry; {n} counts from 1.
var glossaryForms = map[string]string{
	"bullets":    "- **{term}**: {definition}",
	"numbered":   "{n}. **{term}** – {definition}",
	"table":      "| **{term}** | {definition} |",
	"paragraphs": "**{term}** has the following meaning here. {definition}",
	"list":       "**{term}**\n: {definition}",
}

var glossaryRead = map[string]*regexp.Regexp{
	"bullets":    regexp.MustCompile(`^- \*\*([^*]+)\*\*: (.+)$`),
	"numbered":   regexp.MustCompile(`^\d+\. \*\*([^*]+)\*\* – (.+)$`),
	"table":      regexp.MustCompile(`^\| \*\*([^*]+)\*\* \| ([^|]+) \|$`),
	"paragraphs": regexp.MustCompile(`^\*\*([^*]+)\*\* has the following meaning here\. (.+)$`),
}

// RenderGlossary writes entries in their order under a title such as that of a
// procedure. Terms and definitions have to be free of line breaks, of * and of
// |, as ReadGlossary wants them. An unknown style is written as bullets.
func RenderGlossary(style, title string, entries []Entry, rng *rand.Rand) string {
	return conceptList(style, entries, "# "+strings.ReplaceAll(sopPick(rng, glossaryTitles), "{title}", title)+"\n\n"+sopPick(rng, glossaryNotes), "Term", "Meaning")
}

// RenderTools writes calls that a procedure does not need itself: what else
// the agent could call. ReadGlossary reads it.
func RenderTools(style string, entries []Entry, rng *rand.Rand) string {
	return conceptList(style, entries, "## "+sopPick(rng, toolTitles)+"\n\n"+sopPick(rng, toolNotes), "Call", "What it does")
}

func conceptList(style string, entries []Entry, head, first, second string) string {
	form, ok := glossaryForms[style]
	if !ok {
		style, form = GlossaryStyles[0], glossaryForms[GlossaryStyles[0]]
	}
	gap := "\n"
	if style == "paragraphs" || style == "list" {
		gap = "\n\n"
	}
	var lines []string
	if style == "table" {
		lines = append(lines, "| "+first+" | "+second+" |", "|---|---|")
	}
	for i, e := range entries {
		lines = append(lines, conceptFill(form, "n", strconv.Itoa(i+1), "term", e.Term, "definition", e.Definition))
	}
	return head + "\n\n" + strings.Join(lines, gap) + "\n"
}

// ReadGlossary reads what RenderGlossary and RenderTools write. Every line from
// the first entry on has to be one, and no term may be defined twice.
func ReadGlossary(text string) ([]Entry, error) {
	var entries []Entry
	style, open := "", ""
	for i, line := range strings.Split(text, "\n") {
		e, as := glossaryEntry(line, &open)
		switch {
		case as == "" || as == "blank":
			if as == "" && style != "" {
				return nil, fmt.Errorf("line %d: %q is no entry, want one as in the lines before", i+1, ansShort(line))
			}
			continue
		case style == "":
			style = as
		case style != as:
			return nil, fmt.Errorf("line %d: %q is an entry of the style %s, want %s", i+1, ansShort(line), as, style)
		}
		if open != "" {
			continue // the definition follows on the next line
		}
		if slices.ContainsFunc(entries, func(f Entry) bool { return f.Term == e.Term }) {
			return nil, fmt.Errorf("line %d: %q is defined twice", i+1, e.Term)
		}
		entries = append(entries, e)
	}
	if open != "" {
		return nil, fmt.Errorf("%q has no definition", open)
	}
	if len(entries) == 0 {
		return nil, fmt.Errorf("there is no entry, want lines such as %q", glossaryForms["bullets"])
	}
	return entries, nil
}

// glossaryEntry reads a line and says its style, "blank" for one that says
// nothing. open is the term whose definition is still to come, in a list.
func glossaryEntry(line string, open *string) (Entry, string) {
	if strings.TrimSpace(line) == "" {
		return Entry{}, "blank"
	}
	if *open != "" {
		if definition, ok := strings.CutPrefix(line, ": "); ok {
			e := Entry{*open, definition}
			*open = ""
			return e, "list"
		}
		return Entry{}, ""
	}
	for _, style := range GlossaryStyles {
		if re := glossaryRead[style]; re != nil {
			if m := re.FindStringSubmatch(line); m != nil {
				return Entry{m[1], m[2]}, style
			}
		}
	}
	if inner := strings.TrimSuffix(strings.TrimPrefix(line, "**"), "**"); len(inner) == len(line)-4 && !strings.Contains(inner, "*") {
		*open = inner
		return Entry{}, "list"
	}
	return Entry{}, ""
}

// TermFormats are the formats of an answer that is one term or identifier.
var TermFormats = []string{"term", "json", "sentence"}

// RenderTerm writes the answer. An unknown format is written as term.
func RenderTerm(format, term string, rng *rand.Rand) string {
	switch format {
	case "json":
		data, err := json.Marshal(map[string]string{"term": term})
		if err != nil {
			panic(err) // a program error: strings can be written
		}
		return string(data)
	case "sentence":
		return strings.ReplaceAll(sopPick(rng, termSentences), "{term}", term)
	}
	return term
}

// ReadTerm reads an answer. Quotes, bold, code marks and a final stop around
// the term do not count; a sentence has to have it in “ ” or in backticks.
func ReadTerm(format, text string) (string, error) {
	s := ansClean(text)
	switch format {
	case "json":
		var answer struct {
			Term *string `json:"term"`
		}
		if err := json.Unmarshal([]byte(s), &answer); err != nil || answer.Term == nil {
			return "", fmt.Errorf("%q is no answer, want JSON such as {\"term\": \"…\"}", ansShort(text))
		}
		return scnFlat(*answer.Term), nil
	case "sentence":
		for _, marks := range []string{"“”", "``", `""`} {
			if inside, ok := between(s, marks); ok {
				return inside, nil
			}
		}
		return "", fmt.Errorf("%q is no answer, want a sentence with one term in “ ”", ansShort(text))
	case "term":
		for _, marks := range []string{"“”", "``", `""`} {
			if inside, ok := between(s, marks); ok && len(s) <= len(inside)+len(marks)+1 {
				return inside, nil
			}
		}
		if bare := scnFlat(strings.TrimSuffix(s, ".")); bare != "" && !strings.ContainsAny(s, "\n“”`{") {
			return bare, nil
		}
		return "", fmt.Errorf("%q is no answer, want the term alone", ansShort(text))
	}
	return "", fmt.Errorf("unknown format %q, want %s", format, strings.Join(TermFormats, ", "))
}

// between returns what stands between the two marks, which have to occur once.
func between(s, marks string) (string, bool) {
	r := []rune(marks)
	before, rest, ok := strings.Cut(s, string(r[0]))
	inside, after, closed := strings.Cut(rest, string(r[1]))
	inside = scnFlat(inside)
	return inside, ok && closed && inside != "" && !strings.ContainsAny(before+after, marks)
}
