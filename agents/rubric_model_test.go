package agents_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/agents"
	running "github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/llm"
	"github.com/fmsop/fmsop/rubric"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/corpus"
)

// dimension is what a good model proposes.
func dimension(name string, quotes ...string) map[string]any {
	var criteria []string
	for grade := range rubric.MaxGrade + 1 {
		criteria = append(criteria, fmt.Sprintf("Handles %d of four points of %s.", grade, name))
	}
	return map[string]any{"name": name, "why": "The desk lends by it, as to " + name + ".", "quotes": quotes, "criteria": criteria, "covers": []string{"order"}, "weight": 4}
}

func proposals(list ...map[string]any) string {
	text, err := json.Marshal(map[string]any{"dimensions": list})
	if err != nil {
		panic(err)
	}
	return string(text)
}

// Names that share no words.
var dimensionNames = strings.Fields("identity deadlines money stock wording order limits refusal tools records courtesy privacy audit escalation transport language documents appeals holidays weather")

func load(t *testing.T, name string) *corpus.Corpus {
	t.Helper()
	c, err := corpus.Load(name)
	require.NoError(t, err)
	return c
}

// drafter proposes so many dimensions, each with a line of the prompt, and merges nothing.
func drafter(t *testing.T, n int) *model {
	return &model{name: "ollama:drafter", reply: func(system, user string) (string, error) {
		if isMerging(system) {
			return `{"sets": []}`, nil
		}
		var list []map[string]any
		for _, name := range dimensionNames[:n] {
			list = append(list, dimension(name, firstLines(t, user, 1)...))
		}
		return proposals(list...), nil
	}}
}

func TestAModelDraftsARubric(t *testing.T) {
	c := load(t, "library")
	m := drafter(t, 7)
	r, draft, err := agents.DraftRubric(t.Context(), c, m.writer(), running.Options{Workers: 1})
	require.NoError(t, err)
	require.NoError(t, r.Validate(), "the weights sum to 1 exactly")
	assert.Equal(t, "ollama:drafter", r.Generator)
	assert.Equal(t, agents.Fingerprint(c.Domain), r.Corpus)
	assert.False(t, r.Locked)
	assert.Len(t, r.Dimensions, 7)
	for _, d := range r.Dimensions {
		assert.NotEmpty(t, d.Evidence)
		assert.Equal(t, []string{"order"}, d.Covers.Shapes)
		for _, e := range d.Evidence {
			assert.True(t, stands(t, c.Domain, e), "%s: %s", e.Source, e.Quote)
		}
	}
	assert.Greater(t, draft.Pieces, 1, "the corpus does not fit into one prompt")
	assert.Equal(t, 7*draft.Pieces, draft.Proposed)
	assert.Len(t, draft.Merged, 7*(draft.Pieces-1))
	assert.Empty(t, draft.Drops)
	assert.Zero(t, draft.Astray)
	assert.Len(t, m.requests, draft.Pieces+1)

	again, _, err := agents.DraftRubric(t.Context(), c, drafter(t, 7).writer(), running.Options{Workers: 16})
	require.NoError(t, err)
	assert.Equal(t, r, again, "whatever the number of workers")

	path := filepath.Join(t.TempDir(), agents.RubricFile)
	require.NoError(t, agents.WriteRubrics(path, []*rubric.Rubric{r}))
	read, err := agents.ReadRubrics(path)
	require.NoError(t, err)
	assert.Equal(t, r, read[0], "a person can edit it")
}

// Every procedure is read whole, once, and no prompt is longer than the context.
func TestPiecesFitTheContext(t *testing.T) {
	c := load(t, "bank")
	for _, context := range []int{0, 6000, 32768} {
		m := drafter(t, 6)
		w := m.writer()
		w.Context = context
		_, draft, err := agents.DraftRubric(t.Context(), c, w, running.Options{})
		require.NoError(t, err)
		assert.Empty(t, draft.Cut)
		if context == 0 {
			context = 8192
		}
		seen := map[string]int{}
		for _, q := range m.requests[:draft.Pieces] {
			text := q.Messages[0].Text + q.Messages[1].Text
			assert.Less(t, llm.LikelyTokens(text), context)
			for _, p := range c.Domain.Procedures {
				v, err := c.Domain.Variant(p, sop.Choice{})
				require.NoError(t, err)
				if strings.Contains(text, strings.TrimSpace(agents.SOPText(v))) {
					seen[p.Goal]++
				}
			}
		}
		for _, p := range c.Domain.Procedures {
			assert.Equal(t, 1, seen[p.Goal], p.Goal)
		}
	}
}

func TestAProcedureThatIsTooLongIsCutAndNamed(t *testing.T) {
	m := drafter(t, 6)
	w := m.writer()
	w.Context = 4000
	w.Sampling.MaxTokens = 600
	_, draft, err := agents.DraftRubric(t.Context(), load(t, "hotel"), w, running.Options{})
	require.NoError(t, err)
	assert.Contains(t, draft.Cut, "hotel/modify_reservation")

	w.Context = 1000
	_, _, err = agents.DraftRubric(t.Context(), load(t, "hotel"), w, running.Options{})
	assert.EqualError(t, err, "ollama:drafter takes 1000 tokens of prompt and reply, which leaves 0 for the SOPs, want at least 256")
}

