package stages_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/stages"
)

// desk is a running domain in which every call answers with the fact of its
// name, and no account is missing.
type desk struct{}

func (desk) Execute(v *sop.Variant, facts map[string]bool, records any, rng *rand.Rand) (*sop.Scenario, any, error) {
	worlds, err := sop.NewSampler(v)
	if err != nil {
		return nil, nil, err
	}
	for _, among := range worlds.Worlds() {
		for _, w := range among {
			if !same(worlds.Facts(w), facts) {
				continue
			}
			s, err := worlds.Scenario(w, rng)
			if err != nil {
				return nil, nil, err
			}
			s.Results = map[string]string{}
			for call := range v.Calls {
				s.Results[call] = map[bool]string{true: "True", false: "False"}[facts[call]]
			}
			count, _ := records.(int)
			return s, count + 1, nil
		}
	}
	return nil, nil, errors.New("no such records")
}

func same(a, b map[string]bool) bool {
	for name, fact := range a {
		if b[name] != fact {
			return false
		}
	}
	return len(a) == len(b)
}

// TestExecutedScenarios holds rows over executed scenarios against their texts:
// they are proven, results and all, and no longer when a result is another.
func TestExecutedScenarios(t *testing.T) {
	corpora := load(t, "library")
	p, err := stages.NewPlan(stages.Options{Groups: 60, Stages: []int{2}, Seed: 4}, corpora)
	require.NoError(t, err)
	p.Execute(map[*sop.Domain]stages.Executor{corpora[0].Domain: desk{}})
	dir := filepath.Join(t.TempDir(), "d")
	_, err = p.Generate(context.Background(), dir, dataset.Options{}, run.Options{Workers: 2})
	require.NoError(t, err)
	reader, err := dataset.Open(dir)
	require.NoError(t, err)
	verifier, err := stages.NewVerifier(reader.Manifest.Lexicon)
	require.NoError(t, err)

	told, caught := 0, 0
	for _, row := range rowsOf(t, dir) {
		require.Empty(t, verifier.Row(&row), row.ID)
		assert.Contains(t, row.Meta, `"executed":true`)
		for _, answer := range [][2]string{{"True", "False"}, {"False", "True"}} {
			// Only the answer to a check of its own name is a fact by itself.
			const check = "internal_check_book_exist"
			reference, err := stages.ParseReference([]byte(row.Reference))
			require.NoError(t, err)
			_, isFact := reference.Facts[check]
			at := strings.Index(row.Context, check+"(book_title=")
			if at < 0 || !isFact {
				continue
			}
			before, rest := row.Context[:at], row.Context[at:]
			line, after, _ := strings.Cut(rest, "returned `"+answer[0]+"`")
			if after == "" || strings.Contains(line, "returned") {
				continue
			}
			told++
			spoilt := row
			spoilt.Context = before + line + "returned `" + answer[1] + "`" + after
			if len(verifier.Row(&spoilt)) > 0 {
				caught++
			}
		}
	}
	assert.Positive(t, told)
	assert.Equal(t, told, caught, "rows that are still proven after a result was changed")
}

// TestScenariosOption names a wrong way.
func TestScenariosOption(t *testing.T) {
	err := stages.Options{Scenarios: "played"}.WithDefaults().Validate()
	assert.EqualError(t, err, `scenarios is "played", want one of drawn, executed`)
}
