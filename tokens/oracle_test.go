package tokens_test

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/data"
	"github.com/fmsop/fmsop/tokens"
	"github.com/fmsop/fmsop/tokens/hftest"
)

// tokenizers are real ones, by name: folders of models, and files in the module
// of daulet/tokenizers.
func tokenizers(t *testing.T) map[string]string {
	t.Helper()
	all := hftest.Models(t)
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/daulet/tokenizers").Output()
	require.NoError(t, err)
	for name, file := range map[string]string{"llama3": "Meta-Llama-3-8B-Instruct.json", "cohere": "cohere-tokenizer.json"} {
		all[name] = filepath.Join(strings.TrimSpace(string(dir)), "test", "data", file)
	}
	return all
}

// Every text has the tokens that Hugging Face's library gives it.
func TestTokensAreThoseOfHuggingFace(t *testing.T) {
	texts := sampleTexts(t, 10_000)
	for name, path := range tokenizers(t) {
		t.Run(name, func(t *testing.T) {
			ours, err := tokens.Open(path)
			require.NoError(t, err)
			file := path
			if filepath.Ext(path) != ".json" {
				file = filepath.Join(path, "tokenizer.json")
			}
			var theirs [][2]int
			hftest.Ask(t, map[string]any{"tokenizer": file, "texts": texts}, &theirs)
			require.Len(t, theirs, len(texts))
			different := 0
			for i, text := range texts {
				ids, err := ours.Encode(text)
				require.NoError(t, err)
				if got := [2]int{len(ids), checksum(ids)}; got != theirs[i] {
					if different++; different <= 3 {
						t.Errorf("%.300q has the tokens %.300v, theirs are %d", text, ids, theirs[i][0])
					}
				}
			}
			assert.Zero(t, different, "of %d texts", len(texts))
		})
	}
}

func checksum(ids []int) int {
	text := strings.Trim(strings.ReplaceAll(fmt.Sprint(ids), " ", ","), "[]")
	return int(crc32.ChecksumIEEE([]byte(text)))
}

// sampleTexts are lines of our procedures, and words and letters of many
// scripts, with numbers, calls, blanks of all kinds and names of special tokens
// between them.
func sampleTexts(t *testing.T, n int) (texts []string) {
	t.Helper()
	require.NoError(t, fs.WalkDir(data.FS, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		file, err := fs.ReadFile(data.FS, path)
		for paragraph := range strings.SplitSeq(string(file), "\n\n") {
			texts = append(texts, paragraph)
		}
		return err
	}))
	texts = texts[:min(len(texts), n/3)]
	texts = append(texts, "", " ", strings.Repeat("a", 2000), strings.Repeat(" ", 1000), strings.Repeat("ab", 700), "\x00\x01", "e\u0301 é")
	scripts := [][2]rune{
		{' ', '~'}, {0xa0, 0x17f}, {0x300, 0x36f}, {0x370, 0x3ff}, {0x400, 0x4ff}, {0x590, 0x5ff}, {0x600, 0x6ff}, {0x900, 0x97f},
		{0xe00, 0xe7f}, {0x1100, 0x11ff}, {0x2000, 0x206f}, {0x2100, 0x214f}, {0x3040, 0x30ff}, {0x4e00, 0x9fa5}, {0xac00, 0xd7a3},
		{0xfb00, 0xfb4f}, {0xff00, 0xffef}, {0x1d400, 0x1d7ff}, {0x1f300, 0x1f64f}, {0x10, 0x1f},
	}
	blanks := []string{" ", "  ", "\n", "\n\n", "\t", "\r\n", "\u00a0", "\u3000", "\u2028", "\u0085", " \n", "   "}
	words := strings.Fields("the procedure requires that a customer has signed in before 3,000.50 dollars are moved don't we'll I'M it'ſ they'Re " +
		"`login_user` {\"a\":1} look_up(x,y) == != :: // <s> </s> <|im_start|> <unk> <bos> [INST] <|eot_id|> ▁ Ġ <0x0A>")
	rng := rand.New(rand.NewPCG(3, 1))
	for len(texts) < n {
		var b strings.Builder
		plain := rng.IntN(2) == 0
		for range 1 + rng.IntN(25) {
			switch k := rng.IntN(10); {
			case plain && k < 7 || k < 2:
				b.WriteString(words[rng.IntN(len(words))])
			case k < 8 && k > 6:
				fmt.Fprint(&b, rng.IntN(1_000_000_000)>>rng.IntN(30))
			default:
				s := scripts[rng.IntN(len(scripts))]
				for range 1 + rng.IntN(6) {
					b.WriteRune(s[0] + rng.Int32N(s[1]-s[0]+1))
				}
			}
			switch k := rng.IntN(10); {
			case k < 6:
				b.WriteByte(' ')
			case k < 8:
				b.WriteString(blanks[rng.IntN(len(blanks))])
			}
		}
		texts = append(texts, b.String())
	}
	return texts
}