// A server that counts more tokens than was thought gets smaller pieces.
func TestAPieceThatIsTooLongForTheServerIsHalved(t *testing.T) {
	m := drafter(t, 6)
	inner := m.reply
	m.reply = func(system, user string) (string, error) {
		if len(user) > 9000 {
			return "", &llm.Error{Kind: llm.PromptTooLong}
		}
		return inner(system, user)
	}
	r, draft, err := agents.DraftRubric(t.Context(), load(t, "library"), m.writer(), running.Options{})
	require.NoError(t, err)
	assert.Greater(t, draft.Pieces, 4)
	assert.Empty(t, draft.Drops)
	assert.Len(t, r.Dimensions, 6)
}

func TestWeightsFollowWhatWasProposed(t *testing.T) {
	m := drafter(t, 6)
	inner := m.reply
	m.reply = func(system, user string) (string, error) {
		text, err := inner(system, user)
		return strings.Replace(text, `"weight":4`, `"weight":8`, 1), err // of the first dimension
	}
	r, _, err := agents.DraftRubric(t.Context(), load(t, "library"), m.writer(), running.Options{})
	require.NoError(t, err)
	require.NoError(t, r.Validate())
	assert.Equal(t, dimensionNames[0], r.Dimensions[0].Name)
	for _, d := range r.Dimensions[1:] {
		assert.InDelta(t, 1.0/7, d.Weight, 0.001)
	}
	assert.InDelta(t, 2.0/7, r.Dimensions[0].Weight, 0.002)
}

// What a model does wrong is named and counted; what is left is a rubric or an
// error.
func TestFaultsOfADraft(t *testing.T) {
	c := load(t, "library")
	quote := "It MUST be established that the patron has an open session (`logged_in_user`)."
	list := func(n int, change func(i int, d map[string]any)) string {
		var all []map[string]any
		for i, name := range dimensionNames[:n] {
			d := dimension(name, quote)
			change(i, d)
			all = append(all, d)
		}
		return proposals(all...)
	}
	keep := func(int, map[string]any) {}
	first := func(key string, value any) func(int, map[string]any) {
		return func(i int, d map[string]any) {
			if i == 0 {
				d[key] = value
			}
		}
	}
	for name, tt := range map[string]struct {
		reply string
		kept  int    // 0: an error
		error string // of it
		drop  string // in one of the drops
	}{
		"prose":                 {"Security matters most, then money.", 0, "proposed 0 dimensions for library, of which 0 can be used, want at least 6 (1 no usable reply)", "there is no JSON object in the reply"},
		"invalid JSON":          {`{"dimensions": [{"name": "x" "why"}`, 0, "want at least 6", "no usable reply"},
		"another schema":        {`{"rubrics": []}`, 0, "want at least 6", "unexpected additional properties"},
		"three dimensions":      {list(3, keep), 0, "proposed 3 dimensions for library, of which 3 can be used, want at least 6", ""},
		"twenty dimensions":     {list(20, keep), 12, "", "more dimensions than a rubric has: 12 are kept"},
		"a quote of its own":    {list(8, first("quotes", []string{"Patrons SHOULD smile at the desk."})), 7, "", `identity: no evidence that stands in the corpus: "Patrons SHOULD smile at the desk."`},
		"a quote of one word":   {list(8, first("quotes", []string{"patron"})), 7, "", "no evidence that stands"},
		"one quote of two":      {list(8, first("quotes", []string{"Patrons SHOULD smile.", "  It MUST be\nestablished   that the patron has an open session (`logged_in_user`)."})), 8, "", ""},
		"repeated names":        {list(8, first("name", "Deadlines!")), 7, "", ""},
		"a name without letter": {list(8, first("name", "42")), 7, "", `"42": no name`},
		"no why":                {list(8, first("why", " ")), 7, "", "identity: no reason why it matters"},
		"equal criteria":        {list(8, first("criteria", []string{"Does it all well.", "does it  all well.", "Three words here.", "Four words are here.", "All is in order."})), 7, "", `criteria are not concrete: grade 1 is "does it all well."`},
		"adjectives":            {list(8, first("criteria", []string{"Poor.", "Fair.", "Good.", "Better.", "Best."})), 7, "", `grade 0 is "Poor."`},
		"four criteria":         {list(8, first("criteria", []string{"One two three.", "Two three four.", "Three four five.", "Four five six."})), 0, "1 no usable reply", "minItems"},
		"weights of any sum":    {list(8, func(i int, d map[string]any) { d["weight"] = 1 + i }), 8, "", ""},
		"a weight of zero":      {list(8, first("weight", 0)), 0, "1 no usable reply", "weight"},
		"a broken weight":       {list(8, first("weight", 0.5)), 0, "1 no usable reply", "weight"},
		"an unknown kind":       {list(8, first("covers", []string{"astrology"})), 0, "1 no usable reply", "covers"},
	} {
		t.Run(name, func(t *testing.T) {
			w := always(tt.reply).writer()
			w.Context = 128_000 // one piece
			r, draft, err := agents.DraftRubric(t.Context(), c, w, running.Options{})
			require.NotNil(t, draft)
			if tt.kept == 0 {
				assert.ErrorContains(t, err, tt.error)
			} else {
				require.NoError(t, err)
				require.NoError(t, r.Validate())
				assert.Len(t, r.Dimensions, tt.kept)
				for _, d := range r.Dimensions {
					for _, e := range d.Evidence {
						assert.True(t, stands(t, c.Domain, e), e.Quote)
					}
				}
			}
			var drops []string
			for _, d := range draft.Drops {
				drops = append(drops, d.String())
			}
			assert.Equal(t, tt.drop == "", len(drops) == 0, "%v", drops)
			assert.Contains(t, strings.Join(drops, "\n"), tt.drop)
		})
	}
}

