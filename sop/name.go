package sop

import (
	"fmt"
	"sort"
	"strings"
)

// Name is an action or condition with its arguments: which parameter of it is
// filled from which parameter of the request. Arguments that keep their name
// are left out, so that equal meanings have equal strings.
type Name struct {
	Base string
	Args map[string]string
}

// String is the canonical form: check_user_exists(username=payee), several
// arguments sorted and separated by ", ".
func (n Name) String() string {
	keys := make([]string, 0, len(n.Args))
	for k, v := range n.Args {
		if k != v {
			keys = append(keys, k)
		}
	}
	if len(keys) == 0 {
		return n.Base
	}
	sort.Strings(keys)
	var b strings.Builder
	b.WriteString(n.Base)
	b.WriteByte('(')
	for i, k := range keys {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(k + "=" + n.Args[k])
	}
	b.WriteByte(')')
	return b.String()
}

// ParseName reads a canonical name, with blanks allowed around its parts.
func ParseName(s string) (Name, error) {
	s = strings.TrimSpace(s)
	base, rest, has := strings.Cut(s, "(")
	base = strings.TrimSpace(base)
	if !IsIdentifier(base) {
		return Name{}, fmt.Errorf("%q is not a name, want letters, digits and _ with optional (parameter=source, …)", s)
	}
	if !has {
		return Name{Base: base}, nil
	}
	inner, ok := strings.CutSuffix(rest, ")")
	if !ok {
		return Name{}, fmt.Errorf("%q has no closing parenthesis", s)
	}
	n := Name{Base: base, Args: map[string]string{}}
	if strings.TrimSpace(inner) == "" {
		return n, nil
	}
	for _, pair := range strings.Split(inner, ",") {
		k, v, ok := strings.Cut(pair, "=")
		k, v = strings.TrimSpace(k), strings.TrimSpace(v)
		if !ok || !IsIdentifier(k) || !IsIdentifier(v) {
			return Name{}, fmt.Errorf("%q has the argument %q, want parameter=source", s, strings.TrimSpace(pair))
		}
		if _, twice := n.Args[k]; twice {
			return Name{}, fmt.Errorf("%q gives %s twice", s, k)
		}
		n.Args[k] = v
	}
	return n, nil
}

// IsIdentifier reports whether s is a letter or underscore followed by
// letters, digits and underscores, in ASCII.
func IsIdentifier(s string) bool {
	for i, r := range s {
		switch {
		case r == '_' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
		case i > 0 && r >= '0' && r <= '9':
		default:
			return false
		}
	}
	return s != ""
}

// Source returns where the parameter is filled from: itself unless renamed.
func (n Name) Source(parameter string) string {
	if s, ok := n.Args[parameter]; ok {
		return s
	}
	return parameter
}

// Rename passes the renaming m of an enclosing name through n, whose
// parameters are given: each of them is then filled from m of its source.
func (n Name) Rename(m map[string]string, parameters []string) Name {
	out := Name{Base: n.Base}
	for _, p := range parameters {
		s := n.Source(p)
		if r, ok := m[s]; ok {
			s = r
		}
		if s == p {
			continue
		}
		if out.Args == nil {
			out.Args = map[string]string{}
		}
		out.Args[p] = s
	}
	return out
}
