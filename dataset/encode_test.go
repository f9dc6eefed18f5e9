package dataset

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// Numbers with a fraction of up to 4 decimals are written by encoding/json as
// similarities are; all else is always the same.
func TestAppendJSONIsThatOfEncodingJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := anyRow(t)
		bytes := rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })
		for _, field := range []*string{&r.ID, &r.Task, &r.View, &r.Domain, &r.Procedure, &r.Split, &r.Context, &r.Query,
			&r.Positive.Text, &r.Positive.Payload, &r.Reference, &r.Meta} {
			*field = rapid.OneOf(rapid.String(), bytes).Draw(t, "field")
		}
		for i := range r.Negatives {
			n := &r.Negatives[i]
			for _, field := range []*string{&n.Text, &n.Payload, &n.Operator, &n.Violation, &n.Proof} {
				*field = rapid.OneOf(rapid.String(), bytes).Draw(t, "field")
			}
			n.Similarity = float64(rapid.IntRange(1, 9999).Draw(t, "similarity")) / 10000
		}
		sameAsEncodingJSON(t, &r)
	})
}

func FuzzAppendJSON(f *testing.F) {
	for _, s := range []string{"", `a "b" \c`, "tab\t, line\n, nul\x00, del\x7f", "\u2028\u2029\u2027", "caf\xe9 café", "<&>", "1234567\"", "\xe2\x80", "😀\x80\xff"} {
		f.Add(s, uint64(0))
	}
	f.Fuzz(func(t *testing.T, s string, seed uint64) {
		rng := rand.New(rand.NewPCG(seed, 0)) // where the string stands among the eight bytes that are looked at
		r := workflow(1)
		r.Context = "padding"[:rng.IntN(8)] + s + "padding"[:rng.IntN(8)]
		for i := range r.Negatives {
			r.Negatives[i].Similarity = 0.5
		}
		sameAsEncodingJSON(t, &r)
	})
}

func sameAsEncodingJSON(t interface {
	Helper()
	Fatalf(string, ...any)
}, r *Row) {
	t.Helper()
	got, err := r.AppendJSON([]byte("> "))
	want, wantErr := appendLine([]byte("> "), r)
	if err != nil || wantErr != nil || string(got) != string(want) {
		t.Fatalf("errors %v, %v\n got %q\nwant %q", err, wantErr, got, want)
	}
}
