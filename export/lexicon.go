package export

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/fmsop/fmsop/dataset"
)

// lexicon is the wording of calls and parameters, by domain: what the lexicon
// of a manifest says of them.
type lexicon map[string]struct {
	Parameters map[string]struct{ Noun string }
	Actions    map[string]struct{ Text string }
}

// readLexicon takes that of a manifest. A dataset without one is no error: names
// then stand for themselves.
func readLexicon(m dataset.Manifest) (*lexicon, error) {
	text, err := json.Marshal(m.Lexicon)
	if err != nil {
		return nil, err
	}
	l := new(lexicon)
	return l, json.Unmarshal(text, l)
}

var placeholder = regexp.MustCompile(`\{(\w+)\}`)

// action describes a call, under the name that the row's variant gives it.
func (l *lexicon) action(row *dataset.Row, name string) string {
	if name == "deny" {
		return "refuse the request"
	}
	var meta struct{ Names map[string]string }
	if json.Unmarshal([]byte(row.Meta), &meta) == nil {
		for own, alias := range meta.Names {
			if alias == name {
				name = own
				break
			}
		}
	}
	text := (*l)[row.Domain].Actions[name].Text
	if text == "" {
		return words(name)
	}
	return placeholder.ReplaceAllStringFunc(text, func(p string) string { return l.parameter(row, strings.Trim(p, "{}")) })
}

func (l *lexicon) parameter(row *dataset.Row, name string) string {
	if noun := (*l)[row.Domain].Parameters[name].Noun; noun != "" {
		return noun
	}
	return words(name)
}

func words(name string) string { return strings.ReplaceAll(name, "_", " ") }
