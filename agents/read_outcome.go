package agents

import (
	"regexp"
	"slices"
	"strings"

	"github.com/fmsop/fmsop/sop"
)

var announcesEnd = announcing(verdictWords + `|end|outcome`)

// scoreOutcome wants one of two ends, or yes or no.
func (a *asking) scoreOutcome(g given) finding {
	key := a.question.Key.Value[0]
	whole := unwrapped(g.text)
	parts := []string{concluded(whole, announcesEnd), whole}
	said := ""
	if key == "yes" || key == "no" {
		for _, part := range parts {
			if said = yesOrNo(part); said != "" {
				break
			}
		}
	} else {
		goal := key
		for _, end := range ends(a.question) {
			if end != sop.Deny && end != "yes" && end != "no" {
				goal = end
			}
		}
		for _, m := range g.calls {
			if m.name == goal || m.name == sop.Deny {
				said = m.name
			}
		}
		for _, part := range parts {
			if said == "" {
				said = a.end(part, goal)
			}
		}
	}
	if said == "" {
		return nought("undecided")
	}
	return a.is(said, []string{key})
}

// end is the end that a text decides on, "" where it decides on none: the one
// that it names, else what it says of the request.
func (a *asking) end(part, goal string) string {
	named := slices.DeleteFunc(a.names.mentions(part), func(m mention) bool { return m.name != goal && m.name != sop.Deny })
	kept := meant(named)
	list := distinct(kept)
	if len(list) == 2 {
		return a.lastNamed(part, goal)
	}
	fated := fate(part, goal)
	switch {
	case len(list) == 1 && list[0] == goal && fated == sop.Deny && !standsAlone(part, kept[0]):
		return sop.Deny // the request is named, and refused
	case len(list) == 1 && (list[0] == sop.Deny || len(strings.Fields(part)) <= shortReply || strings.Contains(part, goal)):
		return list[0]
	case len(list) == 0 && slices.Equal(distinct(named), []string{goal}):
		return sop.Deny // the request is named as what is not done
	}
	return fated
}

// standsAlone says whether a text begins with a name that is not the subject of
// a sentence.
func standsAlone(part string, m mention) bool {
	return strings.Trim(part[:m.begin], " \n\"'`(*_#>-") == "" && alone.MatchString(part[m.end:])
}

var (
	alone   = regexp.MustCompile("(?i)^[\\s\"'`)]*(?:$|[.,:;!(\n–—-]|because\\b|since\\b|as\\b)")
	decides = regexp.MustCompile(`(?i)\b(?:so|therefore|thus|hence|must|should|ends?|is|final|have to|has to)\b|→|=>|->`)
)

// lastNamed is the one end that the last line is, or that the last sentence
// which names any decides on.
func (a *asking) lastNamed(part, goal string) string {
	if m, ok := a.names.lastLine(part); ok && (m.name == goal || m.name == sop.Deny) {
		return m.name
	}
	for _, s := range slices.Backward(sentences(part)) {
		named := slices.DeleteFunc(a.names.mentions(s), func(m mention) bool { return m.name != goal && m.name != sop.Deny })
		if len(named) == 0 {
			continue
		}
		if list := distinct(meant(named)); len(list) == 1 && decides.MatchString(s) {
			return list[0]
		}
		break
	}
	return ""
}

// shortReply has so few words that a goal in it is no mere mention.
const shortReply = 12

