package tinymodel

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
)

// Script says what a scripted model replies, by keyword: the one that stands
// last in the prompt decides, wherever it stands, also within a word, and of
// two that overlap the longer one. The reply of "" is for prompts without any.
// What the model said before is part of the prompt, and so are the tools that
// it is offered. Prompts have to end with a new line, as templates' do.
type Script map[string]Reply

// Reply is one of several texts.
type Reply struct {
	weights map[string]float64
	endless bool
}

// Says is a reply of one text.
func Says(text string) Reply { return Reply{weights: map[string]float64{text: 1}} }

// OneOf is a reply drawn by weights, which are above 0 and need not add up to
// 1. At temperature 1, with no other sampling options, the texts come with
// these shares. At temperature 0 the heaviest one comes.
func OneOf(weights map[string]float64) Reply { return Reply{weights: weights} }

// Endless is a text of different words, again and again, until the request's
// limit or the end of the connection. One word alone makes Ollama give up soon,
// in a way of its own: it ends the reply without saying that it is done.
func Endless(text string) Reply { return Reply{weights: map[string]float64{text: 1}, endless: true} }

// Model is a model file that replies as the script says, whatever the seed and,
// up to 1, the temperature. Words of a reply are tokens, as far as that leaves
// each token one successor; several are one token where the replies together
// have more than 128. The same script gives the same bytes.
//
// It is an MPT model of one layer, chosen because ALiBi makes a head prefer
// what is near. A token's embedding tells which token follows it (if it is part
// of a reply), which reply it asks for and whether it is a keyword. The head
// looks at keywords, the nearest first, else at anything, and adds the first
// token of the reply asked for; where the current token has a successor, that
// weighs more.
func (s Script) Model() ([]byte, error) {
	keywords := slices.Sorted(maps.Keys(s))
	if len(keywords) == 0 || keywords[0] != "" {
		return nil, errors.New(`script: no reply for "", the prompts without a keyword`)
	}
	v := newVocabulary()
	asks := map[int]int{} // the reply that a keyword's token asks for
	replies := make([]Reply, len(keywords))
	for i, k := range keywords {
		replies[i] = s[k]
		if err := s[k].validate(); err != nil {
			return nil, fmt.Errorf("script: keyword %q: %w", k, err)
		}
		if _, spelling := v.ids[k]; spelling && len(k) > 1 {
			return nil, fmt.Errorf("script: keyword %q: want no control token, and no single letter beyond ASCII", k)
		}
		if k != "" {
			asks[v.id(k, added)] = i
		}
	}
	c := newChains(v)
	firsts, err := c.lay(replies)
	if err != nil {
		return nil, fmt.Errorf("script: %w", err)
	}
	return scripted(v, c, asks, firsts), nil
}

func (r Reply) validate() error {
	if len(r.weights) == 0 {
		return errors.New("no text")
	}
	for _, text := range slices.Sorted(maps.Keys(r.weights)) {
		if w := r.weights[text]; !(w > 0) || math.IsInf(w, 1) {
			return fmt.Errorf("weight %v of %q, want a number above 0", w, text)
		}
	}
	return nil
}

func (r Reply) total() (sum float64) {
	for _, text := range slices.Sorted(maps.Keys(r.weights)) {
		sum += r.weights[text]
	}
	return sum
}

// Scales of the scripted model. Logits of chosen tokens are near certainty, so
// that no sampling comes between; sure is where e^-sure is next to nothing.
const (
	sure    = 32.    // logit of a reply's first token, others being at 0
	follow  = 4.     // a successor's weight, a reply's first token having 1
	ballast = 4096.  // in every embedding, so that all have one norm
	notice  = 256.   // of keywords by the head, in query and key: notice^2 is above any distance
	recency = 1. / 8 // ALiBi's exponent: a score falls by 2^-recency a token
)

func scripted(v *vocabulary, c *chains, asks map[int]int, firsts []map[int]float64) []byte {
	// The tokens that are ever said have a dimension each, then the replies.
	said := c.said(firsts)
	column := map[int]int{}
	for i, id := range said {
		column[id] = i
	}
	reply := len(said)
	keyword := reply + len(firsts)
	level, up, down := keyword+1, keyword+2, keyword+3
	width := (down/16 + 1) * 16

	embedding := make([]float32, len(v.tokens)*width)
	for id := range v.tokens {
		e := embedding[id*width : (id+1)*width]
		e[up], e[down] = ballast, -ballast
		e[reply+asks[id]] = 1
		if asks[id] > 0 {
			e[keyword] = 1
		}
		if next, ok := c.next[id]; ok && next != nowhere {
			e[column[next]] = follow
		}
		e[level] = -sum(e)
	}
	// The norms divide by the deviation, which is that of the ballast alone.
	gain := filled(width, float32(math.Sqrt(2*ballast*ballast/float64(width))))

	attention := make([]float32, 3*width*width)
	query, key, seen := attention, attention[width*width:], attention[2*width*width:]
	query[up] = float32(notice * math.Sqrt(float64(width)) / ballast)
	key[keyword] = notice
	out := make([]float32, width*width)
	for r, first := range firsts {
		seen[r*width+reply+r] = 1
		for i, id := range said {
			if share, ok := first[id]; ok {
				x := float32(1 + math.Log(share)/sure)
				out[i*width+r] = x
				out[level*width+r] -= x
			}
		}
	}
	output := make([]float32, len(v.tokens)*width)
	for i, id := range said {
		output[id*width+i] = sure
	}

	const inner = 32
	g := &gguf{}
	g.set("general.architecture", "mpt")
	g.set("general.name", "scripted")
	g.set("mpt.block_count", uint32(1))
	g.set("mpt.context_length", uint32(contextLength))
	g.set("mpt.embedding_length", uint32(width))
	g.set("mpt.feed_forward_length", uint32(inner))
	g.set("mpt.attention.head_count", uint32(1))
	g.set("mpt.attention.layer_norm_epsilon", float32(1e-5))
	g.set("mpt.attention.max_alibi_bias", float32(recency))
	v.describe(g)
	g.add("token_embd.weight", width, embedding)
	g.add("blk.0.attn_norm.weight", 0, gain)
	g.add("blk.0.attn_qkv.weight", width, attention)
	g.add("blk.0.attn_output.weight", width, out)
	g.add("blk.0.ffn_norm.weight", 0, gain)
	g.add("blk.0.ffn_up.weight", width, filled(width*inner, 0))
	g.add("blk.0.ffn_down.weight", inner, filled(width*inner, 0))
	g.add("output_norm.weight", 0, gain)
	g.add("output.weight", width, output)
	return g.bytes()
}

func sum(xs []float32) (total float32) {
	for _, x := range xs {
		total += x
	}
	return total
}
