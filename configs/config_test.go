package configs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/llm"

	"github.com/fmsop/fmsop/stages"
)

func TestEveryFileLoads(t *testing.T) {
	files, err := filepath.Glob("*.yaml")
	require.NoError(t, err)
	recipes, err := filepath.Glob("recipes/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	require.NotEmpty(t, recipes)
	for _, file := range append(files, recipes...) {
		c, err := Load(file)
		require.NoError(t, err, file)
		require.NoError(t, c.Validate(), file)
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		opening, _, _ := strings.Cut(string(text), "\n\n")
		assert.Contains(t, opening, "fmsop ", "%s opens without a command that runs it", file)
		assert.Contains(t, opening, "--config configs/"+file, "%s opens without the command that runs it", file)
	}
}

// What these files run is held against the program by the scripts of cmd/fmsop.
func TestEveryClusterFileOpensWithItsCommand(t *testing.T) {
	files, err := filepath.Glob("cluster/*")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		opening, rest, _ := strings.Cut(strings.TrimPrefix(string(text), "#!/bin/sh\n"), "\n\n")
		if filepath.Ext(file) == ".yaml" {
			var tree map[string]any
			require.NoError(t, yaml.Unmarshal(text, &tree), file)
			require.NotEmpty(t, tree["kind"], file)
			opening, rest, _ = strings.Cut(string(text), "\napiVersion")
		}
		assert.NotEmpty(t, rest, file)
		for _, line := range strings.Split(opening, "\n") {
			assert.True(t, strings.HasPrefix(line, "#"), "%s: %q is no line of its opening", file, line)
		}
		assert.Regexp(t, `(?m)^#   (sbatch|kubectl) .* configs/`+regexp.QuoteMeta(file)+`$`, opening, "%s opens without the command that runs it", file)
		assert.Regexp(t, `(?m)^#   fmsop merge `, opening, "%s does not say how the shards are merged", file)
	}
}

func TestDefaultIsThatOfThePackages(t *testing.T) {
	want := stages.Options{Seed: 1}.WithDefaults()
	assert.Equal(t, want, Default().Generate)
	assert.NoError(t, Default().Validate())
}

func load(t *testing.T, text string) (Config, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "c.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	c, err := Load(path)
	return c, replacePath(err, path)
}

type message string

func (m message) Error() string { return string(m) }

func replacePath(err error, path string) error {
	if err == nil {
		return nil
	}
	return message(strings.ReplaceAll(err.Error(), path, "c.yaml"))
}

func TestLoadKeepsTheDefaultsOfWhatTheFileLeavesOut(t *testing.T) {
	c, err := load(t, "corpora: [bank]\ngenerate:\n  ratio: [1, 2, 3]\n  groups: 7\n")
	require.NoError(t, err)
	want := Default()
	want.Corpora = []string{"bank"}
	want.Generate.Ratio = []int{1, 2, 3}
	want.Generate.Groups = 7
	assert.Equal(t, want, c)
	for _, nothing := range []string{"", "# only a comment\n", "---\n"} {
		c, err := load(t, nothing)
		require.NoError(t, err, "%q", nothing)
		assert.Equal(t, Default(), c, "%q", nothing)
	}
}

func TestRunsBeginFromWhatTheFileSays(t *testing.T) {
	c, err := load(t, "runs:\n  b: {ratio: [8, 4, 8]}\n  a: {groups: 3, held_out: [bank]}\n  plain: {}\ngenerate:\n  groups: 7\n  ratio: [1, 2, 3]\n")
	require.NoError(t, err)
	b, a, plain := c.Generate, c.Generate, c.Generate
	b.Ratio = []int{8, 4, 8}
	a.Groups, a.HeldOut = 3, []string{"bank"}
	assert.Equal(t, Runs{{"b", b}, {"a", a}, {"plain", plain}}, c.Runs)
	assert.Equal(t, []int{1, 2, 3}, c.Generate.Ratio)
}

