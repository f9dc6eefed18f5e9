package text

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strings"

	"github.com/fmsop/fmsop/sop"
)

// WorkflowFormats are the ways in which a workflow is written: numbered
// steps, a chain of arrows, JSON calls, a plan in sentences.
var WorkflowFormats = []string{"steps", "arrow", "json", "prose"}

// ansNothing stands for a workflow without any item.
const ansNothing = "(nothing is called)"

// RenderWorkflow writes w in one of WorkflowFormats (any other counts as the
// first). Items are written as instance names, f(username=payee); in JSON the
// arguments are the renamed ones.
func RenderWorkflow(format string, w sop.Workflow, rng *rand.Rand) string {
	if len(w) == 0 && format != "json" {
		return ansNothing
	}
	switch format {
	case "arrow":
		return ansArrow(w, rng)
	case "json":
		return ansWorkflowJSON(w, rng)
	case "prose":
		return ansProse(w, rng)
	}
	return ansSteps(w, rng)
}

func ansSteps(w sop.Workflow, rng *rand.Rand) string {
	number := scnPick(rng, []string{"%d. ", "%d. ", "%d) ", "Step %d: "})
	step, end := "`%s`", "`%s`"
	if rng.IntN(2) == 0 {
		step = scnPick(rng, []string{"Call `%s`", "Run `%s`", "Call `%s`."})
		end = scnPick(rng, []string{"End with `%s`", "Finish with `%s`"})
		if strings.HasSuffix(step, ".") {
			end += "."
		}
	}
	var lines []string
	for i, item := range w {
		form := step
		if i == len(w)-1 {
			form = end
		}
		lines = append(lines, fmt.Sprintf(number+form, i+1, item))
	}
	return strings.Join(lines, "\n")
}

func ansArrow(w sop.Workflow, rng *rand.Rand) string {
	arrow := scnPick(rng, []string{" -> ", " -> ", " → "})
	if rng.IntN(2) == 0 {
		return strings.Join(w, arrow)
	}
	return "`" + strings.Join(w, "`"+arrow+"`") + "`"
}

func ansWorkflowJSON(w sop.Workflow, rng *rand.Rand) string {
	items := make([]string, len(w))
	for i, item := range w {
		base, args := item, map[string]string{}
		if n, err := sop.ParseName(item); err == nil {
			base = n.Base
			if n.Args != nil {
				args = n.Args
			}
		}
		items[i] = `{"name": ` + scnJSON(base) + `, "arguments": ` + scnJSON(args) + "}"
	}
	if rng.IntN(2) == 0 || len(items) == 0 {
		return "[" + strings.Join(items, ", ") + "]"
	}
	return "[\n  " + strings.Join(items, ",\n  ") + "\n]"
}

var (
	ansFirst  = []string{"First call %s", "Start with %s", "Begin with %s", "The first call is %s", "Open with %s"}
	ansJoined = []string{", then call %s", ", followed by %s", " and then %s"}
	ansNext   = []string{"Next, call %s", "After that, call %s", "Then comes %s", "Continue with %s", "Now run %s", "The call after it is %s"}
	ansLast   = []string{"Finally, end with %s", "Close the request with %s", "The procedure then ends with %s", "Finish with %s"}
	ansAtOnce = []string{"End at once with %s.", "Go straight to %s.", "Answer with %s right away.", "Close the request with %s."}
)

func ansProse(w sop.Workflow, rng *rand.Rand) string {
	quote := func(form, item string) string { return fmt.Sprintf(form, "`"+item+"`") }
	if len(w) == 1 {
		return quote(scnPick(rng, ansAtOnce), w[0])
	}
	var b strings.Builder
	b.WriteString(quote(scnPick(rng, ansFirst), w[0]))
	joined := false // the sentence already has two calls
	next := rng.IntN(len(ansNext))
	for _, item := range w[1 : len(w)-1] {
		if joined = !joined && rng.IntN(2) == 0; joined {
			b.WriteString(quote(scnPick(rng, ansJoined), item))
			continue
		}
		b.WriteString(". " + quote(ansNext[next%len(ansNext)], item))
		next += 1 + rng.IntN(len(ansNext)-1) // never the same twice in a row
	}
	b.WriteString(". " + quote(scnPick(rng, ansLast), w[len(w)-1]) + ".")
	return b.String()
}

