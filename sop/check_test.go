package sop_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/fmsop/fmsop/sop"
)

// The violations wanted were derived by hand from DESIGN §1. Facts not named
// are false; "ok" is a positive.
var checkTests = []struct {
	about string
	graph string
	cases []string // facts | workflow | violations
}{
	{"two checks, in any order", `{"goal":"pay",
		"requires":{"login":null,"look":null,"wait":null,"pay":{"all":["login","funds"]}},
		"established_by":{"login":"login","funds":"look"},
		"outcomes":[{"end":"pay","tree":{"all":["login","funds"]}},{"end":"deny","tree":null}]}`, []string{
		"login funds | login look pay | ok",
		"login funds | look login pay | ok",
		"login funds | login pay | wrong_end@1",
		"login funds | login look deny | wrong_end@2",
		"login funds | login look | no_end@2",
		"login funds | | no_end@0",
		"login funds | login look pay look | after_end@3",
		"login funds | login look pay deny pay | after_end@3 after_end@4",
		"login funds | login dance look pay | outside@1",
		"login funds | login login look pay | repeated@1",
		"login funds | wait login look pay | idle@0",
		"login funds | login wait wait look pay | idle@1 repeated@2",
		"login funds | deny | wrong_end@0",
		"funds | deny | wrong_end@0",
		"funds | login deny | ok",
		"funds | login look deny | idle@1",
		"funds | look login deny | ok",
		"funds | login pay | wrong_end@1",
		"login | look deny | ok",
	}},
	{"a call with a requirement, the goal blocked without it", `{"goal":"pay",
		"requires":{"login":null,"look":"login","pay":"funds"},
		"established_by":{"login":"login","funds":"look"},
		"outcomes":[{"end":"pay","tree":"funds"},{"end":"deny","tree":null}]}`, []string{
		"login funds | login look pay | ok",
		"login funds | look login pay | unmet@0 idle@1",
		"login funds | login deny | wrong_end@1",
		"funds | login deny | ok",
		"funds | login look deny | unmet@1 idle@1 wrong_end@2", // the call counts as made: funds is known
		"funds | login look pay | unmet@1 idle@1",
	}},
	{"seq", `{"goal":"pay",
		"requires":{"login":null,"look":null,"pay":{"seq":["login","funds"]}},
		"established_by":{"login":"login","funds":"look"},
		"outcomes":[{"end":"pay","tree":{"seq":["login","funds"]}},{"end":"deny","tree":null}]}`, []string{
		"login funds | login look pay | ok",
		"login funds | look login pay | order@2",
		"login funds | look login deny | wrong_end@2",
		"funds | login deny | ok",
		"login | look deny | ok", // false is false in whatever order
	}},
	{"seq in the requirement of a call", `{"goal":"pay",
		"requires":{"login":null,"look":null,"sign":{"seq":["login","funds"]},"pay":"sign"},
		"established_by":{"login":"login","funds":"look","sign":"sign"},
		"outcomes":[{"end":"pay","tree":"sign"},{"end":"deny","tree":null}]}`, []string{
		"login funds sign | login look sign pay | ok",
		"login funds sign | look login sign pay | order@2",
		"login funds sign | look sign login pay | unmet@1 idle@2",
	}},
	{"first_of", `{"goal":"pay",
		"requires":{"login":null,"look":null,"pay":{"first_of":["login","funds"]}},
		"established_by":{"login":"login","funds":"look"},
		"outcomes":[{"end":"pay","tree":{"first_of":["login","funds"]}},{"end":"deny","tree":null}]}`, []string{
		"login funds | login pay | ok",
		"login funds | look pay | order@1",
		"funds | login look pay | ok",
		"login funds | login look pay | idle@1",
		" | login look deny | ok",
		" | look login deny | ok",
	}},
	{"any holds by another branch than the broken one", `{"goal":"pay",
		"requires":{"login":null,"look":null,"ask":null,"pay":{"any":[{"seq":["login","funds"]},"vip"]}},
		"established_by":{"login":"login","funds":"look","vip":"ask"},
		"outcomes":[{"end":"pay","tree":{"any":[{"seq":["login","funds"]},"vip"]}},{"end":"deny","tree":null}]}`, []string{
		"login funds vip | look ask pay | ok",
		"login funds vip | login look pay | ok",
		"login funds | look login pay | order@2",
		"login funds | login look ask pay | idle@2",
	}},
	{"settled together, or from the start", `{"goal":"pay",
		"requires":{"look":null,"pay":{"seq":["funds","adult","limit"]}},
		"established_by":{"funds":"look","limit":"look","adult":"conversation"},
		"outcomes":[{"end":"pay","tree":{"seq":["funds","adult","limit"]}},{"end":"deny","tree":null}]}`, []string{
		"funds adult limit | look pay | ok",
		"funds limit | deny | ok",
		"funds limit | look deny | idle@0",
	}},
	{"effects", `{"goal":"leave",
		"requires":{"look":null,"logout":null,"leave":{"not":"inside"}},
		"established_by":{"inside":"look","logout":"logout"},
		"effects":{"logout":{"inside":false}},
		"outcomes":[{"end":"leave","tree":{"not":"inside"}},{"end":"deny","tree":null}]}`, []string{
		"inside logout | logout leave | ok",
		"inside logout | look deny | ok", // false now, whatever logout could do
		"inside logout | look logout leave | idle@1",
		"inside logout | logout look leave | idle@1",
		"inside logout | logout look deny | idle@1 wrong_end@2", // the effect stays
		"inside | logout leave | wrong_end@1",                   // it answered no: no effect
		"inside | logout look deny | ok",
		" | look leave | ok",
		" | look logout leave | idle@1",
		" | leave | wrong_end@0",
	}},
	{"a contradiction is blocked", `{"goal":"pay",
		"requires":{"look":null,"pay":{"all":["funds",{"not":"funds"}]}},
		"established_by":{"funds":"look"},
		"outcomes":[{"end":"pay","tree":{"all":["funds",{"not":"funds"}]}},{"end":"deny","tree":null}]}`, []string{
		"funds | deny | ok",
		"funds | look deny | idle@0",
	}},
	{"three outcomes", `{"goal":"refund",
		"requires":{"a":null,"b":null,"refund":"p"},
		"established_by":{"p":"a","q":"b"},
		"outcomes":[{"end":"refund","tree":"p"},{"end":"escalate","tree":"q"},{"end":"deny","tree":null}]}`, []string{
		"q | a b escalate | ok",
		"q | b a escalate | ok",
		"q | b escalate | wrong_end@1",
		"q | a escalate | wrong_end@1",
		"p q | a refund | ok",
		"p q | a b refund | idle@1",
		"p q | b a escalate | wrong_end@2",
		" | a b deny | ok",
	}},
	{"an answer is unknown before the call, also under not", `{"goal":"pay",
		"requires":{"blacklisted":null,"pay":{"not":"blacklisted"}},
		"established_by":{"blacklisted":"blacklisted"},
		"outcomes":[{"end":"pay","tree":{"not":"blacklisted"}},{"end":"deny","tree":null}]}`, []string{
		" | pay | wrong_end@0",
		" | blacklisted pay | ok",
		"blacklisted | blacklisted deny | ok",
	}},
	{"minimal sets, one with an impossible member", `{"goal":"pay",
		"requires":{"a":null,"b":null,"c":null,"d":null,"x":{"any":[]},"pay":{"all":["p","q"]}},
		"established_by":{"p":{"any":[{"all":["a","x"]},{"all":["b","c"]}]},"q":{"any":["c","d"]}},
		"outcomes":[{"end":"pay","tree":{"all":["p","q"]}},{"end":"deny","tree":null}]}`, []string{
		"p q | b c pay | ok",
		"p q | c b pay | ok",
		"p q | a b c pay | idle@0",
		"p q | d b c pay | ok",
		"p q | c d b pay | idle@1",
		"p q | b pay | wrong_end@1",
	}},
	{"minimal sets that share a member: after b, only a is still needed", `{"goal":"pay",
		"requires":{"a":null,"b":null,"c":null,"pay":"p"},
		"established_by":{"p":{"all":["a",{"any":["b","c"]}]}},
		"outcomes":[{"end":"pay","tree":"p"},{"end":"deny","tree":null}]}`, []string{
		"p | b a pay | ok",
		"p | a c pay | ok",
		"p | b c a pay | idle@1",
	}},
	{"nothing is learnt from the end of an outcome", `{"goal":"pay",
		"requires":{"a":null,"b":null,"pay":"p"},
		"established_by":{"p":{"any":[{"all":["a","pay"]},"b"]}},
		"outcomes":[{"end":"pay","tree":"p"},{"end":"deny","tree":null}]}`, []string{
		"p | b pay | ok",
		"p | a b pay | idle@0",
	}},
	{"an end that is an act with a rule of its own", `{"goal":"pay",
		"requires":{"a":null,"b":null,"pay":"q"},
		"established_by":{"p":"a","q":"b"},
		"outcomes":[{"end":"pay","tree":"p"},{"end":"deny","tree":null}]}`, []string{
		"p q | a pay | unmet@1",
		"p q | b a pay | idle@0",
	}},
}

