//go:build !hftokenizers

package tokens

import "testing"

func FuzzTokenizer(f *testing.F) {
	f.Add(small, "abcd word <end>")
	f.Add(`{"model": {"vocab": {"a": 1}, "merges": []}, "normalizer": {"type": "Sequence", "normalizers": [{"type": "NFC"}]}, "pre_tokenizer": {"type": "Metaspace", "replacement": "_"}}`, "a b")
	f.Add(`{"model": {"type": "BPE", "vocab": {"a": 1}}, "pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "Digits"}, {"type": "ByteLevel"}]}}`, "a1\xff")
	f.Fuzz(func(t *testing.T, file, text string) {
		p, err := parseParts([]byte(file))
		if err != nil {
			return
		}
		e, err := newNative(p)
		if err != nil {
			return
		}
		if _, err := e.encode(text); err != nil {
			t.Fatal(err)
		}
	})
}
