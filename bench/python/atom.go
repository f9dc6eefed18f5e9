package python

import (
	"fmt"

	"go.starlark.net/starlark"
)

func (p *parser) atom() (starlark.Value, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	switch t := p.tok; t.kind {
	case tValue:
		if err := p.advance(); err != nil {
			return nil, err
		}
		return p.adjacent(t.value)
	case tName:
		switch t.text {
		case "True":
			return starlark.True, p.advance()
		case "False":
			return starlark.False, p.advance()
		case "None":
			return starlark.None, p.advance()
		}
		return nil, errName
	case tOp:
		switch t.text {
		case "(":
			return p.parenthesised()
		case "[":
			items, err := p.items("]")
			return starlark.NewList(items), err
		case "{":
			return p.braces()
		}
	}
	return nil, errSyntax
}

// adjacent joins texts that follow each other.
func (p *parser) adjacent(v starlark.Value) (starlark.Value, error) {
	for p.tok.kind == tValue {
		a, ok := v.(starlark.String)
		b, also := p.tok.value.(starlark.String)
		if !ok || !also {
			return nil, errSyntax
		}
		v = a + b
		if err := p.advance(); err != nil {
			return nil, err
		}
	}
	return v, nil
}

func (p *parser) parenthesised() (starlark.Value, error) {
	if err := p.advance(); err != nil {
		return nil, err
	}
	if p.is(")") {
		return starlark.Tuple{}, p.advance()
	}
	v, err := p.testlist()
	if err != nil {
		return nil, err
	}
	return v, p.want(")")
}

// items reads up to the closing bracket.
func (p *parser) items(end string) ([]starlark.Value, error) {
	if err := p.advance(); err != nil {
		return nil, err
	}
	var list []starlark.Value
	for !p.is(end) {
		v, err := p.test()
		if err != nil {
			return nil, err
		}
		list = append(list, v)
		if more, err := p.take(","); err != nil {
			return nil, err
		} else if !more {
			break
		}
	}
	return list, p.want(end)
}

// braces reads a mapping or a set.
func (p *parser) braces() (starlark.Value, error) {
	if err := p.advance(); err != nil {
		return nil, err
	}
	d, set := new(starlark.Dict), new(starlark.Set)
	for first := true; !p.is("}"); first = false {
		k, err := p.test()
		if err != nil {
			return nil, err
		}
		colon, err := p.take(":")
		if err != nil {
			return nil, err
		}
		if !first && colon != (set.Len() == 0) {
			return nil, errSyntax
		}
		if colon {
			v, err := p.test()
			if err != nil {
				return nil, err
			}
			err = d.SetKey(key(k), v)
			if err != nil {
				return nil, fmt.Errorf("TypeError: %w", err)
			}
		} else if err := set.Insert(key(k)); err != nil {
			return nil, fmt.Errorf("TypeError: %w", err)
		}
		if more, err := p.take(","); err != nil {
			return nil, err
		} else if !more {
			break
		}
	}
	if err := p.want("}"); err != nil {
		return nil, err
	}
	if set.Len() > 0 {
		return set, nil
	}
	return d, nil
}

// key returns k as a key: booleans are the keys 0 and 1.
func key(k starlark.Value) starlark.Value {
	if b, ok := k.(starlark.Bool); ok {
		return number(b)
	}
	return k
}