func TestCheck(t *testing.T) {
	for _, tt := range checkTests {
		var g sop.Graph
		if err := json.Unmarshal([]byte(tt.graph), &g); err != nil {
			t.Fatalf("%s: %v", tt.about, err)
		}
		for _, c := range tt.cases {
			f := strings.Split(c, "|")
			facts := map[string]bool{}
			for _, name := range strings.Fields(f[0]) {
				facts[name] = true
			}
			vs, err := sop.Check(&g, &sop.Scenario{Facts: facts}, strings.Fields(f[1]))
			if err != nil {
				t.Fatalf("%s: %v", tt.about, err)
			}
			got, want := strings.TrimSpace(verdict(vs)), strings.TrimSpace(f[2])
			if want == "ok" {
				want = ""
			}
			if got != want {
				t.Errorf("%s: %s: got %q", tt.about, c, got)
			}
		}
	}
}

func TestViolationNamesTheCall(t *testing.T) {
	g := &sop.Graph{
		Goal: "pay", Requires: map[string]*sop.Tree{"look": sop.L("login"), "login": nil, "pay": sop.L("funds")},
		EstablishedBy: map[string]*sop.Tree{"funds": sop.L("look"), "login": sop.L("login")},
		Outcomes:      []sop.Outcome{{End: "pay", Tree: sop.L("funds")}, {End: sop.Deny}},
	}
	vs, err := sop.Check(g, &sop.Scenario{Facts: map[string]bool{"funds": true, "login": true}}, sop.Workflow{"look", "pay"})
	if err != nil || len(vs) != 1 || vs[0].Call != "look" || len(vs[0].Missing) != 1 || vs[0].Missing[0] != "login" {
		t.Errorf("Check = %+v, %v, want one violation of look that misses login", vs, err)
	}
}

func TestKindFault(t *testing.T) {
	for k, want := range map[sop.Kind]bool{
		sop.Unmet: true, sop.Order: true, sop.WrongEnd: true, sop.NoEnd: true, sop.AfterEnd: true, sop.Outside: true,
		sop.Repeated: false, sop.Idle: false,
	} {
		if k.Fault() != want {
			t.Errorf("%s.Fault() = %v", k, !want)
		}
	}
}