// ReadWorkflow reads an answer in one of WorkflowFormats. Names that no
// procedure has are kept. It allows code fences, bold, backticks, bullets in
// place of numbers, full stops and text before the first step; an answer that
// can be read in two ways is an error.
func ReadWorkflow(format, text string) (sop.Workflow, error) {
	if strings.TrimSpace(text) == ansNothing {
		return sop.Workflow{}, nil
	}
	switch format {
	case "steps":
		return ansReadSteps(ansClean(text))
	case "arrow":
		return ansReadArrow(ansClean(text))
	case "json":
		return ansReadWorkflowJSON(text)
	case "prose":
		return ansReadProse(ansClean(text))
	}
	return nil, fmt.Errorf("unknown format %q, want one of %s", format, strings.Join(WorkflowFormats, ", "))
}

var (
	ansNumbered = regexp.MustCompile(`^\s*(?:#+\s*)?(?:[Ss]tep\s+)?([0-9]{1,4})\s*[.):]\s*(.*)$`)
	ansVerb     = regexp.MustCompile(`(?i)^(?:(?:first|then|next|finally|lastly),?\s+)?(?:call|run|use|execute|invoke|perform|(?:end|finish|close)(?: the request)? (?:with|by calling))\s+`)
	ansRemark   = regexp.MustCompile(`\s+(?:-|–|—)\s|:\s`)
)

const ansWantStep = "want one call in backticks a step, such as 1. `name`"

// ansReadSteps takes the numbered lines, or else the bullets, or else every
// line, provided that each is a step.
func ansReadSteps(text string) (sop.Workflow, error) {
	lines := strings.Split(text, "\n")
	numbered, bulleted := false, false
	for _, line := range lines {
		numbered = numbered || ansNumbered.MatchString(line)
		_, b := scnBullet(strings.TrimSpace(line))
		bulleted = bulleted || b
	}
	var w sop.Workflow
	for _, line := range lines {
		body, isStep := line, strings.TrimSpace(line) != ""
		if numbered {
			m := ansNumbered.FindStringSubmatch(line)
			if isStep = m != nil; isStep {
				if m[1] != fmt.Sprint(len(w)+1) {
					return nil, fmt.Errorf("the step %q has another number than %d, want one plan, numbered from 1", ansShort(line), len(w)+1)
				}
				body = m[2]
			}
		} else if bulleted {
			body, isStep = scnBullet(strings.TrimSpace(line))
		}
		if !isStep {
			if len(w) > 0 && ansLooksLikeStep(line) {
				return nil, fmt.Errorf("the line %q stands among the steps but is none, want every step in the same form", ansShort(line))
			}
			continue
		}
		item, err := ansStepItem(body)
		if err != nil {
			return nil, err
		}
		w = append(w, item)
	}
	if len(w) == 0 {
		return nil, fmt.Errorf("the answer %q has no step, %s", ansShort(text), ansWantStep)
	}
	return w, nil
}

func ansLooksLikeStep(line string) bool {
	if len(ansSpans(line)) > 0 {
		return true
	}
	bare := ansBare(ansVerb.ReplaceAllString(strings.TrimSpace(line), ""))
	_, err := sop.ParseName(bare)
	return err == nil
}

func ansStepItem(body string) (string, error) {
	body = strings.TrimSpace(body)
	if spans := ansSpans(body); len(spans) > 0 {
		for _, s := range spans[1:] {
			if s != spans[0] {
				return "", fmt.Errorf("the step %q has both %q and %q in backticks, %s", ansShort(body), spans[0], s, ansWantStep)
			}
		}
		if before, _, _ := strings.Cut(body, "`"); ansNegated.MatchString(before) {
			return "", fmt.Errorf("the step %q may rule its call out, %s", ansShort(body), ansWantStep)
		}
		return ansItem(spans[0])
	}
	body = ansVerb.ReplaceAllString(body, "")
	if cut := ansRemark.FindStringIndex(body); cut != nil {
		body = body[:cut[0]]
	}
	item, err := ansItem(ansBare(body))
	if err != nil {
		return "", fmt.Errorf("the step %q is no call, %s", ansShort(body), ansWantStep)
	}
	return item, nil
}

func ansItem(s string) (string, error) {
	n, err := sop.ParseName(s)
	if err != nil {
		return "", err
	}
	return n.String(), nil
}

var ansArrows = regexp.MustCompile(`\s*(?:-+>|=+>|→|⟶|➔|⇒)\s*`)

