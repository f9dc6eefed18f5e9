package world

import (
	"crypto/sha512"
	"encoding/hex"
	"math/big"
	"math/bits"

	"go.starlark.net/starlark"
)

// twister is the Mersenne Twister MT19937 (Matsumoto and Nishimura 1998), as
// Python's random.Random seeds and reads it. Its methods in Starlark:
// random(), randint(least, most), choice(list).
type twister struct {
	state [624]uint32
	index int
}

// newTwister is random.Random(text): the key is the text's UTF-8 bytes
// followed by their SHA-512 digest, read as one big-endian number.
func newTwister(text string) *twister {
	digest := sha512.Sum512([]byte(text))
	seed := new(big.Int).SetBytes(append([]byte(text), digest[:]...))
	var key []uint32
	word := new(big.Int)
	for mask := big.NewInt(0xffffffff); seed.Sign() > 0; seed.Rsh(seed, 32) {
		key = append(key, uint32(word.And(seed, mask).Uint64()))
	}
	t := &twister{}
	t.seedArray(key)
	return t
}

func (t *twister) seed(s uint32) {
	t.state[0] = s
	for i := 1; i < len(t.state); i++ {
		t.state[i] = 1812433253*(t.state[i-1]^t.state[i-1]>>30) + uint32(i)
	}
	t.index = len(t.state)
}

// seedArray is init_by_array of the reference.
func (t *twister) seedArray(key []uint32) {
	const n = 624
	t.seed(19650218)
	i, j := 1, 0
	for range max(n, len(key)) {
		t.state[i] = (t.state[i] ^ (t.state[i-1]^t.state[i-1]>>30)*1664525) + key[j] + uint32(j)
		if i++; i >= n {
			t.state[0], i = t.state[n-1], 1
		}
		if j++; j >= len(key) {
			j = 0
		}
	}
	for range n - 1 {
		t.state[i] = (t.state[i] ^ (t.state[i-1]^t.state[i-1]>>30)*1566083941) - uint32(i)
		if i++; i >= n {
			t.state[0], i = t.state[n-1], 1
		}
	}
	t.state[0] = 0x80000000
}

func (t *twister) uint32() uint32 {
	const n, m = 624, 397
	if t.index >= n {
		for k := range n {
			y := t.state[k]&0x80000000 | t.state[(k+1)%n]&0x7fffffff
			t.state[k] = t.state[(k+m)%n] ^ y>>1 ^ (y&1)*0x9908b0df
		}
		t.index = 0
	}
	y := t.state[t.index]
	t.index++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

// float is a uniform number in [0, 1) with 53 bits.
func (t *twister) float() float64 {
	a, b := t.uint32()>>5, t.uint32()>>6
	return (float64(a)*67108864 + float64(b)) / 9007199254740992
}

// below is a uniform number in [0, n), by rejection as Python does it. It
// wants 1 ≤ n < 2³².
func (t *twister) below(n int) int {
	for k := bits.Len(uint(n)); ; {
		if r := int(t.uint32() >> (32 - k)); r < n {
			return r
		}
	}
}

func (t *twister) String() string        { return "random" }
func (t *twister) Type() string          { return "random" }
func (t *twister) Freeze()               {}
func (t *twister) Truth() starlark.Bool  { return true }
func (t *twister) Hash() (uint32, error) { return 0, valueError("a generator is no key") }
func (t *twister) AttrNames() []string   { return []string{"choice", "randint", "random"} }

func (t *twister) Attr(name string) (starlark.Value, error) {
	switch name {
	case "random":
		return method(name, func(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			return starlark.Float(t.float()), starlark.UnpackArgs(name, args, kwargs)
		}), nil
	case "randint":
		return method(name, func(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			var least, most int
			if err := starlark.UnpackArgs(name, args, kwargs, "least", &least, "most", &most); err != nil {
				return nil, err
			}
			if n := most - least + 1; n < 1 || n > 1<<31 {
				return nil, valueError("empty range for randint(%d, %d)", least, most)
			}
			return starlark.MakeInt(least + t.below(most-least+1)), nil
		}), nil
	case "choice":
		return method(name, func(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			var from starlark.Indexable
			if err := starlark.UnpackArgs(name, args, kwargs, "from", &from); err != nil {
				return nil, err
			}
			if from.Len() == 0 {
				return nil, valueError("choice from nothing")
			}
			return from.Index(t.below(from.Len())), nil
		}), nil
	}
	return nil, nil
}

func sha512Hex(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var text string
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "text", &text); err != nil {
		return nil, err
	}
	digest := sha512.Sum512([]byte(text))
	return starlark.String(hex.EncodeToString(digest[:])), nil
}