func TestLoadSettingsOfModels(t *testing.T) {
	c, err := load(t, "llm:\n  timeout: 90s\n  key_variable: MY_KEY\n  sampling: {temperature: 0.7, stop: [a], extra: {num_thread: 1}}\n"+
		"  budget: {cost: 2.5, time: 1h}\n  prices: {\"openai:x\": {prompt: 1.5}}\n")
	require.NoError(t, err)
	want := Default()
	want.LLM.Timeout, want.LLM.KeyVariable = 90*time.Second, "MY_KEY"
	want.LLM.Sampling.Temperature, want.LLM.Sampling.Stop = new(0.7), []string{"a"}
	want.LLM.Sampling.Extra = map[string]any{"num_thread": uint64(1)}
	want.LLM.Budget.Cost, want.LLM.Budget.Time = 2.5, time.Hour
	want.LLM.Prices = map[string]llm.Price{"openai:x": {Prompt: 1.5}}
	assert.Equal(t, want, c)
	assert.Equal(t, 10*time.Minute, Default().LLM.Timeout)
	assert.Equal(t, new(0.0), Default().LLM.Sampling.Temperature)
}

func TestLoadRefuses(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"misspelt key", "generate:\n  gruops: 7\n", `c.yaml:2: unknown key "generate.gruops", did you mean "groups"?`},
		{"two of them", "colour: 1\ngenerate:\n  seeed: 7\n",
			"c.yaml:1: unknown key \"colour\", want one of corpora, workers, generate, runs, train, dataset, llm\n" +
				`c.yaml:3: unknown key "generate.seeed", did you mean "seed"?`},
		{"wrong type", "generate:\n  groups: many\n", "c.yaml:2: cannot unmarshal string into Go struct field"},
		{"a list for a mapping", "generate: [1]\n", "c.yaml:1: generate is [1], want a mapping with the keys groups, stages"},
		{"no mapping", "hello\n", "c.yaml:1: hello, want a mapping with the keys corpora"},
		{"no time", "llm:\n  timeout: 600\n", `a time is "600", want such as 90s or 10m`},
		{"a setting of models", "llm:\n  sampling:\n    temprature: 1\n", `c.yaml:3: unknown key "llm.sampling.temprature", did you mean "temperature"?`},
		{"a key of a run", "runs:\n  a: {ration: [1, 1, 1]}\n", `c.yaml:2: unknown key "runs.a.ration", did you mean "ratio"?`},
		{"a run that is none", "runs:\n  a: 4\n", "c.yaml:2: runs.a is 4, want a mapping with the keys groups, stages"},
		{"no runs", "runs: [a]\n", "c.yaml:1: runs is [a], want a name for each"},
		{"a run that is no folder", "runs:\n  a/b: {groups: 1}\n", `c.yaml:2: run "a/b", want a name of letters`},
		{"a value of a run", "runs:\n  a: {groups: few}\n", "c.yaml:2: cannot unmarshal string"},
		{"a run out of range", "runs:\n  a: {groups: 1}\n  b: {groups: 0}\n", "c.yaml: run b: groups is 0, want at least 1"},
		{"held out otherwise", "generate: {held_out: [bank], split_by: scenario}\n", `held_out is bank, which splits by domain, and split_by is "scenario"`},
		{"weights", "train: {weights: [0.5, 0.5, 0.5]}\n", "train.weights add up to 1.5, want 1"},
		{"a weight", "train: {weights: [1, 0, 0]}\n", "train.weights of stage 2 is 0, want a number above 0"},
		{"too few weights", "train: {weights: [1]}\n", "train.weights has 1 numbers, want 3, one a stage"},
		{"two documents", "workers: 1\n---\nworkers: 2\n", "c.yaml:3: a second document begins"},
		{"twice", "workers: 1\nworkers: 2\n", `c.yaml:2: mapping key "workers" already defined`},
		{"no YAML", "generate: {groups: 1\n", "c.yaml:1: "},
		{"no UTF-8", "corpora: [\xff\xfe]\n", "c.yaml: the text is not UTF-8"},
		{"out of range, all of it", "workers: -1\ngenerate:\n  groups: 0\n  ratio: [4, 0, 8]\n  split_by: day\ndataset:\n  compression: most\n",
			"c.yaml: workers is -1, want 0 (one for each processor) or more; groups is 0, want at least 1; " +
				"ratio of stage 2 is 0, want 1 to 32 negatives a group; split_by is \"day\", want one of procedure, scenario, domain; " +
				`compression is "most", want one of fastest, default, better, best`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := load(t, test.text)
			require.ErrorContains(t, err, test.want)
			assert.Len(t, strings.Split(err.Error(), "\n"), strings.Count(test.want, "\n")+1, "lines of %q", err)
		})
	}
	_, err := Load("nowhere.yaml")
	assert.ErrorContains(t, err, "nowhere.yaml")
}
