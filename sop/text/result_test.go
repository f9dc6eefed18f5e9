package text

import (
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestToldByHand(t *testing.T) {
	for _, c := range []struct {
		name, item, result string
		facts              map[string]bool
		values             map[string]float64
	}{
		{"an answer of its own name", "exists", "True", map[string]bool{"exists": true}, nil},
		{"that of an instance", "exists(username=payee)", "False", map[string]bool{"exists(username=payee)": false}, nil},
		{"no condition has the name", "sign_in", "True", nil, nil},
		{"a number", "get_balance", "812.5", nil, map[string]float64{"balance": 812.5}},
		{"a field", "get_balance", "{'owner': 'ann', 'balance': 812.5, 'cards': []}", nil, map[string]float64{"balance": 812.5}},
		{"a field twice", "get_balance", "{'balance': 812.5, 'joint': {'balance': 3}}", nil, nil},
		{"another field", "get_balance", "{'limit': 812.5}", nil, nil},
		{"a number in a text", "get_balance", "about 812.5", nil, nil},
		{"a number of a call that is there for none", "exists", "812.5", nil, nil},
		{"no such call", "dance", "True", nil, nil},
	} {
		told := newTold(bankVariant(t))
		told.add(c.item, c.result)
		if len(told.facts)+len(c.facts) > 0 && !reflect.DeepEqual(told.facts, c.facts) {
			t.Errorf("%s: facts %v, want %v", c.name, told.facts, c.facts)
		}
		if len(told.values)+len(c.values) > 0 && !reflect.DeepEqual(told.values, c.values) {
			t.Errorf("%s: values %v, want %v", c.name, told.values, c.values)
		}
	}
}

// results are what tools may answer, right, wrong and of no use.
var results = []string{"True", "False", "1200.5", "7", "{'balance': 1200.5}", "{'balance': 7}", "None", "a `tick`", "two\nlines", "", "returned `x", "KeyError: 'ann'"}

// TestExecutedRoundTrip reads cases and histories with any results: they mean
// what the scenario says, whatever the results seem to say, and every result
// that can be shown is.
func TestExecutedRoundTrip(t *testing.T) {
	v := bankVariant(t)
	rapid.Check(t, func(t *rapid.T) {
		s := bankScenario()
		s.Facts["exists(username=payee)"] = rapid.Bool().Draw(t, "payee")
		s.Facts["signed_in"] = rapid.Bool().Draw(t, "signed_in")
		s.Results = map[string]string{}
		for item := range v.Calls {
			if item != v.Goal && rapid.IntRange(0, 3).Draw(t, "has "+item) > 0 {
				s.Results[item] = rapid.SampledFrom(results).Draw(t, item)
			}
		}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		style := rapid.SampledFrom(ScenarioStyles).Draw(t, "style")

		text := RenderScenario(style, v, s, rng)
		read, err := ReadScenario(text, v)
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if !reflect.DeepEqual(read.Facts, s.Facts) || !reflect.DeepEqual(read.Values, s.Values) {
			t.Fatalf("facts %v, values %v, want %v, %v in\n%s", read.Facts, read.Values, s.Facts, s.Values, text)
		}

		calls := []string{"exists", "sign_in", "get_balance", "exists(username=payee)"}[:rapid.IntRange(0, 4).Draw(t, "calls")]
		request, history := RenderRequest(style, v, s, rng), RenderHistory(v, s, calls, rng)
		known, err := ReadKnown(request+"\n"+history, v)
		if err != nil {
			t.Fatalf("%v in\n%s", err, history)
		}
		for key, holds := range known {
			if s.Facts[key] != holds {
				t.Fatalf("%s is %v, want %v in\n%s", key, holds, s.Facts[key], history)
			}
		}
		for _, item := range calls {
			if result, ok := s.Results[item]; ok && showable(result) {
				if want := "returned `" + result + "`"; !strings.Contains(history, want) || !strings.Contains(text, want) {
					t.Fatalf("%q is missing from\n%s\n%s", want, text, history)
				}
			}
		}
	})
}

// TestResultsSpeak sees that what a result says is not said again, and that it is
// read where it stands alone.
func TestResultsSpeak(t *testing.T) {
	v, s := bankVariant(t), bankScenario()
	s.Results = map[string]string{"exists": "True", "get_balance": "1200.5", "sign_in": "True"}
	history := RenderHistory(v, s, []string{"exists", "sign_in", "get_balance"}, rand.New(rand.NewPCG(1, 2)))
	for _, record := range []string{"on file", "Balance of"} {
		if strings.Contains(history, record) {
			t.Errorf("the record %q repeats a result:\n%s", record, history)
		}
	}
	if !strings.Contains(history, "has signed in") {
		t.Errorf("that ann has signed in is told by no result:\n%s", history)
	}
	spoilt := strings.Replace(history, "returned `1200.5`", "returned `1200.49`", 1)
	request := RenderRequest("email", v, s, rand.New(rand.NewPCG(1, 3)))
	known, err := ReadKnown(request+"\n"+spoilt, v)
	if err != nil || known["sufficient"] {
		t.Errorf("the balance falls short by a cent: %v, %v", known, err)
	}
}
