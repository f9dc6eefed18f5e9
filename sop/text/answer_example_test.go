package text_test

import (
	"fmt"

	"github.com/fmsop/fmsop/sop/text"
)

func ExampleReadWorkflow() {
	w, err := text.ReadWorkflow("steps", "Sure, here is the plan:\n1. **`login_user`** – sign the customer in\n2. `exists(username=payee)`\n3. End with `deny`.")
	fmt.Println(w, err)
	_, err = text.ReadWorkflow("prose", "Before `transfer`, call `login_user`.")
	fmt.Println(err)
	// Output:
	// [login_user exists(username=payee) deny] <nil>
	// "Before" before `transfer` leaves open whether or when it is called, want a plan that has each call in backticks, in the order of the calls, and nothing else in backticks
}

func ExampleReadNext() {
	calls := map[string]map[string]string{"exists": {"username": "username"}, "exists(username=payee)": {"username": "payee"}}
	bindings := map[string]any{"username": "ann", "payee": "bob"}
	for _, answer := range []string{`exists(username="bob")`, `exists(username="eve")`, "deny"} {
		fmt.Println(text.ReadNext("call", answer, calls, bindings))
	}
	// Output:
	// exists(username=payee) <nil>
	// exists(?) <nil>
	// deny <nil>
}
