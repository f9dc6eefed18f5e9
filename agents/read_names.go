package agents

import (
	"encoding/json"
	"regexp"
	"slices"
	"sort"
	"strings"

	"github.com/fmsop/fmsop/sop"
)

// vocabulary finds names in a text, however their words are joined:
// check_shelf, check-shelf, checkShelf and, where nothing else is named, check
// shelf.
type vocabulary struct {
	index  map[string]string // letters and digits of a name to the name
	spaced *regexp.Regexp    // the names of several words, with blanks between; nil of none
}

// newVocabulary knows these names, without their arguments.
func newVocabulary(list []string) *vocabulary {
	v := &vocabulary{index: map[string]string{}}
	var patterns []string
	for _, name := range list {
		name, _, _ = strings.Cut(name, "(")
		key := squeezed(name)
		if _, twice := v.index[key]; twice || key == "" {
			continue
		}
		v.index[key] = name
		words := strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == ' ' || r == '-' })
		if len(words) < 2 {
			continue
		}
		for i, w := range words {
			words[i] = regexp.QuoteMeta(w)
		}
		patterns = append(patterns, strings.Join(words, `[\s_-]+`))
	}
	// The pattern takes the first that fits: longer ones first.
	sort.SliceStable(patterns, func(i, j int) bool { return len(patterns[i]) > len(patterns[j]) })
	if len(patterns) > 0 {
		v.spaced = regexp.MustCompile(`(?i)\b(?:` + strings.Join(patterns, "|") + `)\b`)
	}
	return v
}

// squeezed leaves the letters and digits of a name, in lower case.
func squeezed(s string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case '_', '-', ' ', '\t', '\n':
			return -1
		}
		return r
	}, strings.ToLower(s))
}

// mention is a place where a text names something.
type mention struct {
	name       string // as the vocabulary has it; as the text has it where that does not
	known      bool
	args       map[string]any // given with it
	begin, end int
	negated    bool // the text around it says that it is not meant
}

var (
	token    = regexp.MustCompile(`[\pL_][\pL\pN_]*(?:-[\pL\pN_]+)*`)
	assigned = regexp.MustCompile("(?:=|\\bset to)\\s*[\"'`]?$")
	assigns  = regexp.MustCompile("^[\"'`]?\\s*=[^=>]")
)

// maxMentions bounds the work on a text: what comes after so many is not read.
const maxMentions = 1000

// mentions of names in a text, in order: those of the vocabulary, and others
// that look like a name.
func (v *vocabulary) mentions(text string) []mention {
	var list []mention
	joined, from := false, 0
	for _, at := range token.FindAllStringIndex(text, -1) {
		begin, end := at[0], at[1]
		if len(list) == maxMentions {
			break
		}
		if begin < from || assigned.MatchString(tail(text[:begin])) || assigns.MatchString(head(text[end:])) {
			continue
		}
		word := text[begin:end]
		name, known := v.index[squeezed(word)]
		unknown := !known && strings.Contains(strings.Trim(word, "_"), "_") && sop.IsIdentifier(word)
		if !known && !unknown {
			continue
		}
		if unknown {
			name = word
		}
		joined = joined || strings.Contains(name, "_")
		args, length := arguments(text[end:])
		from = end + length
		list = append(list, mention{name: name, known: known, args: args, begin: begin, end: from})
	}
	if !joined && v.spaced != nil {
		for _, at := range v.spaced.FindAllStringIndex(text, maxMentions) {
			list = append(list, mention{name: v.index[squeezed(text[at[0]:at[1]])], known: true, begin: at[0], end: at[1]})
		}
		sort.SliceStable(list, func(i, j int) bool { return list[i].begin < list[j].begin })
	}
	negate(text, list)
	return list
}

// What is looked at around a name or a figure is at most that many bytes, and
// so many for its arguments.
const (
	around       = 160
	maxArguments = 2000
)

func tail(s string) string { return s[max(0, len(s)-around):] }
func head(s string) string { return s[:min(len(s), around)] }

var (
	bracket = regexp.MustCompile(`^\(([^()\n]{0,300})\)`)
	with    = regexp.MustCompile("^[\"'`]*\\s*,?\\s*(?:with|using|for)\\s+(?:(?:the|these)\\s+)?(?:(?:arguments?|parameters?)\\s*:?\\s*)?")
	pair    = regexp.MustCompile("^[\\s,;&]*(?:and\\s+)?[\"'`]?([A-Za-z_]\\w*)[\"'`]?\\s*(?:=|:|\\bis\\b|\\bset to\\b)\\s*(\"[^\"\n]*\"|'[^'\n]*'|`[^`\n]*`|[^\\s,;)`]+)`?")
)

// arguments given right after a name, in brackets or after "with", and how many
// bytes they take.
func arguments(text string) (map[string]any, int) {
	text = text[:min(len(text), maxArguments)]
	if at := bracket.FindStringSubmatchIndex(text); at != nil {
		args, _ := pairs(text[at[2]:at[3]])
		return args, at[1]
	}
	lead := with.FindString(head(text))
	if lead == "" {
		return nil, 0
	}
	args, length := pairs(text[len(lead):])
	if length == 0 {
		return nil, 0
	}
	return args, len(lead) + length
}

