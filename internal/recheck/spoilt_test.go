package recheck

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
)

// spoilt is a row taken apart: what stands in it as JSON text is decoded.
type spoilt struct {
	row             object
	reference, meta object
	negatives       []object // proof decoded
	positive        object
}

func takeApart(t *testing.T, line []byte) *spoilt {
	t.Helper()
	decode := func(data string) (o object) {
		if err := json.Unmarshal([]byte(data), &o); err != nil {
			t.Fatal(err)
		}
		return o
	}
	s := &spoilt{row: decode(string(line))}
	s.reference, s.meta = decode(s.row["reference"].(string)), decode(s.row["meta"].(string))
	s.positive = s.row["positive"].(object)
	for _, n := range s.row["negatives"].([]any) {
		n := n.(object)
		n["proof"] = decode(n["proof"].(string))
		s.negatives = append(s.negatives, n)
	}
	return s
}

func (s *spoilt) line() []byte {
	s.row["reference"], s.row["meta"] = text(s.reference), text(s.meta)
	var list []object
	for _, n := range s.negatives {
		n = maps.Clone(n)
		n["proof"] = text(n["proof"])
		list = append(list, n)
	}
	s.row["negatives"] = list
	return []byte(text(s.row))
}

func (s *spoilt) view() string { return s.row["view"].(string) }

func (s *spoilt) is(views ...string) bool { return slices.Contains(views, s.view()) }

// replace changes the context, once.
func (s *spoilt) replace(old, now string) bool {
	before := s.row["context"].(string)
	s.row["context"] = strings.Replace(before, old, now, 1)
	return before != s.row["context"]
}

// proven returns the first negative with that violation.
func (s *spoilt) proven(violation string) object {
	for _, n := range s.negatives {
		if n["violation"] == violation {
			return n
		}
	}
	return nil
}

// answer gives one answer the text and the payload of another.
func copyAnswer(to, from object) {
	to["text"], to["payload"] = from["text"], from["payload"]
}

func payload(o object) (p object) {
	if err := json.Unmarshal([]byte(o["payload"].(string)), &p); err != nil {
		panic(err)
	}
	return p
}

func cutLast(text, mark string) (before, after string, found bool) {
	i := strings.LastIndex(text, mark)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(mark):], true
}

// exchangeWords exchanges two whole words.
func exchangeWords(text, a, b string) string {
	var out strings.Builder
	for i := 0; i < len(text); {
		j := i
		for j < len(text) && isWordByte(text[j]) {
			j++
		}
		if j == i {
			j++
		}
		switch word := text[i:j]; word {
		case a:
			out.WriteString(b)
		case b:
			out.WriteString(a)
		default:
			out.WriteString(word)
		}
		i = j
	}
	return out.String()
}
