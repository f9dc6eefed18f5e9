package recheck

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"
)

// A domain made by hand: a desk where an account is looked up, a customer signs in, the balance is read, and money is paid
// out. The account has to be known before the funds are; a statement shows the funds too.

type object = map[string]any

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func deskLexicon() object {
	return object{
		"domain": "desk", "title": "Desk",
		"parameters": object{"user": object{"noun": "the customer", "label": "User"}, "sum": object{"noun": "the sum", "label": "Sum"}},
		"thresholds": object{"least": object{"default": 5, "text": "the least sum"}},
		"values": object{
			"balance": object{"parameters": []string{"user"}, "unit": "USD", "min": 0, "max": 9000, "step": 0.01,
				"text": "the balance of {user}", "record": "Balance of {user}: {value}"},
			"sum": object{"stated": true, "unit": "USD", "min": 1, "max": 9000, "step": 0.01, "text": "the sum"},
		},
		"conditions": object{
			"known":     object{"parameters": []string{"user"}, "established_by": "check", "text": "{user} is known", "negated": "{user} is not known", "record_true": "Directory, {user}: found", "record_false": "Directory, {user}: not found"},
			"signed_in": object{"parameters": []string{"user"}, "established_by": "login", "depends_on": "known", "text": "{user} has signed in", "negated": "{user} has not signed in", "record_true": "Sign-in of {user}: accepted", "record_false": "Sign-in of {user}: rejected"},
			"funds":     object{"parameters": []string{"user", "sum"}, "established_by": object{"any": []string{"read", "statement"}}, "compare": "balance >= sum", "text": "the balance covers the sum", "negated": "the balance does not cover the sum"},
			"vip":       object{"parameters": []string{"user"}, "established_by": "check", "depends_on": "known", "text": "{user} is a very good customer", "negated": "{user} is no very good customer"},
		},
		"actions": object{
			"check": object{"parameters": []string{"user"}, "text": "look {user} up"}, "login": object{"parameters": []string{"user"}, "text": "sign {user} in"},
			"statement": object{"text": "print the statement"}, "read": object{"parameters": []string{"user"}, "text": "read the balance of {user}"},
			"pay": object{"parameters": []string{"user", "sum"}, "text": "pay {sum} to {user}"}, "refund": object{"text": "pay money back"},
		},
		"glossary": []any{
			object{"term": "balance", "definition": "The money in an account.", "type": "value", "of": "balance", "used_in": []string{"pay"}, "synonyms": []string{"funds held"},
				"confusables": []any{object{"term": "sum asked for", "not_because": "The sum is what is asked for."}}},
			object{"term": "sum asked for", "definition": "The money that a customer wants.", "type": "value", "of": "sum", "used_in": []string{"pay"},
				"confusables": []any{object{"term": "balance", "not_because": "The balance is what is there."}}},
			object{"term": "look-up", "definition": "The act of finding an account.", "type": "action", "of": "check", "used_in": []string{"pay"}},
			object{"term": "customer", "definition": "The person at the desk.", "type": "role", "used_in": []string{"pay"}},
			object{"term": "clerk", "definition": "The person behind the desk.", "type": "role", "used_in": []string{"pay"}},
		},
	}
}

func deskRule() object {
	return object{"all": []any{object{"seq": []any{"known", "funds"}}, "signed_in"}}
}

func deskReference() object {
	return object{
		"requires":       object{"check": nil, "login": nil, "statement": nil, "read": "signed_in", "pay": deskRule()},
		"established_by": object{"known": "check", "signed_in": "login", "funds": object{"any": []any{"read", "statement"}}},
		"depends_on":     object{"signed_in": "known"}, "excludes": []any{}, "effects": object{},
		"facts":    object{"known": true, "signed_in": true, "funds": true},
		"values":   object{"balance": 1234, "sum": 1200.5},
		"outcomes": []any{object{"end": "pay", "tree": deskRule()}, object{"end": "deny", "tree": nil}},
		"goal":     "pay", "history": []string{}, "bindings": object{"user": "ann", "sum": 1200.5},
		"parameters": object{
			"check": object{"user": "user"}, "login": object{"user": "user"}, "statement": object{}, "read": object{"user": "user"},
			"pay": object{"user": "user", "sum": "sum"},
		},
	}
}

const deskText = `# Listing: Pay

## Listing

` + "```" + `
procedure pay  # pay the sum to the customer; takes user, sum

require in_order(known, funds)
require signed_in  # the customer has signed in
when all rules hold: end pay
when rules can no longer all hold: end deny

fact known  # the customer is known
  known from check
fact signed_in  # the customer has signed in
  known from login
  possible if known
fact funds  # the balance covers the sum
  known from read or statement
  measured as balance >= sum  # the balance of the customer is at least the sum

call check  # look the customer up; takes user
  needs nothing
call login  # sign the customer in; takes user
  needs nothing
call statement  # print the statement
  needs nothing
call read  # read the balance of the customer; takes user
  needs signed_in
call pay  # pay the sum to the customer; takes user, sum
  needs all rules
value balance in USD  # the balance of the customer
value sum in USD  # the sum, as stated in the request
` + "```" + `
`

const (
	deskRequest = "\n\n---\n\nTicket 1 | Pay\n\nFree text:\n> Pay me $9.\n\n**Form fields**\n- User (`user`): ann\n- Sum (`sum`): $1,200.50\n"
	deskRecords = "\n**Findings**\n- Directory, ann: found\n- Balance of ann: $1,234.00\n- Sign-in of ann: accepted\n"
)

func deskRow(stage int, view string) object {
	row := object{
		"id": fmt.Sprintf("s%d-desk-pay-%s", stage, view), "stage": stage, "task": stages[stage].task, "view": view, "domain": "desk",
		"procedure": "pay", "split": "train",
		"meta": object{"generator": "1", "seed": 1, "job": "", "unit": "", "centred": false, "style": "", "scenario_style": "", "format": "",
			"query": view + "/train/0/x/0", "rules": []any{}, "thresholds": object{}, "names": object{}, "source": ""},
		"reference": deskReference(),
	}
	return row
}

func format(row object, format, query string) object {
	row["meta"].(object)["format"], row["query"] = format, query
	return row
}

// written is a row as it stands in a file: its objects are JSON strings there.
func written(row object) string {
	row = maps.Clone(row)
	row["reference"], row["meta"] = text(row["reference"]), text(row["meta"])
	if list, ok := row["negatives"].([]object); ok {
		var out []object
		for _, n := range list {
			n = maps.Clone(n)
			if proof, ok := n["proof"].(object); ok {
				n["proof"] = text(proof)
			}
			out = append(out, n)
		}
		row["negatives"] = out
	}
	return text(row)
}

// check proves rows against a lexicon and returns the kinds of what it found, each once.
func check(t *testing.T, rows ...object) (kinds []string, found []finding) {
	t.Helper()
	d := &domain{}
	if err := json.Unmarshal([]byte(text(deskLexicon())), d); err != nil {
		t.Fatal(err)
	}
	d.prepare()
	c := newChecker(map[string]*domain{"desk": d})
	for _, row := range rows {
		found = append(found, c.block(block{lines: [][]byte{[]byte(written(row))}}).rows[0].findings...)
	}
	for _, f := range found {
		kinds = append(kinds, f.kind)
	}
	slices.Sort(kinds)
	return slices.Compact(kinds), found
}
