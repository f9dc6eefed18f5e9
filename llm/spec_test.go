package llm

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseSpecs(t *testing.T) {
	t.Setenv("OLLAMA_HOST", "gpu7:9000")
	for text, want := range map[string][]string{
		"ollama:qwen2.5:7b":                               {"ollama:qwen2.5:7b", "http://gpu7:9000"},
		"ollama:hf.co/a/b:Q4_K_M":                         {"ollama:hf.co/a/b:Q4_K_M", "http://gpu7:9000"},
		"ollama:http://host:11434#qwen2.5:7b":             {"ollama:qwen2.5:7b", "http://host:11434"},
		"openai:gpt-4.1-mini":                             {"openai:gpt-4.1-mini", "https://api.openai.com/v1"},
		"openai:https://host:8000/v1#org/my-model":        {"openai:org/my-model", "https://host:8000/v1"},
		"ollama:http://a#x:1b, ollama:https://b:1/p#x:1b": {"ollama:x:1b", "http://a", "https://b:1/p"},
		"ollama:http://[::1]:11434#x":                     {"ollama:x", "http://[::1]:11434"},
	} {
		specs, err := parseSpecs(text)
		require.NoError(t, err, text)
		require.Len(t, specs, len(want)-1, text)
		for i, s := range specs {
			assert.Equal(t, want[0], s.name(), text)
			assert.Equal(t, want[1+i], s.base.String(), text)
		}
	}
	for text, want := range map[string]string{
		"":                                `model "" begins with neither ollama: nor openai:, want for instance ollama:qwen2.5:7b`,
		"qwen2.5:7b":                      `model "qwen2.5:7b" begins with neither ollama: nor openai:, want for instance ollama:qwen2.5:7b`,
		"ollama:":                         `model "ollama:" names no model, want for instance ollama:qwen2.5:7b`,
		"ollama:http://host:11434":        `model "ollama:http://host:11434" names no model, want for instance ollama:http://host:11434#qwen2.5:7b`,
		"openai:http://#x":                `model "openai:http://#x" has no valid address, want for instance openai:http://localhost:8000#x`,
		"openai:http://me:secret@h/v1#x":  `the address of model "x" holds a password, want the key in an environment variable`,
		"openai:http://h/v1?key=secret#x": `the address of model "x" holds a query, want none`,
		"ollama:a,ollama:b":               `ollama:a and ollama:b are two models, want servers of one`,
		"ollama:a,openai:http://h/v1#a":   `ollama:a and openai:a are two models, want servers of one`,
	} {
		_, err := parseSpecs(text)
		assert.EqualError(t, err, want)
	}
}

func TestOptionsValidate(t *testing.T) {
	assert.NoError(t, Options{}.Validate())
	o := Options{Structured: "json", Attempts: -1, Sampling: Sampling{Temperature: new(-1.0), TopP: new(0.0), TopLogprobs: 30, Think: "hard", MaxTokens: -2}}
	o.Budget.Cost = -1
	assert.EqualError(t, o.Validate(), "temperature is -1, want 0 or more; top_p is 0, want over 0 and up to 1; top_logprobs is 30, want 0 to 20; "+
		"top_logprobs is 30 without logprobs, want logprobs: true; think is \"hard\", want one of off, on, low, medium, high; "+
		"structured is \"json\", want one of auto, schema, prompt; max_tokens is -2, want 0 or more; attempts is -1, want 0 or more; budget.cost is -1, want 0 or more")
}

func TestCountRuns(t *testing.T) {
	for text, want := range map[string]int{"": 0, "  \n": 0, "word": 1, "two words": 2, "it's 42!": 5, "a.b": 3, "日本語 です": 2, "x===y": 3, "naïve": 1} {
		assert.Equal(t, want, countRuns(text), "%q", text)
	}
}