// A conversation is laid out as Jinja in Python does it, or refused as there.
func TestLayoutsAreThoseOfJinja(t *testing.T) {
	templates := map[string]string{"no template": `{{ messages[0].content }}`}
	special := map[string]map[string]any{}
	for name, folder := range hftest.Models(t) {
		var config map[string]any
		text, err := os.ReadFile(filepath.Join(folder, "tokenizer_config.json"))
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &config))
		special[name] = map[string]any{}
		for key, value := range config {
			if token, ok := value.(string); ok && strings.HasSuffix(key, "_token") {
				special[name][key] = token
			}
		}
		if template, ok := config["chat_template"].(string); ok {
			templates[name] = template
		}
	}
	require.GreaterOrEqual(t, len(templates), 4, "models with a template")
	for i, expression := range jinjaExpressions {
		templates[fmt.Sprintf("expression %d", i)] = expression
	}
	type laid struct{ Text, Refused string }
	refused := 0
	for name, source := range templates {
		t.Run(name, func(t *testing.T) {
			if special[name] == nil {
				special[name] = map[string]any{"bos_token": "<s>"}
			}
			template, err := tokens.NewChatTemplate(name, source, special[name])
			require.NoError(t, err)
			list := conversations()
			var question []map[string]any
			for _, c := range list {
				q := map[string]any{"messages": c.Messages, "prompt": c.Prompt}
				if len(c.Tools) > 0 {
					q["tools"] = c.Tools
				}
				question = append(question, q)
			}
			var theirs []laid
			hftest.Ask(t, map[string]any{"template": source, "special": special[name], "conversations": question}, &theirs)
			require.Len(t, theirs, len(list))
			for i, c := range list {
				ours, err := template.Render(c)
				if theirs[i].Refused != "" {
					refused++
					assert.ErrorContains(t, err, theirs[i].Refused, "conversation %d", i)
					continue
				}
				if assert.NoError(t, err, "conversation %d", i) {
					assert.Equal(t, theirs[i].Text, ours, "conversation %d", i)
				}
			}
		})
	}
	assert.Positive(t, refused, "conversations that a template refuses")
}

