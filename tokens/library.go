//go:build hftokenizers

package tokens

import (
	"fmt"

	"github.com/daulet/tokenizers"
)

// library is the encoder of Hugging Face, of which daulet/tokenizers needs the
// compiled libtokenizers.a: see its releases.
type library struct{ *tokenizers.Tokenizer }

func openEncoder(file string) (encoder, error) {
	t, err := tokenizers.FromFile(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return library{t}, nil
}

func (l library) encode(text string) ([]int, error) {
	numbers, _ := l.Encode(text, false)
	ids := make([]int, len(numbers))
	for i, n := range numbers {
		ids[i] = int(n)
	}
	return ids, nil
}
