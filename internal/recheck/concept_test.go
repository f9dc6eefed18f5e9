package recheck

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

const (
	deskGlossary = "# Glossary\n\nWords.\n\n- **balance**: The money in an account.\n- **sum asked for**: The money that a customer wants.\n" +
		"- **look-up**: The act of finding an account.\n- **customer**: The person at the desk.\n"
	deskPermuted = "# Glossary\n\nWords.\n\n- **balance**: The person at the desk.\n- **sum asked for**: The money in an account.\n" +
		"- **look-up**: The money that a customer wants.\n- **customer**: The act of finding an account.\n"
)

func termAnswer(term string) object {
	return object{"text": term, "payload": text(object{"term": term})}
}

func termNegative(term string, proof object) object {
	n := termAnswer(term)
	proof["method"], proof["by_name"], proof["by_use"] = "name", 0.5, 0.5
	n["operator"], n["violation"], n["proof"], n["similarity"] = "substitution", proof["because"], proof, 0.5
	return n
}

func conceptRow(view, unit, context, question string, reference object, positive string, negatives ...object) object {
	row := format(deskRow(1, view), "term", question+"\n\nAnswer with the term alone.")
	row["meta"].(object)["unit"] = unit
	row["context"], row["reference"] = context, reference
	row["positive"], row["negatives"] = termAnswer(positive), negatives
	return row
}

func conceptRef(relation, subject, answer, source string, synonyms ...string) object {
	return object{"relation": relation, "subject": subject, "answers": []string{answer}, "synonyms": append([]string{}, synonyms...), "source": source}
}

func authoredRow() object {
	return conceptRow("definition", "authored", deskGlossary, "Which term is this? “the money in an account”",
		conceptRef("defines", "balance", "balance", "glossary:desk/balance", "funds held"), "balance",
		termNegative("sum asked for", object{"because": "confusable", "not_because": "The sum is what is asked for.", "means": "The money that a customer wants."}),
		termNegative("look-up", object{"because": "type", "types": []string{"value", "action"}, "means": "The act of finding an account."}))
}

func permutedRow() object {
	return conceptRow("discrimination", "exchanged", deskPermuted, "A line reads “Balance of ann: 12 USD”. Is it “balance” or “sum asked for”?",
		conceptRef("distinguishes", "balance", "sum asked for", "glossary:desk/balance"), "sum asked for",
		termNegative("balance", object{"because": "context", "means": "The person at the desk."}),
		termNegative("look-up", object{"because": "context", "means": "The money that a customer wants."}))
}

func TestConceptProblems(t *testing.T) {
	edited := func(row object, edit func(object)) object {
		edit(row)
		return row
	}
	proof := func(row object, edit func(object)) object {
		edit(row["negatives"].([]object)[0]["proof"].(object))
		return row
	}
	context := func(row object, old, now string) object {
		row["context"] = strings.Replace(row["context"].(string), old, now, 1)
		return row
	}
	swapped := func(row object) object {
		n := row["negatives"].([]object)[0]
		p := row["positive"].(object)
		row["positive"] = object{"text": n["text"], "payload": n["payload"]}
		n["text"], n["payload"] = p["text"], p["payload"]
		return row
	}
	negative := func(row object, term string) object {
		maps.Copy(row["negatives"].([]object)[0], termAnswer(term))
		return row
	}
	clerk := conceptRow("definition", "authored", deskGlossary+"- **clerk**: The person behind the desk.\n", "Which term is this? “the person at the desk”",
		conceptRef("defines", "customer", "customer", "glossary:desk/customer"), "customer",
		termNegative("clerk", object{"because": "type", "types": []string{"role", "role"}, "means": "The person behind the desk."}))
	for _, test := range []struct {
		name string
		row  object
		want []string
	}{
		{"nothing", authoredRow(), nil},
		{"nothing", permutedRow(), nil},
		{"positive and negative exchanged", swapped(authoredRow()), []string{"negative", "positive", "proof"}},
		{"the lexicon's answer where meanings are exchanged", swapped(permutedRow()), []string{"negative", "positive", "proof"}},
		{"a definition permuted back", context(context(permutedRow(), "**balance**: The person at the desk", "**balance**: The money in an account"),
			"**sum asked for**: The money in an account", "**sum asked for**: The person at the desk"), []string{"context", "negative", "positive", "proof", "reference"}},
		{"a synonym as negative", negative(authoredRow(), "funds held"), []string{"negative"}},
		{"a term that is nowhere", negative(authoredRow(), "clerk"), []string{"negative"}},
		{"what nothing decides", clerk, []string{"negative", "proof"}},
		{"a reason that nobody gave", proof(authoredRow(), func(p object) { p["not_because"] = "Because." }), []string{"proof"}},
		{"a type for a confusable", proof(authoredRow(), func(p object) { p["because"], p["types"] = "type", []string{"value", "value"} }), []string{"proof"}},
		{"another meaning", proof(authoredRow(), func(p object) { p["means"] = "The person at the desk." }), []string{"proof"}},
		{"answers too many", edited(authoredRow(), func(r object) { r["reference"].(object)["answers"] = []string{"balance", "look-up"} }), []string{"reference"}},
		{"a synonym forgotten", edited(authoredRow(), func(r object) { r["reference"].(object)["synonyms"] = []string{} }), []string{"reference"}},
		{"another subject", edited(authoredRow(), func(r object) { r["reference"].(object)["subject"] = "customer" }), []string{"reference"}},
		{"another relation", edited(authoredRow(), func(r object) { r["reference"].(object)["relation"] = "does" }), []string{"reference"}},
		{"a phrase of nothing", edited(authoredRow(), func(r object) {
			r["query"] = strings.Replace(r["query"].(string), "money", "gold", 1)
		}), []string{"query", "reference"}},
		{"a pair without the answer", edited(permutedRow(), func(r object) {
			r["query"] = strings.Replace(r["query"].(string), "“sum asked for”", "“look-up”", 1)
		}), []string{"query"}},
		{"a definition of nobody", context(authoredRow(), "The person at the desk.", "The person."), []string{"context"}},
		{"a line that is no entry", context(authoredRow(), "- **customer**", "customer"), []string{"context"}},
		{"a sentence for a term", edited(authoredRow(), func(r object) { r["positive"].(object)["text"] = "It is “balance”." }), []string{"text"}},
	} {
		if kinds, found := check(t, test.row); !slices.Equal(kinds, test.want) {
			t.Errorf("%s: found %v, want %v: %v", test.name, kinds, test.want, found)
		}
	}
}

