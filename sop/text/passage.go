package text

import (
	"fmt"
	"maps"
	"reflect"
	"strings"

	"github.com/fmsop/fmsop/sop"
)

// Passage is a part of a line that may be worded otherwise: where it begins and
// how long it is, in bytes.
type Passage struct{ At, Length int }

// In returns the passage's words.
func (p Passage) In(text string) string { return text[p.At : p.At+p.Length] }

// fewestWords of a passage: less has no other wording.
const fewestWords = 4

func passages(text string, of func(line string) string) []Passage {
	var list []Passage
	at := 0
	for line := range strings.Lines(text) {
		words := strings.TrimSpace(of(strings.TrimSuffix(line, "\n")))
		if len(proseWords(words)) >= fewestWords {
			list = append(list, Passage{at + strings.LastIndex(line, words), len(words)})
		}
		at += len(line)
	}
	return list
}

// DocumentPassages are the lines of an SOP, without what comes before the
// first section, headings, tables and listings. Most of them are statements,
// which only a known phrase can take the place of.
func DocumentPassages(document string) []Passage {
	section, code := false, false
	return passages(document, func(line string) string {
		body := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(body, "```"):
			code = !code
			return ""
		case strings.HasPrefix(body, "#"):
			section = section || strings.HasPrefix(body, "## ")
			return ""
		case !section || code || strings.HasPrefix(body, "|"):
			return ""
		}
		return sopBullet.ReplaceAllString(body, "")
	})
}

// CasePassages are the lines in which the customer speaks.
func CasePassages(text string) []Passage {
	return passages(text, func(line string) string {
		said, ok := strings.CutPrefix(line, "> ")
		if !ok {
			return ""
		}
		return said
	})
}

// QuestionPassage is a query without the sentence on the format of the answer.
func QuestionPassage(id QueryID, query string) (Passage, error) {
	parts := strings.Split(string(id), "/")
	if len(parts) != 5 {
		return Passage{}, fmt.Errorf("unknown query %q, want view/split/question/format/sentence", string(id))
	}
	question, _, concept := strings.Cut(query, "\n\n")
	if !concept {
		for _, sentence := range queryFormats[queryKind(parts[0])+"/"+parts[3]][parts[1]] {
			if before, ok := strings.CutSuffix(query, " "+sentence); ok {
				question = before
			}
		}
		if question == query {
			return Passage{}, fmt.Errorf("query %q has no sentence of %s on the format", ansShort(query), id)
		}
	}
	return Passage{0, len(question)}, nil
}

// SameDocument returns nil where ReadSOP reads the same out of both documents.
func SameDocument(a, b string) error {
	x, err := ReadSOP(a)
	if err != nil {
		return err
	}
	y, err := ReadSOP(b)
	if err != nil {
		return err
	}
	if err := SameMeaning(&x.Graph, &y.Graph); err != nil {
		return err
	}
	if x.Style != y.Style {
		return fmt.Errorf("the style is %s and %s", x.Style, y.Style)
	}
	if !maps.Equal(x.Units, y.Units) || !reflect.DeepEqual(x.Comparisons, y.Comparisons) {
		return fmt.Errorf("the measures are %v and %v", x.Comparisons, y.Comparisons)
	}
	return nil
}

// SameCase returns nil where the same details, facts and values are read out
// of both cases, or of both requests.
func SameCase(a, b string, v *sop.Variant) error {
	x, err := scnReadCase(a, v)
	if err != nil {
		return err
	}
	y, err := scnReadCase(b, v)
	if err != nil {
		return err
	}
	for _, part := range []struct {
		what string
		a, b any
	}{{"details", x.details, y.details}, {"facts", x.facts, y.facts}, {"values", x.values, y.values}, {"values recorded", x.seen, y.seen}} {
		if !reflect.DeepEqual(part.a, part.b) {
			return fmt.Errorf("the %s are %v and %v", part.what, part.a, part.b)
		}
	}
	return nil
}

// OwnWording refuses the rewording of a question that is not nearer, by
// Similarity, to the question itself than to every other wording, those of
// other views and splits among them. No two wordings then share a rewording,
// so that none of a held-out split is met in training.
func OwnWording(id QueryID, question, rewording string) *Refusal {
	own := Similarity(question, rewording)
	for _, other := range otherWordings(id, question) {
		if near := Similarity(other, rewording); near >= own && other != question {
			return &Refusal{RefusedWording, fmt.Sprintf("it is as near to %q", ansShort(other))}
		}
	}
	return nil
}

// otherWordings are what the question could be taken for.
func otherWordings(id QueryID, question string) []string {
	view, _, _ := strings.Cut(string(id), "/")
	var list []string
	if conceptWords[view] == nil {
		for _, v := range Views {
			for _, split := range []string{"train", "test"} {
				list = append(list, queryWords[v][split]...)
			}
		}
		return list
	}
	for _, split := range []string{"train", "test"} {
		for _, words := range conceptWords[view][split] {
			for _, c := range conceptsIn(view, question) {
				list = append(list, conceptQuestions(words, split, c)...)
			}
		}
	}
	return list
}

// conceptsIn are the ways to read a question of stage 1, its format aside.
func conceptsIn(view, question string) (list []Concept) {
	for _, split := range []string{"train", "test"} {
		for _, words := range conceptWords[view][split] {
			list = append(list, conceptReadings(view, split, words, question)...)
		}
	}
	return list
}

// conceptQuestions are the questions of one wording about a concept, in every
// frame.
func conceptQuestions(words, split string, c Concept) (list []string) {
	situations := []string{""}
	if frames := conceptFrames[conceptFrame(c.Kind)][split]; strings.Contains(words, "{situation}") || strings.Contains(words, "{task}") {
		situations = nil
		for _, frame := range frames {
			situations = append(situations, conceptFill(frame, "title", c.Title, "phrase", c.Phrase))
		}
	}
	for _, s := range situations {
		list = append(list, conceptFill(words, "situation", s, "task", s, "kind", conceptKinds[c.Kind], "phrase", c.Phrase, "a", c.Pair[0], "b", c.Pair[1]))
	}
	return list
}