func ansReadArrow(text string) (sop.Workflow, error) {
	const want = "want one chain such as name -> name -> deny"
	var chain []string
	open := false // the chain goes on in the next line
	ended := false
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		arrows := ansArrows.FindAllStringIndex(line, -1)
		starts := len(arrows) > 0 && arrows[0][0] == 0
		switch {
		case len(arrows) == 0 && !open:
			ended = ended || len(chain) > 0
			continue
		case chain != nil && !open && (!starts || ended):
			return nil, fmt.Errorf("the answer has a second chain %q, %s", ansShort(line), want)
		}
		parts := ansArrows.Split(line, -1)
		if starts && len(chain) > 0 {
			parts = parts[1:]
		}
		if open = parts[len(parts)-1] == ""; open {
			parts = parts[:len(parts)-1]
		}
		if len(chain) == 0 && len(parts) > 0 {
			if after := ansAfterColon(parts[0]); after != "" {
				parts[0] = after
			}
		}
		chain = append(chain, parts...)
	}
	if len(chain) == 0 {
		one := ansBare(text)
		if after := ansAfterColon(text); after != "" && !strings.Contains(text, "\n") {
			one = ansBare(after)
		}
		chain = []string{one}
	}
	if open {
		return nil, fmt.Errorf("the chain ends in an arrow, %s", want)
	}
	var w sop.Workflow
	for _, part := range chain {
		item, err := ansItem(ansBare(part))
		if err != nil {
			return nil, fmt.Errorf("the chain has %q, %s", ansShort(part), want)
		}
		w = append(w, item)
	}
	return w, nil
}

func ansReadWorkflowJSON(text string) (sop.Workflow, error) {
	const want = `want one array of {"name": …, "arguments": {parameter: source}}`
	var found []sop.Workflow
	var firstErr error
	for _, value := range ansJSONValues(text) {
		if object, ok := value.(map[string]any); ok && len(object) == 1 {
			for _, inner := range object { // {"workflow": […]}
				value = inner
			}
		}
		list, ok := value.([]any)
		if !ok {
			continue
		}
		w, err := ansWorkflowOf(list)
		if err == nil {
			found = append(found, w)
		} else if firstErr == nil {
			firstErr = err
		}
	}
	switch {
	case len(found) == 0 && firstErr != nil:
		return nil, fmt.Errorf("%w, %s", firstErr, want)
	case len(found) == 0:
		return nil, fmt.Errorf("the answer %q has no JSON array, %s", ansShort(text), want)
	}
	for _, w := range found[1:] {
		if !reflect.DeepEqual(w, found[0]) {
			return nil, fmt.Errorf("the answer has %d different arrays, %s", len(found), want)
		}
	}
	return found[0], nil
}

func ansWorkflowOf(list []any) (sop.Workflow, error) {
	w := sop.Workflow{}
	for i, e := range list {
		if s, ok := e.(string); ok {
			item, err := ansItem(s)
			if err != nil {
				return nil, err
			}
			w = append(w, item)
			continue
		}
		name, args, ok := ansCallObject(e)
		if !ok {
			data, _ := json.Marshal(e)
			return nil, fmt.Errorf("item %d of the array is %s", i, ansShort(string(data)))
		}
		n, err := sop.ParseName(name)
		if err != nil {
			return nil, err
		}
		if len(args) > 0 && n.Args != nil {
			return nil, fmt.Errorf("item %d of the array gives the arguments of %s twice", i, n.Base)
		}
		for _, p := range scnKeys(args) {
			source, isString := args[p].(string)
			if !isString || !sop.IsIdentifier(source) || !sop.IsIdentifier(p) {
				return nil, fmt.Errorf("item %d of the array fills %s of %s from %s, which is no parameter", i, p, n.Base, ansShort(scnJSON(args[p])))
			}
			if n.Args == nil {
				n.Args = map[string]string{}
			}
			n.Args[p] = source
		}
		w = append(w, n.String())
	}
	return w, nil
}

// ansReadProse takes everything in backticks, in the order of the text. A
// mention whose clause may turn its order or its sense around is an error.
func ansReadProse(text string) (sop.Workflow, error) {
	const want = "want a plan that has each call in backticks, in the order of the calls, and nothing else in backticks"
	parts := strings.Split(text, "`")
	if len(parts) < 3 || len(parts)%2 == 0 {
		return nil, fmt.Errorf("the answer %q has no calls in backticks, or an open one, %s", ansShort(text), want)
	}
	var w sop.Workflow
	for i := 1; i < len(parts); i += 2 {
		clause := parts[i-1]
		if cut := strings.LastIndexAny(clause, ".;!?\n"); cut >= 0 {
			clause = clause[cut+1:]
		}
		if word := ansNegated.FindString(clause); word != "" {
			return nil, fmt.Errorf("%q before `%s` leaves open whether or when it is called, %s", strings.TrimSpace(word), parts[i], want)
		}
		item, err := ansItem(parts[i])
		if err != nil {
			return nil, fmt.Errorf("the answer has `%s` in backticks, %s", ansShort(parts[i]), want)
		}
		w = append(w, item)
	}
	return w, nil
}
