package world

import (
	"slices"

	"go.starlark.net/syntax"
)

// wordsOf lists the texts that the functions of a tools.star compare with or
// look for: what a field of a database may hold.
func wordsOf(file string, text []byte) []string {
	parsed, err := (&syntax.FileOptions{}).Parse(file, text, 0)
	if err != nil {
		return nil // executing the file reports it
	}
	var words []string
	var take func(e syntax.Expr)
	take = func(e syntax.Expr) {
		switch e := e.(type) {
		case *syntax.Literal:
			if s, ok := e.Value.(string); ok && s != "" && !slices.Contains(words, s) {
				words = append(words, s)
			}
		case *syntax.ParenExpr:
			take(e.X)
		case *syntax.ListExpr:
			for _, x := range e.List {
				take(x)
			}
		case *syntax.TupleExpr:
			for _, x := range e.List {
				take(x)
			}
		}
	}
	syntax.Walk(parsed, func(n syntax.Node) bool {
		if b, ok := n.(*syntax.BinaryExpr); ok {
			switch b.Op {
			case syntax.EQL, syntax.NEQ:
				take(b.X)
				take(b.Y)
			case syntax.IN, syntax.NOT_IN:
				take(b.Y)
			}
		}
		return true
	})
	slices.Sort(words)
	return words
}