// One call says which dimensions of several pieces are the same.
func TestDimensionsOfSeveralPiecesAreMerged(t *testing.T) {
	c := load(t, "library")
	merged := func(t *testing.T, sets string) (*rubric.Rubric, *agents.Draft) {
		m := drafter(t, 9)
		inner := m.reply
		m.reply = func(system, user string) (string, error) {
			if isMerging(system) {
				return sets, nil
			}
			return inner(system, user)
		}
		r, draft, err := agents.DraftRubric(t.Context(), c, m.writer(), running.Options{})
		require.NoError(t, err)
		require.NoError(t, r.Validate())
		return r, draft
	}
	r, draft := merged(t, `{"sets": [{"keep": "money", "same": ["stock", "limits"]}]}`)
	assert.Len(t, r.Dimensions, 7)
	assert.Equal(t, "money", r.Dimensions[0].Name)
	assert.InDelta(t, 3.0/9, r.Dimensions[0].Weight, 0.002, "the weights of all three")
	assert.Subset(t, draft.Merged, []string{"stock into money", "limits into money"})

	for name, sets := range map[string]string{
		"prose":       "They all differ.",
		"two sets":    `{"sets": [{"keep": "money", "same": ["stock"]}, {"keep": "stock", "same": ["limits"]}]}`,
		"itself":      `{"sets": [{"keep": "money", "same": ["money"]}]}`,
		"not a name":  `{"sets": [{"keep": "wealth", "same": ["money"]}]}`,
		"none merged": `{"sets": []}`,
	} {
		t.Run(name, func(t *testing.T) {
			r, draft := merged(t, sets)
			assert.Len(t, r.Dimensions, 9)
			assert.Equal(t, name != "none merged", len(draft.Drops) == 1, "%v", draft.Drops)
		})
	}
}

// A server that fails ends the draft; the ledger keeps what it gave.
func TestADraftGoesOnFromTheLedger(t *testing.T) {
	c := load(t, "library")
	ledger := filepath.Join(t.TempDir(), "ledger.jsonl")
	draft := func(m *model) (*rubric.Rubric, error) {
		runner, err := llm.NewRunner(m, llm.Options{Attempts: 1}, llm.Files{Ledger: ledger}, nil)
		require.NoError(t, err)
		defer func() { require.NoError(t, runner.Close()) }()
		w := m.writer()
		w.Asker = &llm.Asker{Model: runner}
		r, _, err := agents.DraftRubric(t.Context(), c, w, running.Options{Workers: 1})
		return r, err
	}
	m := drafter(t, 6)
	inner := m.reply
	m.reply = func(system, user string) (string, error) {
		if isMerging(system) {
			return "", &llm.Error{Kind: llm.ServerFault, Message: "out of memory"}
		}
		return inner(system, user)
	}
	_, err := draft(m)
	assert.ErrorContains(t, err, "out of memory")
	pieces := len(m.requests) - 1
	require.Greater(t, pieces, 1)

	m = drafter(t, 6)
	first, err := draft(m)
	require.NoError(t, err)
	assert.Len(t, m.requests, 1, "the merging call alone")

	gone := &model{name: m.name, reply: func(string, string) (string, error) { return "", errors.New("asked again") }}
	again, err := draft(gone)
	require.NoError(t, err)
	assert.Equal(t, first, again)
}

// What models are asked, as a golden: a change of a prompt is to be seen.
func TestRubricPrompts(t *testing.T) {
	m := drafter(t, 6)
	w := m.writer()
	w.Context, w.Sampling.MaxTokens = 2000, 400
	_, _, err := agents.DraftRubric(t.Context(), small(t), w, running.Options{Workers: 1})
	require.NoError(t, err)
	last := m.requests[len(m.requests)-1]
	require.True(t, isMerging(last.Messages[0].Text))
	golden(t, "rubric.txt", m.requests[0])
	golden(t, "rubric_merge.txt", last)
}
