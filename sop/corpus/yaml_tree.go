package corpus

import (
	"reflect"

	"github.com/fmsop/fmsop/sop"
	"github.com/goccy/go-yaml/ast"
)

// tree decodes a tree and remembers where its leaves stand.
func (d *yamlDecoder) tree(n ast.Node, v reflect.Value, path string, depth int) {
	before := len(d.problems)
	plain := d.plain(n, path, depth)
	if len(d.problems) > before {
		return
	}
	tree, err := sop.TreeOf(plain)
	if err != nil {
		d.problem(lineOf(n), path, "%v", err)
		return
	}
	d.markLeaves(n, tree)
	v.Set(reflect.ValueOf(tree))
}

// markLeaves walks the node and the tree that was read from it side by side.
func (d *yamlDecoder) markLeaves(n ast.Node, tree *sop.Tree) {
	if n = d.resolve(n, "", 0); n == nil || tree == nil {
		return
	}
	switch x := n.(type) {
	case ast.MapNode:
		it := x.MapRange()
		if !it.Next() {
			return
		}
		parts := []ast.Node{it.Value()}
		if seq, ok := d.resolve(it.Value(), "", 0).(*ast.SequenceNode); ok && tree.Op != sop.Not {
			parts = seq.Values
		}
		for i, p := range parts[:min(len(parts), len(tree.Parts))] {
			d.markLeaves(p, tree.Parts[i])
		}
	default:
		d.leaves[tree] = lineOf(n)
	}
}
