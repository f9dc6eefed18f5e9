package tinymodel

import "strings"

// The control tokens, those of ChatML.
const (
	begin = "<|im_start|>" // of a message
	end   = "<|im_end|>"   // of a message, and of a reply
)

// kind is how llama.cpp treats a token.
type kind int32

const (
	normal  kind = 1 // read only from its bytes, one token each
	control kind = 3 // never shown
	added   kind = 4 // read wherever its text stands
)

// vocabulary is a byte-level tokenizer that merges nothing, so that every text
// is its bytes, but for the added tokens.
type vocabulary struct {
	tokens []string
	kinds  []int32
	ids    map[string]int
}

func newVocabulary() *vocabulary {
	v := &vocabulary{ids: map[string]int{}}
	for b := range 256 {
		v.id(spelt(string([]byte{byte(b)})), normal)
	}
	v.id(begin, control)
	v.id(end, control)
	return v
}

// id of the token with this spelling, a new one if there is none.
func (v *vocabulary) id(spelling string, k kind) int {
	id, ok := v.ids[spelling]
	if !ok {
		id = len(v.tokens)
		v.ids[spelling] = id
		v.tokens = append(v.tokens, spelling)
		v.kinds = append(v.kinds, int32(k))
	}
	return id
}

func (v *vocabulary) describe(g *gguf) {
	g.set("tokenizer.ggml.model", "gpt2")
	g.set("tokenizer.ggml.pre", "qwen2")
	g.set("tokenizer.ggml.tokens", v.tokens)
	g.set("tokenizer.ggml.token_type", v.kinds)
	g.set("tokenizer.ggml.merges", []string{})
	g.set("tokenizer.ggml.eos_token_id", uint32(v.ids[end]))
	g.set("tokenizer.ggml.padding_token_id", uint32(v.ids[end]))
	g.set("tokenizer.ggml.add_bos_token", false)
}

// spelt is a text as GPT-2's vocabularies spell it: bytes that are no printable
// character of Latin-1 are moved to U+0100 and on.
func spelt(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		b.WriteRune(spelling[c])
	}
	return b.String()
}

var spelling = func() (runes [256]rune) {
	moved := rune(0x100)
	for b := range rune(256) {
		if '!' <= b && b <= '~' || '¡' <= b && b <= '¬' || '®' <= b && b <= 'ÿ' {
			runes[b] = b
		} else {
			runes[b] = moved
			moved++
		}
	}
	return
}()
