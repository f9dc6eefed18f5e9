package tokens

import (
	"fmt"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// normalizer rewrites a text before it is split.
type normalizer func(string) string

func newNormalizer(c component) (normalizer, error) {
	switch c.Type {
	case "":
		return func(s string) string { return s }, nil
	case "NFC":
		return norm.NFC.String, nil
	case "NFD":
		return norm.NFD.String, nil
	case "NFKC":
		return norm.NFKC.String, nil
	case "NFKD":
		return norm.NFKD.String, nil
	case "Lowercase":
		return strings.ToLower, nil
	case "ByteLevel":
		return byteLevel, nil
	case "Prepend":
		return func(s string) string {
			if s == "" {
				return s
			}
			return c.Prepend + s
		}, nil
	case "Replace":
		if c.Pattern.String != "" {
			return func(s string) string { return strings.ReplaceAll(s, c.Pattern.String, c.Content) }, nil
		}
		e, err := compile(c.Pattern.Regex)
		if err != nil {
			return nil, err
		}
		return e.replacer(c.Content), nil
	case "Sequence":
		var all []normalizer
		for _, part := range c.Normalizers {
			n, err := newNormalizer(part)
			if err != nil {
				return nil, err
			}
			all = append(all, n)
		}
		return func(s string) string {
			for _, n := range all {
				s = n(s)
			}
			return s
		}, nil
	}
	return nil, fmt.Errorf("the normalizer %q is not supported", c.Type)
}

// byteLetters stand for the 256 bytes, as GPT-2 writes them: printable bytes
// for themselves, the others for letters from U+0100 on.
var byteLetters = func() (letters [256]rune) {
	next := rune(256)
	for b := range letters {
		if r := rune(b); r >= '!' && r <= '~' || r >= '¡' && r <= '¬' || r >= '®' {
			letters[b] = r
			continue
		}
		letters[b] = next
		next++
	}
	return letters
}()

func byteLevel(s string) string {
	var b strings.Builder
	b.Grow(len(s) + len(s)/4)
	for i := range len(s) {
		b.WriteRune(byteLetters[s[i]])
	}
	return b.String()
}
