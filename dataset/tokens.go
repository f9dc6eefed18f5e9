package dataset

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// Counter counts the tokens of rows under a model's chat template. It may be
// used by any number of goroutines.
type Counter interface {
	Prompt(*Row) (int, error) // up to where the model begins to answer
	Whole(*Row) (int, error)  // with the longest of the answers
	Tokenizer() Tokenizer
}

// Tokenizer says with what tokens were counted: sha256 of the tokenizer and of
// the chat template.
type Tokenizer struct {
	SHA256       string `json:"sha256"`
	ChatTemplate string `json:"chat_template"`
}

// ErrTooLong is a row that has more tokens than the options allow.
var ErrTooLong = errors.New("too many tokens")

// TokenLengths are the tokens of the rows of one stage in one file.
type TokenLengths struct {
	Prompt TokenSummary `json:"prompt"`
	Whole  TokenSummary `json:"with_answer"` // with the longest of the answers
}

// TokenSummary sums up how many tokens texts have. A quantile is the least
// length that at least this share of the texts does not exceed.
type TokenSummary struct {
	Texts   int `json:"texts"`
	Tokens  int `json:"tokens"` // of all texts
	Median  int `json:"median"`
	P95     int `json:"p95"`
	Longest int `json:"longest"`
}

// TokenCounts says how many texts have how many tokens. Its memory grows with
// the longest, not with their number.
type TokenCounts map[int]int

// Add counts one text.
func (c TokenCounts) Add(length int) { c[length]++ }

// Merge adds other counts.
func (c TokenCounts) Merge(other TokenCounts) {
	for length, n := range other {
		c[length] += n
	}
}

// Summary of what was counted.
func (c TokenCounts) Summary() (s TokenSummary) {
	for length, n := range c {
		s.Texts += n
		s.Tokens += n * length
		s.Longest = max(s.Longest, length)
	}
	seen := 0
	for _, length := range slices.Sorted(maps.Keys(c)) {
		before := seen
		seen += c[length]
		if 2*before < s.Texts && 2*seen >= s.Texts {
			s.Median = length
		}
		if 20*before < 19*s.Texts && 20*seen >= 19*s.Texts {
			s.P95 = length
		}
	}
	return s
}

// StageTokens counts the tokens of rows by stage.
type StageTokens map[string]RowCounts

// RowCounts are those of prompts, and of prompts with the longest answer.
type RowCounts struct {
	Prompt TokenCounts `json:"prompt"`
	Whole  TokenCounts `json:"with_answer"`
}

// Add counts one row.
func (s StageTokens) Add(stage, prompt, whole int) {
	s.Merge(StageTokens{strconv.Itoa(stage): {TokenCounts{prompt: 1}, TokenCounts{whole: 1}}})
}

// Merge adds other counts.
func (s StageTokens) Merge(other StageTokens) {
	for stage, from := range other {
		if _, there := s[stage]; !there {
			s[stage] = RowCounts{TokenCounts{}, TokenCounts{}}
		}
		s[stage].Prompt.Merge(from.Prompt)
		s[stage].Whole.Merge(from.Whole)
	}
}

// Lengths sums up each stage.
func (s StageTokens) Lengths() map[string]TokenLengths {
	lengths := map[string]TokenLengths{}
	for stage, n := range s {
		lengths[stage] = TokenLengths{n.Prompt.Summary(), n.Whole.Summary()}
	}
	return lengths
}

// splitTokens counts by split.
type splitTokens map[string]StageTokens

func (s splitTokens) merge(other splitTokens) {
	for split, from := range other {
		s.split(split).Merge(from)
	}
}

func (s splitTokens) split(name string) StageTokens {
	if s[name] == nil {
		s[name] = StageTokens{}
	}
	return s[name]
}

// sameTexts wants of each file as many texts as it has rows.
func sameTexts(m *Manifest) error {
	if m.Tokenizer == nil {
		return nil
	}
	for name, f := range m.Files {
		texts := 0
		for _, l := range m.Tokens[name] {
			texts += l.Prompt.Texts
		}
		if name != DropsFile && texts != f.Rows {
			return fmt.Errorf("tokens of %s are those of %d rows, it has %d", name, texts, f.Rows)
		}
	}
	return nil
}

// files sums up what is in each file of rows: a training file has the stages up
// to its own.
func (s splitTokens) files(stages []int) map[string]map[string]TokenLengths {
	files := map[string]map[string]TokenLengths{}
	for split, counts := range s {
		lengths := counts.Lengths()
		if split != Train {
			files[splitFile(split)] = lengths
			continue
		}
		for _, last := range stages {
			upTo := map[string]TokenLengths{}
			for stage, l := range lengths {
				if number, err := strconv.Atoi(stage); err == nil && number <= last {
					upTo[stage] = l
				}
			}
			files[trainFile(last)] = upTo
		}
	}
	return files
}

// measure counts a row's tokens where the options ask for it.
func (b *Batch) measure(r *Row) error {
	if b.counter == nil {
		return nil
	}
	prompt, err := b.counter.Prompt(r)
	whole := prompt
	if err == nil && !b.tooLong(prompt) { // a whole takes as many times as long as there are answers
		whole, err = b.counter.Whole(r)
	}
	if err != nil {
		return b.fail(fmt.Errorf("row %s: %w", quote(r.ID), err))
	}
	if b.tooLong(whole) {
		return fmt.Errorf("row %s: %w: at least %d, want at most %d", quote(r.ID), ErrTooLong, whole, b.most)
	}
	b.tally.tokens.split(r.Split).Add(r.Stage, prompt, whole)
	return nil
}

func (b *Batch) tooLong(tokens int) bool { return b.most > 0 && tokens > b.most }
