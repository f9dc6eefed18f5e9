package agents

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/llm"
	"github.com/fmsop/fmsop/sop"
)

// minQuote is the least number of words of a quote.
const minQuote = 3

// passage is a part of a corpus that models read, and quote from: a procedure,
// a part of one that is too long, or an entry of the glossary.
type passage struct {
	source string // as in Evidence
	text   string
	term   bool // an entry of the glossary
	first  bool // the beginning of a procedure
}

// passages are the procedures of a domain, each with all its rules, then its
// glossary.
func passages(d *sop.Domain) ([]passage, error) {
	var list []passage
	for _, p := range d.Procedures {
		v, err := d.Variant(p, fullest(p))
		if err != nil {
			return nil, fmt.Errorf("procedure %s: %w", p.Goal, err)
		}
		text := SOPText(v)
		if len(p.Unmodelled) > 0 {
			text += "\n## Further remarks\n\n- " + strings.Join(p.Unmodelled, "\n- ") + "\n"
		}
		list = append(list, passage{source: d.Name + "/" + p.Goal, text: text, first: true})
	}
	return append(list, glossary(d, d.Glossary)...), nil
}

func glossary(d *sop.Domain, terms []*sop.Term) []passage {
	var list []passage
	for _, t := range terms {
		list = append(list, passage{source: d.Name + ", glossary, " + t.Term, text: t.Term + ": " + t.Definition + "\n", term: true})
	}
	return list
}

// material writes passages for a prompt, each between lines of its own, the
// glossary as one. Nothing in them can end their part, or pass for a control
// token.
func material(list []passage) string {
	var b strings.Builder
	block := func(title, text string) {
		fmt.Fprintf(&b, "%s:\n%s\n%s\n%s\n\n", title, fence, inert(strings.TrimSpace(text)), fence)
	}
	terms := ""
	for _, p := range list {
		if p.term {
			terms += p.text
		} else {
			block(p.source, p.text)
		}
	}
	if terms != "" {
		block("Glossary", terms)
	}
	return b.String()
}

// tokens of the passage in a prompt, about.
func (p passage) tokens() int { return llm.LikelyTokens(material([]passage{p})) }

func inert(text string) string {
	return control.ReplaceAllString(strings.ReplaceAll(text, fence, "=== =="), "$1$3 $2$4")
}

// quoted finds where a quote stands: in the first of the passages that has it
// word for word, whatever the white space. Headings are nothing to quote, and a
// quote of under minQuote words stands nowhere: it would stand everywhere.
func quoted(list []passage, quote string) (source string, ok bool) {
	words := strings.Fields(quote)
	if len(words) < minQuote {
		return "", false
	}
	wanted := strings.Join(words, " ")
	for _, p := range list {
		if strings.Contains(p.quotable(), wanted) {
			return p.source, true
		}
	}
	return "", false
}

// quotable is the text without its headings, on one line.
func (p passage) quotable() string {
	var b strings.Builder
	for line := range strings.Lines(p.text) {
		if words := strings.Fields(line); len(words) > 0 && !strings.HasPrefix(words[0], "#") {
			b.WriteString(strings.Join(words, " ") + " ")
		}
	}
	return b.String()
}

// unknownName returns a name of a call or condition in the text that the
// passages do not have.
func unknownName(list []passage, text string) string {
	for _, name := range names(text) {
		whole := regexp.MustCompile(`(?:^|\W)` + regexp.QuoteMeta(name) + `(?:\W|$)`)
		if name != sop.Deny && !slices.ContainsFunc(list, func(p passage) bool { return whole.MatchString(p.text) }) {
			return name
		}
	}
	return ""
}

// pack joins passages, in their order, into pieces of at most so many tokens.
// Only a passage that is longer than that by itself is cut, between lines; cut
// names these.
func pack(list []passage, tokens int) (pieces [][]passage, cut []string) {
	var piece []passage
	room := tokens
	for _, p := range list {
		parts := []passage{p}
		if p.tokens() > tokens {
			parts = p.cut(tokens)
			cut = append(cut, p.source)
		}
		for _, part := range parts {
			size := part.tokens()
			if size > room && len(piece) > 0 {
				pieces, piece, room = append(pieces, piece), nil, tokens
			}
			piece, room = append(piece, part), room-size
		}
	}
	if len(piece) > 0 {
		pieces = append(pieces, piece)
	}
	return pieces, cut
}

// cut splits a passage into parts of about so many tokens, of at least a line.
func (p passage) cut(tokens int) []passage {
	var parts []passage
	part := passage{source: p.source, term: p.term, first: p.first}
	for line := range strings.Lines(p.text) {
		longer := part
		longer.text += line
		if part.text != "" && longer.tokens() > tokens {
			parts = append(parts, part)
			longer = passage{source: p.source, term: p.term, text: line}
		}
		part = longer
	}
	return append(parts, part)
}

// halves splits a piece in two, its only passage if it has one; false where
// that cannot be split either.
func halves(piece []passage) (first, second []passage, ok bool) {
	if n := len(piece); n > 1 {
		return piece[:n/2], piece[n/2:], true
	}
	parts := piece[0].cut(piece[0].tokens()/2 + 1)
	if len(parts) < 2 {
		return nil, nil, false
	}
	return parts[:1], parts[1:], true
}
