package soptest

import (
	"slices"
	"strings"

	"github.com/fmsop/fmsop/sop"
)

// The names a random domain picks from, in the order in which calls may build
// on each other, and their wording.
var (
	helperNames = []string{"check_account", "sign_in", "open_file"}
	goalNames   = []string{"close_case", "refund", "transfer"} // sorted, as Domain.Procedures is
	// actionConditions are the conditions that are an action's answer.
	actionConditions = []string{"check_account", "close_case", "open_file", "sign_in"}
	conditionNames   = []string{"check_account", "sign_in", "open_file", "account_exists", "enough_balance",
		"below_ceiling", "member_active", "file_complete", "consent_given", "desk_open", "close_case"}
)

var actionTexts = map[string]struct {
	parameters []string
	text       string
}{
	"check_account": {[]string{"username"}, "look up the account of {username}"},
	"sign_in":       {[]string{"username", "code"}, "sign {username} in with {code}"},
	"open_file":     {[]string{"item"}, "open the file on {item}"},
	"close_case":    {[]string{"username"}, "close the case of {username}"},
	"refund":        {[]string{"username", "amount"}, "pay {amount} back to {username}"},
	"transfer":      {[]string{"username", "payee", "amount"}, "transfer {amount} from {username} to {payee}"},
}

var conditionTexts = map[string]struct {
	kind                   string
	parameters             []string
	text, negated, yes, no string
}{
	"check_account": {"state", []string{"username"}, "the account of {username} is in good order", "the account of {username} is not in good order",
		"Standing of {username}: good", "Standing of {username}: blocked"},
	"sign_in": {"authentication", []string{"username", "code"}, "{username} has signed in with {code}", "{username} has failed to sign in with {code}",
		"Sign-in of {username} using {code}: accepted", "Sign-in of {username} using {code}: rejected"},
	"open_file": {"availability", []string{"item"}, "the file on {item} can be opened", "the file on {item} cannot be opened",
		"Archive, {item}: file on the shelf", "Archive, {item}: nothing on the shelf"},
	"account_exists": {"existence", []string{"username"}, "an account is registered for {username}", "no account is registered for {username}",
		"Register entry of {username}: found", "Register entry of {username}: none"},
	"enough_balance": {"financial", []string{"username", "amount"}, "the balance of {username} covers {amount}", "the balance of {username} falls short of {amount}", "", ""},
	"below_ceiling":  {"quota", []string{"amount"}, "{amount} stays within the limit", "{amount} goes beyond the limit", "", ""},
	"member_active": {"eligibility", []string{"username"}, "the membership of {username} is active", "the membership of {username} has lapsed",
		"Membership of {username}: active", "Membership of {username}: lapsed"},
	"file_complete": {"consistency", []string{"item"}, "all papers for {item} are there", "papers for {item} are missing",
		"Papers for {item}: complete", "Papers for {item}: incomplete"},
	"consent_given": {"privacy", []string{"username"}, "{username} has given consent", "{username} has withheld consent",
		"Consent form of {username}: signed", "Consent form of {username}: unsigned"},
	"desk_open": {"temporal", nil, "the desk is open today", "the desk is closed today", "Desk calendar: working day", "Desk calendar: holiday"},
	"close_case": {"authorization", []string{"username"}, "the case of {username} has been closed", "the case of {username} is still open",
		"Case list for {username}: closed", "Case list for {username}: pending"},
}

var goalTexts = map[string]struct {
	title, purpose string
	requests       []string
}{
	"close_case": {"Closing a case", "A case is closed once nothing is left to do for the customer.", []string{
		"Hi, this is {username}, code {code}. Please close my case about {item}; {payee} and the {amount} are settled.",
		"My case on {item} can be closed. I am {username} ({code}), the other party is {payee}, the sum was {amount}."}},
	"refund": {"Refunding a payment", "Customers get their money back where a payment was made in error.", []string{
		"I paid {amount} to {payee} for {item} by mistake and want it back. {username}, code {code}.",
		"Could you refund {amount} for {item}? User {username}, code {code}; it went to {payee}."}},
	"transfer": {"Transferring money", "Money is moved between two accounts of the house.", []string{
		"Please send {amount} from my account {username} to {payee} for {item}. My code is {code}.",
		"{username} here ({code}): move {amount} over to {payee}, reference {item}."}},
}

func parameters() map[string]*sop.Parameter {
	people := []any{"ada_k", "ben_ortiz", "chloe.m", "dinesh42", "e_larsen"}
	return map[string]*sop.Parameter{
		"username": {Noun: "the customer", Label: "User name", Pool: "person", Examples: people},
		"payee":    {Noun: "the payee", Label: "Payee", Pool: "person", Examples: people},
		"code":     {Noun: "the access code", Label: "Access code", Examples: []any{"K7-219", "M2-804", "Q9-553"}},
		"item":     {Noun: "the item in question", Label: "Item", Examples: []any{"invoice 1043", "lamp order", "rent of May"}},
		"amount":   {Noun: "the amount requested", Label: "Amount"},
	}
}

func thresholds() map[string]*sop.Threshold {
	return map[string]*sop.Threshold{
		"ceiling": {Default: 500, Choices: []float64{200, 500, 750.5}, Unit: "USD", Text: "the ceiling on single payments"},
	}
}

func values() map[string]*sop.Value {
	return map[string]*sop.Value{
		"balance": {Parameters: []string{"username"}, Unit: "USD", Min: 0, Max: 3000, Step: 0.01,
			Text: "the money in the account of {username}", Record: "Money held for {username}: {value}"},
		"amount": {Stated: true, Unit: "USD", Min: 1, Max: 2000, Step: 1, Text: "the sum that is asked for"},
	}
}

// glossary has a term for every action and condition, each confusable with
// its two neighbours.
func glossary(d *sop.Domain) []*sop.Term {
	var terms []*sop.Term
	var goals []string
	for _, p := range d.Procedures {
		goals = append(goals, p.Goal)
	}
	add := func(kind, name, definition string) {
		term := strings.ReplaceAll(name, "_", " ") + " " + map[string]string{"action": "step", "condition": "status"}[kind]
		terms = append(terms, &sop.Term{Term: term, Definition: definition, Type: kind, Of: name, UsedIn: goals})
	}
	bare := strings.NewReplacer("{", "a given ", "}", "")
	for _, a := range append(slices.Clone(helperNames), goalNames...) {
		if d.Actions[a] != nil {
			add("action", a, "What the agent does to "+bare.Replace(actionTexts[a].text)+".")
		}
	}
	for _, c := range conditionNames {
		if d.Conditions[c] != nil {
			add("condition", c, "Tells that "+bare.Replace(conditionTexts[c].text)+".")
		}
	}
	for i, term := range terms {
		for _, other := range []*sop.Term{terms[(i+1)%len(terms)], terms[(i+len(terms)-1)%len(terms)]} {
			term.Confusables = append(term.Confusables, &sop.Confusable{Term: other.Term,
				NotBecause: "The " + other.Term + " concerns something else than the " + term.Term + "."})
		}
	}
	return terms
}
