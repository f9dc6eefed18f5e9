package tokens

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// small is a byte-pair encoding that can be followed by hand: the merges are
// ab, abc and cd, in this order.
const small = `{
  "added_tokens": [{"id": 9, "content": "<end>"}, {"id": 10, "content": "word", "single_word": true}, {"id": 11, "content": "<pad>", "lstrip": true, "rstrip": true}],
  "pre_tokenizer": {"type": "Split", "pattern": {"String": " "}, "behavior": "Removed"},
  "model": {"type": "BPE", "vocab": {"?": 0, "a": 1, "b": 2, "c": 3, "d": 4, "ab": 5, "abc": 6, "cd": 7}, "unk_token": "?", "fuse_unk": true,
    "merges": ["a b", ["ab", "c"], "c d"]}
}`

func TestTokensByHand(t *testing.T) {
	tokenizer := open(t, small)
	for text, want := range map[string][]int{
		"":                nil,
		"abcd":            {6, 4}, // ab and abc come before cd
		"acd":             {1, 7},
		"ab ab":           {5, 5},
		"a<end>b":         {1, 9, 2},
		"a xyz d":         {1, 0, 4}, // three letters that nobody knows are one
		"word swords":     {10, 0, 4, 0},
		"a <pad>  b":      {1, 11, 2},
		"a\xffb":          {1, 0, 2}, // no text, but no reason to panic
		"<end><end><en d": {9, 9, 0, 4},
	} {
		got, err := tokenizer.Encode(text)
		require.NoError(t, err)
		assert.Equal(t, want, got, "%q", text)
		n, err := tokenizer.Count(text)
		require.NoError(t, err)
		assert.Equal(t, len(want), n)
	}
}

func open(t *testing.T, tokenizer string) *Tokenizer {
	t.Helper()
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, tokenizerFile), []byte(tokenizer), 0o666))
	opened, err := Open(folder)
	require.NoError(t, err)
	return opened
}

// Without a template of its own a model is spoken to in ChatML.
func TestChatML(t *testing.T) {
	text, err := open(t, small).Chat.Render(Conversation{Messages: []Message{{Role: "system", Content: "S"}, {Role: "user", Content: "U"}}, Prompt: true})
	require.NoError(t, err)
	assert.Equal(t, "<|im_start|>system\nS<|im_end|>\n<|im_start|>user\nU<|im_end|>\n<|im_start|>assistant\n", text)
}

func TestWhatIsNoTokenizerIsNamed(t *testing.T) {
	for text, want := range map[string]string{
		`not JSON`: "is no tokenizer: invalid character",
		`{}`:       `is no tokenizer: it has no "model"`,
		`{"model": {"type": "Unigram", "vocab": {"a": 1}}}`:                                                                                    `type "Unigram" are not supported, want BPE`,
		`{"model": {"type": "BPE", "vocab": {}}}`:                                                                                              "its vocabulary is empty",
		`{"model": {"type": "BPE", "vocab": {"a": 1}, "merges": ["a b"]}}`:                                                                     `merge 0 makes use of "b"`,
		`{"model": {"type": "BPE", "vocab": {"a": 1}, "merges": ["a b c"]}}`:                                                                   "want two tokens",
		`{"model": {"type": "BPE", "vocab": {"a": 1}, "unk_token": "?"}}`:                                                                      `unk_token "?" is not in the vocabulary`,
		`{"model": {"type": "BPE", "vocab": {"a": 1}}, "normalizer": {"type": "Precompiled"}}`:                                                 `normalizer "Precompiled" is not supported`,
		`{"model": {"type": "BPE", "vocab": {"a": 1}}, "pre_tokenizer": {"type": "BertPreTokenizer"}}`:                                         `pre-tokenizer "BertPreTokenizer" is not supported`,
		`{"model": {"type": "BPE", "vocab": {"a": 1}}, "pre_tokenizer": {"type": "Split", "behavior": "Isolate"}}`:                             `behavior "Isolate" is not supported, want one of Isolated`,
		`{"model": {"type": "BPE", "vocab": {"a": 1}}, "pre_tokenizer": {"type": "Split", "behavior": "Isolated", "pattern": {"Regex": "("}}}`: `pattern "("`,
		`{"model": {"type": "BPE", "vocab": {"a": 1}, "dropout": 0.1}}`:                                                                        "dropout is 0.1",
	} {
		file := filepath.Join(t.TempDir(), "t.json")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
		_, err := Open(file)
		if assert.ErrorContains(t, err, want, text) {
			assert.ErrorContains(t, err, file)
		}
	}
	_, err := Open(t.TempDir())
	assert.ErrorContains(t, err, "has no tokenizer.json")
	_, err = Open("/no/such/folder")
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func TestTemplatesThatFailAreNamed(t *testing.T) {
	for source, want := range map[string]string{
		`{% for m in messages %}`:         "broken",
		`{{ 1 % 0 }}`:                     "divide by zero",
		`{{ raise_exception('no, no') }}`: "no, no",
		`{% include '/etc/passwd' %}`:     "/etc/passwd",
	} {
		c, err := NewChatTemplate("broken", source, nil)
		if err == nil {
			_, err = c.Render(Conversation{Messages: []Message{{Role: "user", Content: "hi"}}})
		}
		assert.ErrorContains(t, err, want, source)
		assert.ErrorContains(t, err, "chat template broken: ")
	}
}

// The marks around what is generated are for training masks.
func TestGenerationMarks(t *testing.T) {
	c, err := NewChatTemplate("marked", "a {%- generation -%}  {{ messages[0].content }} {% endgeneration %} z", nil)
	require.NoError(t, err)
	text, err := c.Render(Conversation{Messages: []Message{{Role: "user", Content: "hi"}}})
	require.NoError(t, err)
	assert.Equal(t, "ahi  z", text)
}

func FuzzTemplate(f *testing.F) {
	f.Add(`{% for m in messages %}{{ m['role'] if m.content else "x" }}{{ m.content[-1] }}{% endfor %}`)
	f.Add(`{{ ('a' if b else ['c'][-1]) ~ (d.items()) }}{% generation %}`)
	f.Fuzz(func(t *testing.T, source string) {
		if rewritten := plainJinja(source); len(rewritten) > 100+40*len(source)*(1+len(source)) {
			t.Fatalf("%d letters became %d", len(source), len(rewritten))
		}
	})
}