// pairs reads parameter = value as often as it stands there.
func pairs(text string) (args map[string]any, length int) {
	for {
		at := pair.FindStringSubmatchIndex(text[length:])
		if at == nil {
			return args, length
		}
		if args == nil {
			args = map[string]any{}
		}
		said := strings.TrimRight(text[length+at[4]:length+at[5]], ".")
		var value any = strings.Trim(said, "\"'`")
		if json.Unmarshal([]byte(said), &value) != nil {
			value = strings.Trim(said, "\"'`")
		}
		args[text[length+at[2]:length+at[3]]] = value
		length += at[1]
	}
}

const (
	verbs     = `(?:is|are|was|were|be|been|being|do|does|did|would|should|could|need|needs|must|can|has|have|had|will|may|shall|to)`
	excluding = `(?:needed|required|necessary|called|demanded|applicable|included|correct|right|part|permitted|allowed|relevant|used|mentioned|known|involved|` +
		`approved|granted|met|possible|due|made|apply|hold|among|one of|carried out|executed|performed|processed|asked|the (?:answer|case|right|correct)|(?:an? )?(?:option|condition|requirement))`
	refusing = `(?:denied|refused|rejected|declined|forbidden|excluded|impermissible|irrelevant|unnecessary|superfluous|optional|wrong|incorrect|skipped|omitted|false|no|not)`
)

var (
	negatedBefore = regexp.MustCompile("(?i)(?:\\b(?:not|never|without|neither|nor|cannot|excluding|except|skip|skipping|omit|omitting|avoid|avoiding|unlike)\\b|n't\\b|\\binstead of\\b|\\brather than\\b|" +
		"\\bno (?:need|reason|call|cause|point)\\b|^no\\b|[,:;]\\s*no\\b|[❌✗✘✖])\\s*(?:(?:to|be|the|a|an|for|of|in|call|calling|need|needs|needed|make|makes|making|with|use|using|via|end|ends|ending|require|requires|want|add|include|answer|reach|carry|out)\\s+){0,5}[\"'`(]*$")
	negatedAfter = regexp.MustCompile("(?i)^[\"'`)\\]]*\\s*(?:,?\\s*(?:which|that)\\s+)?(?:" + verbs + "\\s+){0,3}(?:(?:not|never|cannot|n't)\\s+(?:" + verbs + "\\s+){0,2}(?:yet\\s+|strictly\\s+|a |an )?" + excluding + "\\b|" +
		"(?:therefore |thus |also |hereby )?" + refusing + "\\b[^\\n]{0,3}(?:$|[\\s.,;!)|]))|^[\"'`)\\]]*\\s*(?:[:=|–—-]+|->)\\s*\"?(?:" + refusing + ")\\b|^[\"'`)\\]]*\\s*(?:don't|doesn't|isn't|aren't|can't|cannot|won't|wasn't|needn't)\\b")
	singular    = regexp.MustCompile("(?i)^[\"'`)\\]]*\\s*(?:is|was|does|has|isn't|doesn't|[:=|])")
	conjunction = regexp.MustCompile("(?i)^[\\s\"'`*()]*(?:,|;|/|&|,?\\s*\\b(?:and|or|nor)\\b)?[\\s\"'`*()]*$")
)

// negate marks what is excluded: "not x", "instead of x", "x is not needed".
// What is said before the first, or in the plural after the last, of several
// names goes for all of them.
func negate(text string, list []mention) {
	before, after := make([]bool, len(list)), make([]bool, len(list))
	for i, m := range list {
		start := tail(text[:m.begin])
		if k := strings.LastIndexAny(start, ".;\n!?"); k >= 0 {
			start = start[k+1:]
		}
		before[i] = negatedBefore.MatchString(start) || i > 0 && before[i-1] && joint(text, list[i-1], m)
	}
	for i, m := range slices.Backward(list) {
		rest := head(text[m.end:])
		after[i] = negatedAfter.MatchString(rest) ||
			i+1 < len(list) && after[i+1] && joint(text, m, list[i+1]) && !singular.MatchString(head(text[list[i+1].end:]))
	}
	for i := range list {
		list[i].negated = before[i] || after[i]
	}
}

// joint says whether nothing but a comma, and, or, nor stands between two
// mentions.
func joint(text string, a, b mention) bool {
	return a.end <= b.begin && !strings.Contains(text[a.end:b.begin], "\n") && conjunction.MatchString(text[a.end:b.begin])
}

// meant are the mentions that the text does not exclude.
func meant(list []mention) []mention {
	return slices.DeleteFunc(slices.Clone(list), func(m mention) bool { return m.negated })
}

// distinct names of mentions, in order.
func distinct(list []mention) (names []string) {
	for _, m := range list {
		if !slices.Contains(names, m.name) {
			names = append(names, m.name)
		}
	}
	return names
}

// onlyNames says whether a text has nothing but names and what joins them.
func onlyNames(part string, named []mention) bool {
	end := 0
	for _, m := range named {
		if m.begin < end || !conjunction.MatchString(part[end:m.begin]) {
			return false
		}
		end = m.end
	}
	return strings.Trim(part[end:], " .\n`\"'") == ""
}

// lastLine is the name that a text of several lines ends with, on a line of its
// own after lines that have more than names.
func (v *vocabulary) lastLine(part string) (mention, bool) {
	cut := strings.LastIndex(strings.TrimSpace(part), "\n") + 1
	named := meant(v.mentions(part[cut:]))
	if cut == 0 || len(named) != 1 || !onlyNames(part[cut:], named) || onlyNames(part[:cut], v.mentions(part[:cut])) {
		return mention{}, false
	}
	return named[0], true
}