// jinjaExpressions are what templates of chat models are made of.
var jinjaExpressions = []string{
	`{{ 'a' + ('x' if messages[0].role == 'system' else 'y' if tools else 'z') }}`,
	`{{ (messages[-1].content if messages|length > 1 else messages[-1].role) }}{{ 'q'.split('x')[-1] }}{{ 'ab'[-2] }}`,
	`{% set n = namespace(found=false) %}{% for m in messages %}{% if m.role == 'user' and not n.found %}{% set n.found = true %}{{ loop.index0 }}{% endif %}{% endfor %}`,
	`{% set users = messages | selectattr('role', 'equalto', 'user') | list %}{% for m in messages if m.role != 'system' %}{{ m == users[-1] }}{% endfor %}`,
	`{% for m in messages %}{% if m.tool_calls is defined and m.tool_calls %}{% for c in m.tool_calls %}{{ c.function | tojson }}{{ c.function.arguments | tojson(indent=4) }}{% for k, v in c.function.arguments.items() %}{{ k }}={{ v }};{% endfor %}{% endfor %}{% endif %}{% endfor %}`,
	"{%- for m in messages %}\n    {%- if loop.first %}\n first\n    {%- endif %}\n  {{ m.content | trim }}\n{% endfor %}\n",
	`{% macro show(m, mark='*') %}{{ mark }}{{ m.role | upper }}{% endmacro %}{% for m in messages %}{{ show(m) }}{{ show(m, mark='-') }}{% endfor %}`,
	`{% if not tools is defined or not tools %}none{% else %}{{ tools | length }}{% endif %}`,
	`{{ messages[1:] | length }}{{ messages[::-1][0].role }}{{ messages | map(attribute='role') | join(',') }}`,
	`{% for m in messages %}{{ m.content.replace('a', 'b').strip() }}{% if loop.index > 1 %}{% break %}{% endif %}{% endfor %}`,
	`{{ 'x' in messages[0] }}{{ 'role' in messages[0] }}{{ messages[0].get('name', 'nobody') }}{{ messages[0].content.startswith('F') }}`,
	`{{ strftime_now('%d %b %Y') }}{{ bos_token }}{{ "it's" ~ 3 ~ ' ' ~ true }}`,
	`{% set a = messages[0].content if messages[0].content is string else '' %}{{ a[:3] }}{% if a is string and (a == '' or a) %}!{% endif %}`,
	"a {%- if true -%}  {{ messages[0].role }} {% endif %} z\t{% set x = 1 %} w\n  {% if x %}\n  in\n\t{%+ endif %}\n{# note #}\n  {{ '}}' ~ {'a': {'b': 1}}['a']['b'] ~ \"%}\" }}\n\n",
	`{% if messages|length > 3 %}{{ raise_exception('Too many turns!') }}{% endif %}{{ '%s' }}`,
}

func conversations() []tokens.Conversation {
	say := func(role, text string) tokens.Message { return tokens.Message{Role: role, Content: text} }
	system, user, answer := say("system", "Follow the procedure.\n\nAlways."), say("user", "  Hi <there>, pay 3 $ & 'go'\n"), say("assistant", "Done.\n")
	tool := json.RawMessage(`{"type": "function", "function": {"name": "look_up", "description": "Looks <up> & 'more' é", "parameters": {"type": "object",
		"properties": {"who": {"type": "string", "description": "whose"}, "amount": {"type": "number"}, "how": {"enum": ["a", 1, 2.5, null, true]}}, "required": ["who"]}}}`)
	call := tokens.Message{Role: "assistant", ToolCalls: []json.RawMessage{
		json.RawMessage(`{"id": "abcdefghi", "type": "function", "function": {"name": "look_up", "arguments": {"who": "Zoë", "amount": 3}}}`)}}
	result := tokens.Message{Role: "tool", Content: "42", Name: "look_up", ToolCallID: "abcdefghi"}
	thought := say("assistant", "<think>\nhm\n</think>\n\nyes")
	var list []tokens.Conversation
	for _, messages := range [][]tokens.Message{
		{user}, {user, answer}, {system, user}, {system, user, answer}, {system, user, answer, user}, {system, user, thought, user}, {user, user},
	} {
		list = append(list, tokens.Conversation{Messages: messages, Prompt: messages[len(messages)-1].Role == "user"})
	}
	for _, messages := range [][]tokens.Message{{system, user}, {user}, {system, user, call, result}} {
		list = append(list, tokens.Conversation{Messages: messages, Tools: []json.RawMessage{tool, tool}, Prompt: true})
	}
	return slices.Clip(list)
}

// BenchmarkEncode is of one goroutine, in bytes of SOPs a second.
func BenchmarkEncode(b *testing.B) {
	domain, err := fs.ReadFile(data.FS, "bank/domain.yaml")
	require.NoError(b, err)
	text := string(domain[:16<<10])
	for name, folder := range hftest.Models(b) {
		b.Run(name, func(b *testing.B) {
			t, err := tokens.Open(folder)
			require.NoError(b, err)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, err := t.Count(text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
