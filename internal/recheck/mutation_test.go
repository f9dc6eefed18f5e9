package recheck

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestMutations spoils real rows, one thing at a time: each has to be found, wherever a row has it.
func TestMutations(t *testing.T) {
	c, rows := sound(t)
	for _, m := range mutations {
		tried := map[string]int{}
		for _, line := range rows {
			s := takeApart(t, line)
			view := s.view()
			if tried[view] >= 6 || !m.spoil(s) {
				continue
			}
			tried[view]++
			line := s.line()
			found := c.block(block{lines: [][]byte{line}}).rows[0].findings
			if !slices.ContainsFunc(found, func(f finding) bool { return slices.Contains(m.kinds, f.kind) }) {
				t.Errorf("%s (%s %s): found %v, want %v", m.name, view, s.row["id"], found, m.kinds)
			}
		}
		if len(tried) == 0 {
			t.Errorf("%s: no row has it", m.name)
		}
		t.Logf("%s: %v", m.name, tried)
	}
}

// mutations each spoil one thing of a row and say by what kind it has to be found; false where the row has no such thing.
var mutations = []struct {
	name  string
	spoil func(*spoilt) bool
	kinds []string // any of these
}{
	{"the positive exchanged with a negative", func(s *spoilt) bool {
		n := maps.Clone(s.negatives[0])
		copyAnswer(s.negatives[0], s.positive)
		copyAnswer(s.positive, n)
		return true
	}, []string{"positive"}},
	{"the positive as a negative too", func(s *spoilt) bool {
		copyAnswer(s.negatives[0], s.positive)
		return true
	}, []string{"distinct"}},
	{"two negatives alike", func(s *spoilt) bool {
		copyAnswer(s.negatives[0], s.negatives[1])
		return true
	}, []string{"distinct"}},
	{"a text without its payload", func(s *spoilt) bool {
		s.positive["text"] = s.negatives[0]["text"]
		return true
	}, []string{"payload"}},
	{"a payload without its text", func(s *spoilt) bool {
		s.negatives[0]["payload"] = s.negatives[1]["payload"]
		return true
	}, []string{"payload"}},
	{"a proof for something else", func(s *spoilt) bool {
		s.negatives[0]["violation"] = "taste"
		return true
	}, []string{"violation", "proof"}},
	{"another format", func(s *spoilt) bool {
		s.row["query"] = "What now?\n\nAnswer with one sonnet."
		return true
	}, []string{"query"}},
	{"a view of another stage", func(s *spoilt) bool {
		s.row["view"] = map[bool]string{true: "graph", false: "workflow"}[s.row["stage"] != 3.0]
		return true
	}, []string{"row"}},

	// Stages 2 and 3: the procedure and the case.
	{"a demand that the text lacks", func(s *spoilt) bool {
		return s.meta["style"] == "pseudocode" && s.row["stage"] != 1.0 && s.replace("\nrequire ", "\n# require ")
	}, []string{"context"}},
	{"another source in the text", func(s *spoilt) bool {
		return s.meta["style"] == "pseudocode" && s.row["stage"] != 1.0 && s.replace("known from request", "known from deny")
	}, []string{"context"}},
	{"an order that the text does not demand", func(s *spoilt) bool {
		return s.row["stage"] != 1.0 && (s.replace(" and only then that ", " and next that ") || s.replace("in_order(", "all("))
	}, []string{"context"}},
	{"another threshold", func(s *spoilt) bool {
		before := s.row["context"].(string)
		s.row["context"] = regexp.MustCompile("((?:measured as|`)[a-z_ ]+ [<>]=? )([0-9]+)").ReplaceAllString(before, "${1}9$2")
		return s.row["context"] != before
	}, []string{"lexicon"}},
	{"another threshold in words", func(s *spoilt) bool {
		before := s.row["context"].(string)
		s.row["context"] = regexp.MustCompile("(, [0-9]+)( [a-zA-Z]+)? (\\(`)").ReplaceAllString(before, "${1}9$2 $3")
		return s.row["context"] != before
	}, []string{"lexicon"}},
	{"another comparison in words", func(s *spoilt) bool {
		return s.row["stage"] != 1.0 && (s.replace(" is at least ", " is at most ") || s.replace(" is less than ", " is at most "))
	}, []string{"lexicon"}},
	{"words of another condition", func(s *spoilt) bool {
		return s.row["stage"] != 1.0 && s.replace("has an account on record (", "has no account on record (")
	}, []string{"lexicon"}},
	{"a history that ends earlier", func(s *spoilt) bool {
		history, _ := s.reference["history"].([]any)
		if len(history) > 0 {
			s.reference["history"] = history[:len(history)-1]
		}
		return len(history) > 0
	}, []string{"history"}},
	{"a case that ends earlier", func(s *spoilt) bool {
		history, _ := s.reference["history"].([]any)
		if len(history) == 0 {
			return false
		}
		s.reference["history"] = history[:len(history)-1]
		before, log, _ := cutLast(s.row["context"].(string), contextBreak)
		lines := strings.Split(strings.TrimRight(log, "\n"), "\n")
		for len(lines) > 1 && !callLine.MatchString(lines[len(lines)-1]) {
			lines = lines[:len(lines)-1]
		}
		s.row["context"] = before + contextBreak + strings.Join(lines[:len(lines)-1], "\n") + "\n"
		return s.is("residual")
	}, []string{"positive", "residual"}},
	{"a call that was not made", func(s *spoilt) bool {
		return s.is("next_action", "residual") && (s.replace("\n1. `", "\n1. `not_") || s.replace("\n[1] `", "\n[1] `not_") || s.replace("\nCall 1: `", "\nCall 1: `not_"))
	}, []string{"case"}},
	{"a result that shows nothing", func(s *spoilt) bool {
		return s.is("next_action", "residual") && s.replace(": one entry found", ": an entry found")
	}, []string{"case"}},
	{"a record that was not asked for", func(s *spoilt) bool {
		history, _ := s.reference["history"].([]any)
		bindings, _ := s.reference["bindings"].(object)
		user, bound := bindings["username"].(string)
		facts, _ := s.reference["facts"].(object)
		_, has := facts["internal_check_username_exist"]
		return s.is("next_action", "residual") && bound && has && s.row["domain"] == "bank" && !slices.Contains(history, any("internal_check_username_exist")) &&
			s.replace("(`username`): "+user+"\n", "(`username`): "+user+"\n- Account directory for "+user+": one entry found\n")
	}, []string{"leak", "case"}},
	{"a fact turned round", func(s *spoilt) bool {
		facts, _ := s.reference["facts"].(object)
		if !s.is("workflow") {
			return false
		}
		name := sortedKeys(facts)[0]
		facts[name] = facts[name] != true
		return true
	}, []string{"case"}},

	// Stage 3.
	{"a workflow cut short", func(s *spoilt) bool {
		n := s.proven("witness")
		if n == nil {
			return false
		}
		w := n["proof"].(object)["witness"].(object)
		w["workflow"] = w["workflow"].([]any)[:len(w["workflow"].([]any))-1]
		return true
	}, []string{"workflow"}},
	{"a witness without a fact", func(s *spoilt) bool {
		n := s.proven("witness")
		if n == nil {
			return false
		}
		facts := n["proof"].(object)["witness"].(object)["facts"].(object)
		delete(facts, sortedKeys(facts)[0])
		return true
	}, []string{"witness"}},
	{"a witness of the other graph", func(s *spoilt) bool {
		n := s.proven("witness")
		if n == nil {
			return false
		}
		p := n["proof"].(object)
		p["accepted_by"] = map[any]string{"positive": "negative", "negative": "positive"}[p["accepted_by"]]
		return true
	}, []string{"witness"}},
	{"a workflow that both graphs refuse", func(s *spoilt) bool {
		n := s.proven("witness")
		if n == nil {
			return false
		}
		w := n["proof"].(object)["witness"].(object)
		w["workflow"] = append([]any{"made_up"}, w["workflow"].([]any)...)
		return true
	}, []string{"workflow"}},
	{"a goal that is permitted after all", func(s *spoilt) bool {
		n := s.proven("witness")
		if n == nil || n["proof"].(object)["accepted_by"] != "negative" ||
			slices.Contains(n["proof"].(object)["witness"].(object)["workflow"].([]any), any("deny")) {
			return false // who refuses may permit nobody
		}
		n["violation"], n["proof"] = "unsatisfiable", object{"unsatisfiable": true, "edits": []string{}}
		return true
	}, []string{"negative"}},
	{"a circle left open", func(s *spoilt) bool {
		n := s.proven("cycle")
		if n == nil {
			return false
		}
		p := n["proof"].(object)
		p["cycle"] = p["cycle"].([]any)[:len(p["cycle"].([]any))-1]
		return true
	}, []string{"negative"}},
	{"a circle through calls that do not need each other", func(s *spoilt) bool {
		n := s.proven("cycle")
		if n == nil {
			return false
		}
		p := n["proof"].(object)
		p["cycle"] = []any{p["cycle"].([]any)[0], "made_up", p["cycle"].([]any)[0]}
		return true
	}, []string{"negative"}},
	{"an edge of a circle dropped", func(s *spoilt) bool {
		n := s.proven("cycle")
		if n == nil {
			return false
		}
		p, cycle := payload(n), n["proof"].(object)["cycle"].([]any)
		p["edges"] = slices.DeleteFunc(p["edges"].([]any), func(e any) bool { return slices.Equal(e.([]any), cycle[:2]) })
		n["payload"] = text(p)
		return true
	}, []string{"edges"}},
	{"an edge turned round", func(s *spoilt) bool {
		p := payload(s.positive)
		edges, _ := p["edges"].([]any)
		if s.row["stage"] != 3.0 || len(edges) == 0 {
			return false
		}
		slices.Reverse(edges[0].([]any))
		s.positive["payload"] = text(p)
		return true
	}, []string{"edges"}},
	{"a requirement left out", func(s *spoilt) bool {
		p := payload(s.positive)
		goal, _ := s.reference["goal"].(string)
		if s.row["stage"] != 3.0 || s.meta["format"] != "json" {
			return false
		}
		p["requires"].(object)[goal] = nil
		s.positive["payload"], s.positive["text"] = text(p), text(p)
		return true
	}, []string{"payload"}},

	// Stage 1.
	{"a synonym as negative", func(s *spoilt) bool {
		synonyms, _ := s.reference["synonyms"].([]any)
		if len(synonyms) == 0 || s.meta["format"] != "term" {
			return false
		}
		copyAnswer(s.negatives[0], object{"text": synonyms[0], "payload": text(object{"term": synonyms[0]})})
		return true
	}, []string{"negative"}},
	{"definitions permuted back", func(s *spoilt) bool {
		n := s.negatives[0]
		if s.meta["unit"] != "exchanged" || !s.is("definition", "application", "discrimination") {
			return false
		}
		right, other := payload(s.positive)["term"].(string), payload(n)["term"].(string)
		s.row["context"] = strings.NewReplacer("**"+right+"**", "**"+other+"**", "**"+other+"**", "**"+right+"**").Replace(s.row["context"].(string))
		return true
	}, []string{"positive"}},
	{"names exchanged back", func(s *spoilt) bool {
		n := s.negatives[0]
		right, other := payload(s.positive)["term"], payload(n)["term"]
		if !s.is("tool_choice", "condition_wording") || strings.Contains(text(right)+text(other), "(") || n["violation"] != "context" {
			return false
		}
		s.row["context"] = exchangeWords(s.row["context"].(string), right.(string), other.(string))
		return true
	}, []string{"positive", "lexicon", "context"}},
	{"another reason", func(s *spoilt) bool {
		n := s.proven("confusable")
		if n == nil {
			return false
		}
		n["proof"].(object)["not_because"] = "It is not so."
		return true
	}, []string{"proof"}},
	{"a reason for what the context says", func(s *spoilt) bool {
		n := s.proven("context")
		if n == nil || s.row["stage"] != 1.0 {
			return false
		}
		n["violation"], n["proof"].(object)["because"] = "confusable", "confusable"
		return true
	}, []string{"proof"}},
	{"other types", func(s *spoilt) bool {
		n := s.proven("type")
		if n == nil {
			return false
		}
		slices.Reverse(n["proof"].(object)["types"].([]any))
		return true
	}, []string{"proof"}},
	{"a meaning that the context does not give", func(s *spoilt) bool {
		if s.row["stage"] != 1.0 {
			return false
		}
		s.negatives[0]["proof"].(object)["means"] = "Something else."
		return true
	}, []string{"proof"}},
	{"an answer more", func(s *spoilt) bool {
		answers, is := s.reference["answers"].([]any)
		if is {
			s.reference["answers"] = append(answers, payload(s.negatives[0])["term"])
		}
		return is
	}, []string{"reference"}},
	{"another subject", func(s *spoilt) bool {
		_, is := s.reference["subject"]
		s.reference["subject"] = "made_up"
		return is && s.row["stage"] == 1.0
	}, []string{"reference"}},
	{"words of nothing", func(s *spoilt) bool {
		if s.row["stage"] != 1.0 || s.is("condition_wording", "tool_choice") {
			return false
		}
		before := s.row["query"].(string)
		question, format, _ := strings.Cut(before, "\n\n")
		i := strings.LastIndex(question, "“") + len("“")
		if s.is("discrimination") {
			return false
		}
		s.row["query"] = question[:i] + "made up " + question[i:] + "\n\n" + format // at its end a value could stand
		return true
	}, []string{"query"}},
}
