package tinymodel

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Random is a Qwen2 model with random weights: 2 layers, 64 wide, 4 heads of
// which 2 have keys of their own, about 110,000 parameters. It says nonsense,
// bytes that are no text among it, but may be told to keep to a schema, has
// embeddings, and its log-probabilities depend on all of the prompt. The same
// seed gives the same bytes.
func Random(seed uint64) []byte {
	const layers, width, heads, keyHeads, inner = 2, 64, 4, 2, 128
	v := newVocabulary()
	g := &gguf{}
	g.set("general.architecture", "qwen2")
	g.set("general.name", fmt.Sprintf("random-%d", seed))
	g.set("qwen2.block_count", uint32(layers))
	g.set("qwen2.context_length", uint32(contextLength))
	g.set("qwen2.embedding_length", uint32(width))
	g.set("qwen2.feed_forward_length", uint32(inner))
	g.set("qwen2.attention.head_count", uint32(heads))
	g.set("qwen2.attention.head_count_kv", uint32(keyHeads))
	g.set("qwen2.attention.layer_norm_rms_epsilon", float32(1e-6))
	g.set("qwen2.rope.freq_base", float32(10000))
	v.describe(g)

	r := rand.New(rand.NewPCG(seed, 0))
	matrix := func(name string, from, to int) {
		data := make([]float32, from*to)
		for i := range data {
			data[i] = float32(r.NormFloat64() / math.Sqrt(float64(from)))
		}
		g.add(name+".weight", from, data)
	}
	keys := width / heads * keyHeads
	matrix("token_embd", width, len(v.tokens))
	for l := range layers {
		block := fmt.Sprintf("blk.%d.", l)
		g.add(block+"attn_norm.weight", 0, filled(width, 1))
		matrix(block+"attn_q", width, width)
		matrix(block+"attn_k", width, keys)
		matrix(block+"attn_v", width, keys)
		g.add(block+"attn_q.bias", 0, filled(width, 0))
		g.add(block+"attn_k.bias", 0, filled(keys, 0))
		g.add(block+"attn_v.bias", 0, filled(keys, 0))
		matrix(block+"attn_output", width, width)
		g.add(block+"ffn_norm.weight", 0, filled(width, 1))
		matrix(block+"ffn_gate", width, inner)
		matrix(block+"ffn_up", width, inner)
		matrix(block+"ffn_down", inner, width)
	}
	g.add("output_norm.weight", 0, filled(width, 1))
	matrix("output", width, len(v.tokens))
	return g.bytes()
}

func filled(n int, x float32) []float32 {
	data := make([]float32, n)
	for i := range data {
		data[i] = x
	}
	return data
}
