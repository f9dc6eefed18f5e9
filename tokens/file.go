package tokens

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// largest is more than any tokenizer.json has.
const largest = 256 << 20

// parts of a tokenizer.json that decide its tokens.
type parts struct {
	AddedTokens  []added   `json:"added_tokens"`
	Normalizer   component `json:"normalizer"`
	PreTokenizer component `json:"pre_tokenizer"`
	Model        model     `json:"model"`
}

// component is a normalizer or a pre-tokenizer: the fields of all of them.
type component struct {
	Type          string      `json:"type"`
	Normalizers   []component `json:"normalizers"`
	PreTokenizers []component `json:"pretokenizers"`
	Pattern       pattern     `json:"pattern"`
	Content       string      `json:"content"`
	Prepend       string      `json:"prepend"`

	Behavior         string `json:"behavior"`
	Invert           bool   `json:"invert"`
	IndividualDigits bool   `json:"individual_digits"`
	UseRegex         *bool  `json:"use_regex"` // true where it is not said

	Replacement    string `json:"replacement"`
	PrependScheme  string `json:"prepend_scheme"`
	AddPrefixSpace bool   `json:"add_prefix_space"`
	Split          *bool  `json:"split"` // true where it is not said
}

// pattern has one of the two.
type pattern struct{ String, Regex string }

type model struct {
	Type          string         `json:"type"`
	Vocab         map[string]int `json:"vocab"`
	Merges        []merge        `json:"merges"`
	Dropout       float64        `json:"dropout"`
	Unknown       string         `json:"unk_token"`
	FuseUnknown   bool           `json:"fuse_unk"`
	ByteFallback  bool           `json:"byte_fallback"`
	IgnoreMerges  bool           `json:"ignore_merges"`
	SubwordPrefix string         `json:"continuing_subword_prefix"`
	WordSuffix    string         `json:"end_of_word_suffix"`
}

// merge is written as "a b" or ["a", "b"].
type merge struct{ left, right string }

func (m *merge) UnmarshalJSON(data []byte) error {
	var pair []string
	if len(data) > 0 && data[0] == '"' {
		var text string
		if err := json.Unmarshal(data, &text); err != nil {
			return err
		}
		pair = strings.Split(text, " ")
	} else if err := json.Unmarshal(data, &pair); err != nil {
		return err
	}
	if len(pair) != 2 {
		return fmt.Errorf("merge %.40s, want two tokens", data)
	}
	m.left, m.right = pair[0], pair[1]
	return nil
}

func readParts(file string) (*parts, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, largest+1))
	if err != nil {
		return nil, err
	}
	p, err := parseParts(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return p, nil
}

func parseParts(data []byte) (*parts, error) {
	if len(data) > largest {
		return nil, fmt.Errorf("more than %d bytes are no tokenizer", largest)
	}
	var p parts
	if err := json.Unmarshal(data, &p); err != nil {
		return nil, fmt.Errorf("is no tokenizer: %w", err)
	}
	m := p.Model
	if m.Type == "" && len(m.Merges) > 0 {
		m.Type = "BPE" // older files do not say
	}
	switch {
	case m.Type == "" && m.Vocab == nil:
		return nil, fmt.Errorf(`is no tokenizer: it has no "model", want the tokenizer.json of a model`)
	case m.Type != "BPE":
		return nil, fmt.Errorf("tokenizers of the type %q are not supported, want BPE, which models that chat use", m.Type)
	case len(m.Vocab) == 0:
		return nil, fmt.Errorf("is no tokenizer: its vocabulary is empty")
	case m.SubwordPrefix != "" || m.WordSuffix != "":
		return nil, fmt.Errorf("continuing_subword_prefix and end_of_word_suffix are not supported")
	case m.Dropout != 0:
		return nil, fmt.Errorf("dropout is %v: its tokens would be random, want 0", m.Dropout)
	}
	return &p, nil
}

// oneOf refuses what is not known, by name.
func oneOf(what, got string, known ...string) error {
	if slices.Contains(known, got) {
		return nil
	}
	return fmt.Errorf("the %s %q is not supported, want one of %s", what, got, strings.Join(known, ", "))
}
