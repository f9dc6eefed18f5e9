package recheck

import (
	"encoding/json"
	"strconv"
	"strings"
)

// domain is the wording of a domain, as the manifest's lexicon has it.
type domain struct {
	Domain     string               `json:"domain"`
	Title      string               `json:"title"`
	Parameters map[string]parameter `json:"parameters"`
	Thresholds map[string]threshold `json:"thresholds"`
	Values     map[string]quantity  `json:"values"`
	Conditions map[string]condition `json:"conditions"`
	Actions    map[string]action    `json:"actions"`
	Excludes   [][]string           `json:"excludes"`
	Glossary   []*term              `json:"glossary"`

	situations []situation
	meanings   map[string][]*term
}

type parameter struct {
	Noun  string `json:"noun"`
	Label string `json:"label"`
}

type threshold struct {
	Text    string      `json:"text"`
	Unit    string      `json:"unit"`
	Default json.Number `json:"default"`
}

type quantity struct {
	Parameters []string    `json:"parameters"`
	Stated     bool        `json:"stated"`
	Unit       string      `json:"unit"`
	Text       string      `json:"text"`
	Record     string      `json:"record"`
	Min        json.Number `json:"min"`
	Max        json.Number `json:"max"`
	Step       json.Number `json:"step"`
}

type condition struct {
	Parameters    []string `json:"parameters"`
	Compare       string   `json:"compare"`
	DependsOn     *tree    `json:"depends_on"`
	EstablishedBy *tree    `json:"established_by"`
	Text          string   `json:"text"`
	Negated       string   `json:"negated"`
	RecordTrue    string   `json:"record_true"`
	RecordFalse   string   `json:"record_false"`
}

type action struct {
	Parameters []string        `json:"parameters"`
	Text       string          `json:"text"`
	Innate     *tree           `json:"innate"`
	Effects    map[string]bool `json:"effects"`
}

type term struct {
	Term        string       `json:"term"`
	Definition  string       `json:"definition"`
	Type        string       `json:"type"`
	Of          string       `json:"of"`
	UsedIn      []string     `json:"used_in"`
	Synonyms    []string     `json:"synonyms"`
	Confusables []confusable `json:"confusables"`
}

type confusable struct {
	Term       string `json:"term"`
	NotBecause string `json:"not_because"`
}

// cutCall parts name(parameter=detail, …).
func cutCall(name string) (base, args string, found bool) { return strings.Cut(name, "(") }

// detailOf says which detail fills a parameter of a name.
func detailOf(name, parameter string) string {
	_, args, _ := cutCall(name)
	for part := range strings.SplitSeq(strings.TrimSuffix(args, ")"), ", ") {
		if p, detail, found := strings.Cut(part, "="); found && p == parameter {
			return detail
		}
	}
	return parameter
}

// passed gives a name of the lexicon the details of the one that refers to it.
func passed(name, from string, parameters []string) string {
	base, _, _ := cutCall(name)
	args := map[string]string{}
	for _, p := range parameters {
		args[p] = detailOf(from, detailOf(name, p))
	}
	written, err := joinCall(base, args)
	if err != nil {
		return name
	}
	return written
}

// naming is the names of a row: its own for those of the domain.
type naming struct {
	*domain
	own  map[string]string // of a row's name, the domain's
	rows map[string]string // of a domain's name, the row's
}

func newNaming(d *domain, names map[string]string) *naming {
	n := &naming{domain: d, own: map[string]string{}, rows: names}
	for base, written := range names {
		n.own[written] = base
	}
	return n
}

// base is the domain's name for one that a row writes, without its details.
func (n *naming) base(name string) string {
	head, _, _ := cutCall(name)
	if base, renamed := n.own[head]; renamed {
		return base
	}
	return head
}

// domainName is the domain's name with the details of the row's.
func (n *naming) domainName(name string) string {
	if _, args, has := cutCall(name); has {
		return n.base(name) + "(" + args
	}
	return n.base(name)
}

// written is what the row calls an instance of the domain's name.
func (n *naming) written(name string) string {
	head, args, has := cutCall(name)
	if alias, renamed := n.rows[head]; renamed {
		head = alias
	}
	if has {
		return head + "(" + args
	}
	return head
}

func (d *domain) noun(detail string) string {
	if noun := d.Parameters[detail].Noun; noun != "" {
		return noun
	}
	return strings.ReplaceAll(detail, "_", " ")
}

// worded fills the slots of a wording with the nouns of what fills the parameters of a name.
func (d *domain) worded(wording, name string) string {
	return fillSlots(wording, func(p string) (string, bool) { return d.noun(detailOf(name, p)), true })
}

// fillSlots replaces every {slot}; what the function does not know stays.
func fillSlots(wording string, fill func(string) (string, bool)) string {
	var b strings.Builder
	for {
		before, after, open := strings.Cut(wording, "{")
		b.WriteString(before)
		slot, rest, closed := strings.Cut(after, "}")
		if !open || !closed {
			if open {
				b.WriteString("{" + after)
			}
			return b.String()
		}
		if words, known := fill(slot); known {
			b.WriteString(words)
		} else {
			b.WriteString("{" + slot + "}")
		}
		wording = rest
	}
}

// spoken is a detail as it stands within a sentence.
func spoken(value any) string {
	switch value := value.(type) {
	case string:
		return flat(value)
	case json.Number:
		f, err := value.Float64()
		if err != nil {
			return value.String()
		}
		return strconv.FormatFloat(f, 'f', -1, 64)
	case bool:
		return map[bool]string{true: "yes", false: "no"}[value]
	case nil:
		return "none"
	case []any:
		parts := make([]string, len(value))
		for i, item := range value {
			parts[i] = spoken(item)
		}
		return strings.Join(parts, ", ")
	case map[string]any:
		var parts []string
		for _, key := range sortedKeys(value) {
			parts = append(parts, strings.ReplaceAll(key, "_", " ")+" "+spoken(value[key]))
		}
		return strings.Join(parts, ", ")
	}
	return ""
}

func flat(text string) string { return strings.Join(strings.Fields(text), " ") }

// plain is words as a document writes them: without the marks that carry structure there.
func plain(words string) string {
	words = strings.NewReplacer("`", "'", "|", "/", "(", "[", ")", "]", "“", "\"", "”", "\"").Replace(words)
	return strings.TrimRight(flat(words), ".;:, ")
}
