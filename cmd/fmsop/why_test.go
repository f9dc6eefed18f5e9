package main

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/fmsop/fmsop/dataset"
)

func TestWhy(t *testing.T) {
	row := dataset.Row{Reference: `{"requires":{"lend":{"all":["known","paid"]},"ask":null,"look":null},"established_by":{"known":"ask","paid":"look"},
		"depends_on":{},"excludes":[],"effects":{},"facts":{"known":true,"paid":false},"values":{},
		"outcomes":[{"end":"lend","tree":{"all":["known","paid"]}},{"end":"deny","tree":null}],"goal":"lend","history":[],"bindings":{}}`}
	tests := []struct{ name, proof, want string }{
		{"not established", `{"violation":"unmet","position":2,"call":"lend","missing":["known"]}`, "position 2: calls lend while known is not established"},
		{"not so", `{"violation":"unmet","position":0,"call":"lend","missing":["known","paid"]}`,
			"position 0: calls lend while known is not established and paid does not hold here"},
		{"should be false", `{"violation":"unmet","position":0,"call":"lend","missing":["not known","not paid"]}`,
			"position 0: calls lend while known holds here and paid is not known to be false"},
		{"order", `{"violation":"order","position":1,"call":"lend","missing":["known","paid"]}`,
			"position 1: lend demands known, then paid settled in this order, and they were not"},
		{"dead end", `{"violation":"order","position":1,"call":"look","dead_end":true}`,
			"position 1: look breaks an order: no way leads on to an end without a fault"},
		{"goal too early", `{"violation":"wrong_end","position":1,"call":"lend","missing":["paid"]}`, "position 1: ends with lend while paid does not hold here"},
		{"refused too early", `{"violation":"wrong_end","position":1,"call":"deny","missing":["paid"]}`,
			"position 1: ends with deny, though paid may still turn out to hold"},
		{"refused", `{"violation":"wrong_end","position":1,"call":"deny"}`, "position 1: ends with deny, though all that lend demands is known to hold"},
		{"no end", `{"violation":"no_end","position":2}`, "position 2: stops without an end"},
		{"after the end", `{"violation":"after_end","position":2,"call":"ask"}`, "position 2: ask follows the end"},
		{"outside", `{"violation":"outside","position":2,"call":"wave"}`, "position 2: wave is no call of this procedure"},
		{"repeated", `{"violation":"repeated","position":2,"call":"ask"}`, "position 2: calls ask again, with the same arguments"},
		{"idle", `{"violation":"idle","position":2,"call":"ask"}`, "position 2: calls ask, which makes nothing known that is still needed"},
		{"cycle", `{"cycle":["a","b","a"]}`, "the calls wait for each other in a circle: a -> b -> a"},
		{"unsatisfiable", `{"unsatisfiable":true}`, "no consistent case permits the goal"},
		{"witness", `{"witness":{"facts":{"known":true,"paid":false},"workflow":["ask","lend"]},"accepted_by":"negative"}`,
			"this graph accepts, the right one does not: ask -> lend (where nothing but known holds)"},
		{"confusable", `{"because":"confusable","not_because":"A fee is no fine.","means":"What is due."}`, "A fee is no fine."},
		{"type", `{"because":"type","types":["role","record"],"means":"A list."}`, "a term of another type: record, wanted is one of type role"},
		{"context", `{"because":"context","means":"A list."}`, "here it means something else: A list."},
		{"another kind of proof", `{"moon":1}`, `cycle: {"moon":1}`},
	}
	explain := newExplainer(&row)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			assert.Equal(t, test.want, explain.why(&dataset.Negative{Violation: "cycle", Proof: test.proof}))
		})
	}
}
