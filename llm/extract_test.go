package llm

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

type verdict struct {
	Score  int    `json:"score"`
	Reason string `json:"reason"`
}

func verdictSchema(t testing.TB) *Schema {
	s, err := SchemaFor[verdict]("verdict", func(s *jsonschema.Schema) {
		s.Properties["score"].Minimum, s.Properties["score"].Maximum = new(0.0), new(4.0)
	})
	require.NoError(t, err)
	return s
}

// replies are what models write instead of JSON, by what is to be read.
var replies = []struct {
	name, text string
	want       verdict
	repairs    []string
}{
	{"plain", `{"score": 3, "reason": "fits"}`, verdict{3, "fits"}, nil},
	{"fence", "Here you are:\n```json\n{\"score\": 3, \"reason\": \"fits\"}\n```\nAnything else?", verdict{3, "fits"}, nil},
	{"prose around", `I think {this} is right: {"score": 3, "reason": "fits"}. Done {or not}.`, verdict{3, "fits"}, nil},
	{"the last of several", `{"score": 1, "reason": "draft"} No: {"score": 3, "reason": "fits"}`, verdict{3, "fits"}, nil},
	{"the last that is valid", `{"score": 3, "reason": "fits"} {"score": 9, "reason": "x"} {"other": 1}`, verdict{3, "fits"}, nil},
	{"thinking", "<think>{\"score\": 1, \"reason\": \"hm\"}</think>\n{\"score\": 3, \"reason\": \"fits\"}", verdict{3, "fits"}, nil},
	{"thinking that began in the prompt", "{\"score\": 1, \"reason\": \"hm\"}</think>{\"score\": 3, \"reason\": \"fits\"}", verdict{3, "fits"}, nil},
	{"a tag inside", `{"score": 3, "reason": "no <think> tag"}`, verdict{3, "no <think> tag"}, nil},
	{"braces inside", `{"score": 3, "reason": "use {x} and \"y\""}`, verdict{3, `use {x} and "y"`}, nil},
	{"trailing comma", `{"score": 3, "reason": "fits",}`, verdict{3, "fits"}, []string{fixTrailing}},
	{"missing comma", `{"score": 3 "reason": "fits"}`, verdict{3, "fits"}, []string{fixMissing}},
	{"missing comma after a string", "{\"reason\": \"fits\"\n\"score\": 3}", verdict{3, "fits"}, []string{fixMissing}},
	{"single quotes", `{'score': 3, 'reason': 'it\'s "right"'}`, verdict{3, `it's "right"`}, []string{fixQuotes, fixEscape}},
	{"typographic quotes", `{“score”: 3, “reason”: “fits”}`, verdict{3, "fits"}, []string{fixQuotes}},
	{"bare keys", `{score: 3, reason: "fits"}`, verdict{3, "fits"}, []string{fixBareKey}},
	{"line break", "{\"score\": 3, \"reason\": \"one\ntwo\"}", verdict{3, "one\ntwo"}, []string{fixControl}},
	{"bad escape", `{"score": 3, "reason": "\d+ and \u12"}`, verdict{3, `\d+ and \u12`}, []string{fixEscape}},
	{"pair of halves", `{"score": 3, "reason": "\ud83d\ude00",}`, verdict{3, "😀"}, []string{fixTrailing}},
	{"inner quotes", `{"reason": "he said "yes", then "no, thanks" to it", "score": 3}`, verdict{3, `he said "yes", then "no, thanks" to it`}, []string{fixInnerQuotes}},
	{"comments", "{\"score\": 3, // of 4\n/* why */ \"reason\": \"fits // here\"}", verdict{3, "fits // here"}, []string{fixComment}},
	{"unclosed", `{"score": 3, "reason": "fits"`, verdict{3, "fits"}, []string{fixUnclosed}},
	{"unclosed after an escape", `{"score": 3, "reason": "a \"b\""`, verdict{3, `a "b"`}, []string{fixUnclosed}},
	{"unclosed string", `{"score": 3, "reason": "fits`, verdict{3, "fits"}, []string{fixUnclosed}},
}