var (
	refusal = regexp.MustCompile(`(?i)\b(?:cannot|can not|unable|unsuccessful|incorrect|insufficient|invalid|ineligible|impossible|expired|` +
		`fail(?:s|ed|ure)?|den(?:y|ies|ied)|refus(?:e|es|ed|al)|reject(?:s|ed)?|decline[sd]?|already exists?|already registered|exceeds?|(?:is|are|than) below|too (?:low|high|late|early|many)|without success|` +
		`no (?:\w+ ){0,3}(?:function|way|slots)|no \w+ is (?:needed|required))\b|(?:\bnot|n't) (?:be )?(?:able|exist|meet|met|match|own|support|have|correct|recognized|accepted|eligible|permitted|allowed|approved|granted|authorized|possible|valid|` +
		`registered|found|authenticat\w*|successful|satisf\w*|log|proceed|process\w*|complete\w*|carried|help|assist|associated|the owner|hold|exceed|qualify|update|fulfill?)\b|\b(?:can|could|wo)n't\b`)
	success = regexp.MustCompile(`(?i)\bsuccess(?:ful|fully)?\b|\b(?:completed?|approved|granted|fulfilled|processed|retrieved|verified|carried out|confirmed|renewed|updated|registered|scheduled|cancell?ed|transferred|opened|closed|permitted|allowed|lent|validated)\b|` +
		`\bwill receive\b|\bis (?:correct|eligible)\b|\b(?:may|can|should) (?:proceed|be carried out|go ahead)\b|\bdone\b`)
	unmet    = regexp.MustCompile(`(?i)\b(?:before|until|once|unless) (?:\w+ ){1,3}(?:can|may|proceed|be)\b`)
	undone   = regexp.MustCompile(`(?i)\b(?:not|never|n't|no reason to|no need to)\s+(?:be\s+|have\s+to\s+)?(?:den(?:y|ied)|refused?|rejected?|declined?)\b|n't (?:deny|refuse|reject|decline)\b`)
	offers   = regexp.MustCompile(`(?i)^\W*(?:if (?:you|there)|please|let me know|feel free|would you|could you|is there anything|thank|to (?:proceed|get started)|before (?:i|we)|in order|i(?:'ll| will| should| need to| must)? (?:also )?need to (?:log|verify|confirm|make sure|check)|i'll need|i still need)\b|\?\s*$`)
	declines = regexp.MustCompile(`(?i)\b(?:sorry|apologi[sz]e|cannot|can't|unable)\b.*\b(?:help|assist|answer|comply|do that|continue|decide|judge|determine|(?:make|give) (?:this|that|the|a) (?:decision|answer))\b(?: you)?(?: further)?(?: with)?(?: (?:that|this|it|you|handling|answering))?(?: \w+)?(?: \w+)?[\s.!]*$`)
	logged   = regexp.MustCompile(`(?i)\b(log|sign)(?:ged|ging|ned|ning)?[ -](in|out)\b`)
	general  = regexp.MustCompile(`(?i)\b(?:requests?|tasks?|actions?|transactions?|procedures?|cases?|applications?|payments?|operations?|process|appointments?)\b`)
	asksFor  = regexp.MustCompile(`^(?:get|show|check|find|list|view|look)_`)
)

// fate is what becomes of a request by the words of a reply: the last sentence
// that tells decides. Offers, questions and demands tell nothing.
func fate(part, goal string) string {
	if len(strings.Fields(part)) <= 20 && declines.MatchString(part) {
		return "" // it refuses to answer
	}
	said := ""
	figures := false
	for _, s := range sentences(part) {
		if strings.TrimSpace(s) == "" || offers.MatchString(strings.TrimSpace(s)) {
			continue
		}
		s = logged.ReplaceAllString(s, "$1$2")
		switch {
		case undone.MatchString(s):
		case refusal.MatchString(s):
			said = sop.Deny
		case success.MatchString(s) && !unmet.MatchString(s) && concerns(s, goal):
			said = goal
		}
		figures = figures || strings.ContainsAny(s, "0123456789")
	}
	if said == "" && figures && asksFor.MatchString(goal) {
		return goal // what was asked for is told
	}
	return said
}

// concerns says whether a sentence speaks of what the goal does, or of the
// request as a whole.
func concerns(s, goal string) bool {
	if general.MatchString(s) {
		return true
	}
	parts := strings.Split(goal, "_")
	for _, w := range wordOf.FindAllString(strings.ToLower(s), -1) {
		for _, p := range parts {
			n := min(len(p), len(w), 5)
			if n >= 3 && !slices.Contains([]string{"get", "set", "user", "internal"}, p) && p[:n] == w[:n] {
				return true
			}
		}
	}
	return false
}

var (
	bothWays = regexp.MustCompile(`(?i)\byes\b\W*(?:and|or|/)\W*no\b|\bno\b\W*(?:and|or|/)\W*yes\b`)
	opens    = regexp.MustCompile(`(?i)^\W*(yes|no|true|false|correct|incorrect|not at all|never|certainly|indeed)\b`)
	lone     = regexp.MustCompile(`(?i)(?:^|[:,.\n]|\bis|\banswer)\s*(yes|no)\s*(?:[.!,]|$)`)
	denies   = regexp.MustCompile(`(?i)\b(?:not|n't|never|cannot)\b(?: \w+){0,2} (?:hold|holds|met|true|satisfied|fulfilled|mention|mentioned|asked?|required?|part|play|high enough)\b|\b(?:does|do|did) not\b|\b(?:false|violated|fails|unmet)\b`)
	affirms  = regexp.MustCompile(`(?i)\b(?:hold|holds|met|true|satisfied|fulfilled|do ask|does ask|asked|required|mentioned|part of)\b`)
)

// yesOrNo is what a text answers, "" where it answers neither.
func yesOrNo(part string) string {
	if bothWays.MatchString(part) {
		return ""
	}
	if m := opens.FindStringSubmatch(part); m != nil {
		return yesNo(slices.Contains([]string{"yes", "true", "correct", "certainly", "indeed"}, strings.ToLower(m[1])))
	}
	if all := lone.FindAllStringSubmatch(part, -1); all != nil {
		return strings.ToLower(all[len(all)-1][1])
	}
	if declines.MatchString(part) && len(strings.Fields(part)) <= 20 {
		return ""
	}
	switch {
	case denies.MatchString(part):
		return "no"
	case affirms.MatchString(part):
		return "yes"
	}
	return ""
}
