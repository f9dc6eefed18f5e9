package stages

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
)

// newRand derives a generator from a seed and the names of what it is for:
// nothing else decides what is drawn.
func newRand(seed uint64, parts ...any) *rand.Rand {
	h := sha256.New()
	fmt.Fprintf(h, "%d", seed)
	for _, p := range parts {
		fmt.Fprintf(h, "\x00%v", p)
	}
	sum := h.Sum(nil)
	return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum), binary.LittleEndian.Uint64(sum[8:])))
}

// digest returns 12 hexadecimal digits of the parts.
func digest(parts ...string) string {
	size := len(parts)
	for _, p := range parts {
		size += len(p)
	}
	all := make([]byte, 0, size)
	for _, p := range parts {
		all = append(append(all, p...), 0)
	}
	sum := sha256.Sum256(all)
	return hex.EncodeToString(sum[:6])
}

// fraction maps parts to [0,1), evenly.
func fraction(seed uint64, parts ...any) float64 { return newRand(seed, parts...).Float64() }

func boolOrder(b bool) int {
	if b {
		return 1
	}
	return 0
}