func TestExtract(t *testing.T) {
	s := verdictSchema(t)
	for _, test := range replies {
		t.Run(test.name, func(t *testing.T) {
			value, repairs, err := s.Extract(Reply{Text: test.text, Finish: FinishStop})
			require.NoError(t, err)
			var got verdict
			require.NoError(t, json.Unmarshal(value, &got))
			assert.Equal(t, test.want, got)
			assert.Equal(t, test.repairs, repairs)
		})
	}
}

func TestExtractFaults(t *testing.T) {
	s := verdictSchema(t)
	for _, test := range []struct {
		name string
		r    Reply
		want string
	}{
		{"empty", Reply{}, "the reply is empty"},
		{"prose", Reply{Text: "I cannot say."}, "there is no JSON object in the reply"},
		{"an array", Reply{Text: "[1, 2]"}, "there is no JSON object in the reply"},
		{"thinking alone", Reply{Thinking: "Hm."}, "the reply is empty but for its thinking"},
		{"thinking that never ends", Reply{Text: `<think>{"score": 3, "reason": "fits"}`}, "the reply is empty but for its thinking"},
		{"a call", Reply{ToolCalls: []ToolCall{{Name: "login_user"}}, Finish: FinishTools}, "the reply calls login_user, want a JSON object"},
		{"refused", Reply{Text: "No.", Finish: FinishRefused}, "the model refused to answer"},
		{"out of range", Reply{Text: `{"score": 7, "reason": "fits"}`}, `score: maximum: 7 is greater than 4`},
		{"twice", Reply{Text: `{"score": 3, "reason": "fits", "score": 4}`}, `the key "score" is there twice`},
		{"missing", Reply{Text: `{"score": 3}`}, `required: missing properties: ["reason"]`},
		{"null", Reply{Text: `{"score": 3, "reason": null}`}, `reason: type: it has type "null", want "string"`},
		{"not plain", Reply{Text: `{"score": 3/4, "reason": "fits"}`}, `at "/4, \"reason\": \"fits\"": want a key`},
		{"not a number", Reply{Text: `{"score": 03, "reason": "fits"}`}, `at "03, \"reason\": \"fits\"": want a number`},
		{"a word", Reply{Text: `{"score": three, "reason": "fits"}`}, `at "three, \"reason\": \"fi": want a value`},
		{"left out", Reply{Text: `{"score": 3, ...}`}, `at "...}": want a key`},
		// What was cut is never closed: the 1 may have been the front of 10.
		{"cut number", Reply{Text: `{"reason": "fits", "score": 1`, Finish: FinishLength, Usage: Usage{0, 64}}, "the JSON ends in the middle: the reply was cut after 64 tokens"},
		{"cut string", Reply{Text: `{"score": 3, "reason": "not`, Finish: FinishLength, Usage: Usage{0, 64}}, "the JSON ends in the middle: the reply was cut after 64 tokens"},
		{"cut before", Reply{Text: "Let me see", Finish: FinishLength, Usage: Usage{0, 64}}, "the reply was cut after 64 tokens, before any JSON object"},
		{"deep", Reply{Text: strings.Repeat(`{"a":`, 100_000) + "1" + strings.Repeat("}", 100_000)}, `unexpected additional properties ["a"]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.r.Finish == "" {
				test.r.Finish = FinishStop
			}
			value, _, err := s.Extract(test.r)
			assert.Nil(t, value)
			assert.EqualError(t, err, test.want)
		})
	}
}

// TestExtractIsLinear would not end in time if some text made it read again
// and again what it has read.
func TestExtractIsLinear(t *testing.T) {
	s := verdictSchema(t)
	for _, part := range []string{"{", "[", "{\"a\":", `{"a":[`, `{a:"`, "{'", `{"a":1}`, `{"a":1,`, "“", `","`, `"x", `, "<think>", `\`, "//", "/*", "{}{", `{"a": ?} `} {
		_, _, err := s.Extract(Reply{Text: `{"score": 3, "x": "` + strings.Repeat(part, 1<<19/len(part)), Finish: FinishStop})
		assert.Error(t, err)
		_, _, err = s.Extract(Reply{Text: strings.Repeat(part, 1<<19/len(part)), Finish: FinishStop})
		assert.Error(t, err)
	}
}

// TestExtractFindsWhatIsThere puts a valid value somewhere into prose.
func TestExtractFindsWhatIsThere(t *testing.T) {
	s := verdictSchema(t)
	rapid.Check(t, func(t *rapid.T) {
		want := verdict{rapid.IntRange(0, 4).Draw(t, "score"), rapid.String().Draw(t, "reason")}
		text, err := json.Marshal(want)
		require.NoError(t, err)
		prose := rapid.StringMatching(`[a-z .:\n*#]{0,40}`)
		value, repairs, err := s.Extract(Reply{Text: prose.Draw(t, "before") + string(text) + prose.Draw(t, "after"), Finish: FinishStop})
		require.NoError(t, err)
		var got verdict
		require.NoError(t, json.Unmarshal(value, &got))
		require.Equal(t, want, got)
		require.Empty(t, repairs)
	})
}

// TestLenientReadsWhatIsRight: repair changes nothing that needs none.
func TestLenientReadsWhatIsRight(t *testing.T) {
	var value *rapid.Generator[any]
	value = rapid.Custom(func(t *rapid.T) any {
		switch rapid.IntRange(0, 6).Draw(t, "kind") {
		case 0:
			return rapid.MapOfN(rapid.String(), rapid.Deferred(func() *rapid.Generator[any] { return value }), 0, 3).Draw(t, "object")
		case 1:
			return rapid.SliceOfN(rapid.Deferred(func() *rapid.Generator[any] { return value }), 0, 3).Draw(t, "array")
		case 2:
			return rapid.Float64Range(-1e9, 1e9).Draw(t, "number")
		case 3:
			return rapid.Bool().Draw(t, "bool")
		case 4:
			return nil
		}
		return rapid.StringMatching(`[a-z"'{}\[\]:,\\ \n]{0,12}`).Draw(t, "string")
	})
	rapid.Check(t, func(t *rapid.T) {
		text, err := json.Marshal(map[string]any{"v": value.Draw(t, "v")})
		require.NoError(t, err)
		got, fixes, end, err := readLenient(string(text)+" and more", true)
		require.NoError(t, err, "%s", text)
		require.Empty(t, fixes, "%s", text)
		require.Equal(t, len(text), end)
		require.JSONEq(t, string(text), string(got))
	})
}

func FuzzExtract(f *testing.F) {
	for _, r := range replies {
		f.Add(r.text, true)
		f.Add(r.text[:len(r.text)/2], false)
	}
	s := verdictSchema(f)
	f.Fuzz(func(t *testing.T, text string, stopped bool) {
		r := Reply{Text: text, Finish: FinishLength}
		if stopped {
			r.Finish = FinishStop
		}
		value, repairs, err := s.Extract(r)
		if (value == nil) != (err != nil) {
			t.Fatalf("Extract(%q) = %s and the error %v", text, value, err)
		}
		if err != nil {
			return
		}
		if err := s.Check(value); err != nil {
			t.Fatalf("Extract(%q) = %s: %v", text, value, err)
		}
		var v verdict
		if err := json.Unmarshal(value, &v); err != nil {
			t.Fatalf("Extract(%q) = %s: %v", text, value, err)
		}
		if len(repairs) == 0 && !strings.Contains(text, string(value)) {
			t.Fatalf("Extract(%q) = %s, which is not in it, and no repair is named", text, value)
		}
	})
}
