package export

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/tokens"
)

// letters is a tokenizer to which every byte is a token.
func letters(t *testing.T) *tokens.Tokenizer {
	t.Helper()
	var vocab []string
	for i := range 256 {
		vocab = append(vocab, fmt.Sprintf(`"<0x%02X>": %d`, i, i))
	}
	file := filepath.Join(t.TempDir(), "tokenizer.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"model": {"type": "BPE", "byte_fallback": true, "vocab": {`+strings.Join(vocab, ",")+`}}}`), 0o666))
	tokenizer, err := tokens.Open(file)
	require.NoError(t, err)
	return tokenizer
}

// What is counted is what a trainer reads: the prompt with the longest answer of
// those that the format has, under the chat template.
func TestTokensOfEachFormat(t *testing.T) {
	const turn = len("<|im_start|>user\n" + "<|im_end|>\n")
	const answer = len("<|im_start|>assistant\n" + "<|im_end|>\n")
	g := Group{Row: &small}
	prompt := turn + len(g.Prompt())
	next := Group{Row: &smallNext}
	for name, want := range map[string][2]int{
		"trl-sft":  {prompt + answer + len(small.Positive.Text), turn + len(next.Prompt()) + answer + len(smallNext.Positive.Text)},
		"trl-dpo":  {prompt + answer + len("1. `ask`\n2. `lend`\n"), turn + len(next.Prompt()) + answer + len(smallNext.Positive.Text)},
		"trl-grpo": {prompt + len("<|im_start|>assistant\n"), turn + len(next.Prompt()) + len("<|im_start|>assistant\n")},
	} {
		f, err := Lookup([]string{name})
		require.NoError(t, err)
		_, m := write(t, Options{Formats: f, Tokens: Tokens{Tokenizer: letters(t)}}, []dataset.Row{small, smallNext}, nil)
		assert.Equal(t, dataset.TokenSummary{
			Texts: 2, Tokens: want[0] + want[1], Median: min(want[0], want[1]), P95: max(want[0], want[1]), Longest: max(want[0], want[1]),
		}, *m.Formats[name].Tokens, name)

		// One token fewer than the longer of the two needs, and it is left out.
		folder, m := write(t, Options{Formats: f, Tokens: Tokens{letters(t), max(want[0], want[1]) - 1}}, []dataset.Row{small, smallNext}, nil)
		assert.Equal(t, map[string]int{fmt.Sprintf("longer than %d tokens", max(want[0], want[1])-1): 1}, m.Formats[name].LeftOut, name)
		assert.Equal(t, min(want[0], want[1]), m.Formats[name].Tokens.Longest)
		assert.FileExists(t, filepath.Join(folder, ManifestFile))
	}
}

// An episode is counted as the conversation with tools that it becomes.
func TestTokensOfEpisodes(t *testing.T) {
	f, err := Lookup([]string{"trl-sft-tools"})
	require.NoError(t, err)
	template, err := tokens.NewChatTemplate("plain", `{% for m in messages %}{{ m.content }}{% for c in m.tool_calls or [] %}{{ c.function.name }}({{ c.function.arguments | tojson }}){% endfor %}|{% endfor %}{{ tools | length }}`, nil)
	require.NoError(t, err)
	tokenizer := letters(t)
	tokenizer.Chat = template
	_, m := write(t, Options{Formats: f, Tokens: Tokens{Tokenizer: tokenizer}}, []dataset.Row{smallNext}, nil)
	want := "# Lend a book|I am ann, may I have a book?|" + `ask({"who": "ann"})|` + "ann: a member\nann: owes 2 USD|" + `hand_out({"days": 14, "who": "ann"})|` + "4"
	assert.Equal(t, len(want), m.Formats["trl-sft-tools"].Tokens.Longest, want)
}
