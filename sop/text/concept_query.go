package text

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// Concept is what a query of stage 1 asks.
type Concept struct {
	View string
	// Kind is what the phrase is about. definition: meaning; application:
	// value, condition, state, action or threshold; discrimination: the same
	// but state, or meaning where the phrase is a definition;
	// condition_wording: fact, call or quantity; tool_choice: do or find.
	Kind   string
	Phrase string
	Pair   [2]string // the two terms of a discrimination
	Title  string    // of the procedure, where a situation mentions it
	Format string
}

// ConceptQuery words a query of stage 1. The split test has wordings of its
// own; every other split uses those of train. What is asked for has to be free
// of “ and ”. An unknown view, kind or format gives "".
func ConceptQuery(c Concept, split string, rng *rand.Rand) (string, QueryID) {
	if split != "test" {
		split = "train"
	}
	questions, sentences := conceptWords[c.View][split], conceptFormats[conceptFormat(c)][split]
	if len(questions) == 0 || len(sentences) == 0 || conceptKinds[c.Kind] == "" {
		return "", ""
	}
	q, s := rng.IntN(len(questions)), rng.IntN(len(sentences))
	situation := ""
	if frames := conceptFrames[conceptFrame(c.Kind)][split]; len(frames) > 0 {
		situation = conceptFill(sopPick(rng, frames), "title", c.Title, "phrase", c.Phrase)
	}
	text := conceptFill(questions[q], "situation", situation, "task", situation, "kind", conceptKinds[c.Kind],
		"phrase", c.Phrase, "a", c.Pair[0], "b", c.Pair[1])
	return text + "\n\n" + sentences[s], QueryID(fmt.Sprintf("%s/%s/%d/%s/%d", c.View, split, q, c.Format, s))
}

// conceptFormat is what the format's sentences are kept under.
func conceptFormat(c Concept) string {
	if c.View == ConditionWordingView || c.View == ToolChoiceView {
		return "identifier/" + c.Format
	}
	return c.Format
}

// ReadConcept reads what ConceptQuery writes, and the id of its wording. It
// goes by the wordings: a text that fits none, or two that say different
// things, is an error.
func ReadConcept(query string) (Concept, QueryID, error) {
	question, sentence, ok := strings.Cut(query, "\n\n")
	if !ok {
		return Concept{}, "", fmt.Errorf("query %q has no sentence on the format, want one after an empty line", ansShort(query))
	}
	var found Concept
	var id QueryID
	for _, view := range ConceptViews {
		for _, split := range []string{"train", "test"} {
			for i, words := range conceptWords[view][split] {
				if literal, _, _ := strings.Cut(words, "{"); !strings.HasPrefix(question, literal) {
					continue
				}
				for _, c := range conceptReadings(view, split, words, question) {
					for _, format := range TermFormats {
						c.Format = format
						s := slices.Index(conceptFormats[conceptFormat(c)][split], sentence)
						if s < 0 || c == found {
							continue
						}
						if id != "" {
							return Concept{}, "", fmt.Errorf("query %q can be read in two ways", ansShort(query))
						}
						found, id = c, QueryID(view+"/"+split+"/"+strconv.Itoa(i)+"/"+format+"/"+strconv.Itoa(s))
					}
				}
			}
		}
	}
	if id == "" {
		return Concept{}, "", fmt.Errorf("query %q is none of stage 1, want one of its wordings", ansShort(query))
	}
	return found, id, nil
}

// conceptReadings are the ways to read a question by one wording.
func conceptReadings(view, split, words, question string) []Concept {
	slots, ok := conceptMatch(words, question)
	if !ok {
		return nil
	}
	c := Concept{View: view, Kind: "meaning", Phrase: slots["phrase"], Pair: [2]string{slots["a"], slots["b"]}}
	situation, framed := slots["situation"]
	if !framed {
		situation, framed = slots["task"]
	}
	var list []Concept
	for _, kind := range conceptViewKinds[view] {
		if noun, said := slots["kind"]; said && noun != conceptKinds[kind] {
			continue
		}
		c.Kind = kind
		if !framed {
			list = append(list, c)
			continue
		}
		for _, frame := range conceptFrames[conceptFrame(kind)][split] {
			if in, ok := conceptMatch(frame, situation); ok {
				c.Phrase, c.Title = in["phrase"], in["title"]
				list = append(list, c)
			}
		}
	}
	return slices.DeleteFunc(list, func(c Concept) bool { return strings.ContainsAny(c.Phrase+c.Pair[0]+c.Pair[1], "“”") })
}

// conceptViewKinds are the kinds that a view asks about. A discrimination does
// not say whether a state or a condition is meant: it counts as a condition.
var conceptViewKinds = map[string][]string{
	DefinitionView:       {"meaning"},
	ApplicationView:      {"value", "condition", "state", "action", "threshold"},
	DiscriminationView:   {"value", "condition", "action", "threshold", "meaning"},
	ConditionWordingView: {"fact", "call", "quantity"},
	ToolChoiceView:       {"do", "find"},
}

// conceptFrame is what the frames of a kind are kept under.
func conceptFrame(kind string) string {
	if kind == "state" {
		return "condition"
	}
	return kind
}

// conceptFill puts words into {slots}, given as name, word, name, word.
func conceptFill(words string, slots ...string) string {
	return scnFill(words, func(slot, _, _ string) (string, bool) {
		for i := 0; i < len(slots); i += 2 {
			if slots[i] == slot {
				return slots[i+1], true
			}
		}
		return "", false
	})
}

// conceptMatch fits a text to a wording with {slots}: each takes as little as
// it can.
func conceptMatch(words, text string) (map[string]string, bool) {
	var slots map[string]string
	for {
		literal, rest, more := strings.Cut(words, "{")
		if !more {
			return slots, text == literal
		}
		if !strings.HasPrefix(text, literal) {
			return nil, false
		}
		if slots == nil {
			slots = map[string]string{}
		}
		text = text[len(literal):]
		var name string
		name, words, _ = strings.Cut(rest, "}")
		next, _, last := strings.Cut(words, "{")
		end := strings.Index(text, next)
		if !last {
			if end = len(text) - len(next); end < 0 || text[end:] != next {
				return nil, false
			}
		} else if end < 0 || next == "" {
			return nil, false
		}
		slots[name], text = text[:end], text[end:]
	}
}