func identifierRow(view, question, subject, answer, source string, negatives ...object) object {
	row := conceptRow(view, "authored", deskText, question, conceptRef(relations[view], subject, answer, source), answer, negatives...)
	return row
}

func TestIdentifierProblems(t *testing.T) {
	byContext := func(name, means string) object {
		return termNegative(name, object{"because": "context", "means": means})
	}
	wording := func(negatives ...object) object {
		return identifierRow("condition_wording", "“the customer is not known” Find the condition behind these words.", "known", "known", "conditions:desk/known", negatives...)
	}
	task := func(phrase, subject, answer string, negatives ...object) object {
		return identifierRow("tool_choice", "You want to "+phrase+". What do you call?", subject, answer, "actions:desk/"+subject, negatives...)
	}
	names := func(row object) object { // login and read exchange their names, in the text too
		row["meta"].(object)["names"] = object{"login": "read", "read": "login"}
		row["context"] = strings.NewReplacer("read the balance", "read the balance", "login", "read", "read", "login").Replace(deskText)
		return row
	}
	funds := task("find out whether “the balance covers the sum”", "read", "read", byContext("check", "look the customer up"))
	funds["reference"].(object)["answers"] = []string{"read", "statement"}
	tools := task("“sign the customer in”", "login", "login", byContext("refund", "pay money back"))
	tools["context"] = deskText + "\n\n---\n\n## Other calls\n\nMore.\n\n- **refund**: pay money back\n"
	for _, test := range []struct {
		name string
		row  object
		want []string
	}{
		{"nothing", wording(byContext("signed_in", "the customer has signed in"), termNegative("login", object{"because": "type", "types": []string{"fact", "call"}, "means": "sign the customer in"})), nil},
		{"nothing", task("“sign the customer in”", "login", "login", byContext("check", "look the customer up")), nil},
		{"nothing", names(task("“sign the customer in”", "login", "read", byContext("login", "read the balance of the customer"))), nil},
		{"nothing", funds, nil},
		{"nothing", tools, nil},
		{"the lexicon's name where names are exchanged", names(task("“sign the customer in”", "login", "login", byContext("read", "sign the customer in"))), []string{"negative", "positive", "reference"}},
		{"another way to find out as negative", task("find out whether “the balance covers the sum”", "read", "read", byContext("statement", "print the statement")), []string{"negative", "reference"}},
		{"a name that is nowhere", wording(byContext("vip", "the customer is a very good customer")), []string{"negative"}},
		{"another meaning", wording(byContext("signed_in", "the customer is known")), []string{"proof"}},
		{"a type that is the same", wording(termNegative("signed_in", object{"because": "type", "types": []string{"fact", "call"}, "means": "the customer has signed in"})), []string{"proof"}},
		{"another source", identifierRow("condition_wording", "“the customer is not known” Find the condition behind these words.", "known", "known", "actions:desk/known",
			byContext("signed_in", "the customer has signed in")), []string{"reference"}},
	} {
		if kinds, found := check(t, test.row); !slices.Equal(kinds, test.want) {
			t.Errorf("%s: found %v, want %v: %v", test.name, kinds, test.want, found)
		}
	}
}
