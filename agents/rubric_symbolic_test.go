package agents_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/agents"
	"github.com/fmsop/fmsop/rubric"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/corpus"
)

func generated(t *testing.T, domain string) (*corpus.Corpus, *rubric.Rubric) {
	t.Helper()
	c, err := corpus.Load(domain)
	require.NoError(t, err)
	r, err := agents.GenerateRubric(c)
	require.NoError(t, err)
	return c, r
}

// FM SO.P §3.4 names what its rubrics look at in some domains.
func TestRubricsFitTheirDomains(t *testing.T) {
	for domain, dimensions := range map[string][]string{
		"bank":       {"security_protocol_adherence", "financial_accuracy"},
		"dmv":        {"temporal_reasoning", "eligibility_assessment", "security_protocol_adherence"},
		"library":    {"resource_availability", "membership_rules"},
		"hotel":      {"loyalty_rules", "temporal_reasoning"},
		"healthcare": {"policy_rules", "eligibility_assessment"},
		"university": {"eligibility_assessment", "temporal_reasoning"},
	} {
		_, r := generated(t, domain)
		for _, name := range dimensions {
			assert.NotNil(t, r.Dimension(name), "%s of %s", name, domain)
		}
	}
}

func TestGeneratedRubrics(t *testing.T) {
	names := map[string]string{}
	for _, domain := range corpus.Builtin() {
		t.Run(domain, func(t *testing.T) {
			c, r := generated(t, domain)
			require.NoError(t, r.Validate(), "weights sum to 1, criteria for every grade")
			assert.GreaterOrEqual(t, len(r.Dimensions), agents.MinDimensions)
			assert.LessOrEqual(t, len(r.Dimensions), agents.MaxDimensions)
			assert.Equal(t, agents.Symbolic, r.Generator)
			var list []string
			for _, d := range r.Dimensions {
				list = append(list, d.Name)
				assert.GreaterOrEqual(t, d.Weight, 0.01, d.Name)
				assert.NotEmpty(t, d.Evidence, d.Name)
				for _, text := range append([]string{d.Why, d.Name}, d.Criteria...) {
					assert.NotContains(t, text, "{", d.Name)
					assert.NotContains(t, text, "()", "%s: no example where one was announced", d.Name)
				}
				for _, e := range d.Evidence {
					assert.True(t, stands(t, c.Domain, e), "%s: %s is not in %s", d.Name, e.Quote, e.Source)
				}
			}
			slices.Sort(list)
			same := strings.Join(list, " ")
			assert.Empty(t, names[same], "the dimensions are those of another domain")
			names[same] = domain

			_, again := generated(t, domain)
			assert.Equal(t, r, again)
		})
	}
}

// stands says whether the evidence is a line of the procedure, or a definition.
func stands(t *testing.T, d *sop.Domain, e rubric.Evidence) bool {
	t.Helper()
	if goal, ok := strings.CutPrefix(e.Source, d.Name+"/"); ok {
		v, err := d.Variant(d.Procedure(goal), sop.Choice{})
		require.NoError(t, err)
		return strings.Contains(agents.SOPText(v), e.Quote)
	}
	return slices.ContainsFunc(d.Glossary, func(term *sop.Term) bool { return strings.Contains(e.Quote, term.Definition) })
}

func TestARubricOfTooLittleIsRefused(t *testing.T) {
	c, err := corpus.Load("library")
	require.NoError(t, err)
	bare := *c.Domain
	bare.Procedures = slices.DeleteFunc(slices.Clone(bare.Procedures), func(p *sop.Procedure) bool { return p.Goal != "show_available_book" })
	require.NotEmpty(t, bare.Procedures)
	bare.Glossary = nil
	_, err = agents.GenerateRubric(&corpus.Corpus{Domain: &bare})
	assert.ErrorContains(t, err, "want at least 6")
}
