package dataset_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/fmsop/fmsop/dataset"
)

// Write a folder with one row, and read it again.
func Example() {
	parent, err := os.MkdirTemp("", "dataset")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(parent)
	dir, options := filepath.Join(parent, "out"), dataset.Options{Stages: []int{2}}

	w, err := dataset.Create(dir, options)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer w.Abort() // nothing after Close

	batch := dataset.NewBatch(options) // in a worker
	batch.Add(dataset.Row{
		ID: "s2-bank-close_account-1", Stage: 2, Task: "sequence", View: dataset.ViewWorkflow,
		Domain: "bank", Procedure: "close_account", Split: dataset.Train,
		Context: "Nobody's account is closed before they are logged in.", Query: "The account is to be closed. Which calls?",
		Positive: dataset.Answer{Text: "login_user -> close_account", Payload: `{"workflow":["login_user","close_account"]}`},
		Negatives: []dataset.Negative{{
			Text: "close_account", Payload: `{"workflow":["close_account"]}`, Operator: "omit", Violation: "unmet",
			Proof: `{"position":0,"missing":["logged_in_user"]}`, Similarity: 0.5,
		}},
		Reference: `{}`, Meta: `{}`,
	})
	batch.Drop(dataset.Drop{Job: "bank/open_account", Reason: "too_few", Detail: "3 of 4 negatives"})
	if err := batch.Seal(); err != nil {
		fmt.Println(err)
		return
	}
	if err := w.Append(batch); err != nil { // in order, in one goroutine
		fmt.Println(err)
		return
	}
	if _, err := w.Close(dataset.Info{Generator: "example", Seed: 1}); err != nil {
		fmt.Println(err)
		return
	}

	r, err := dataset.Open(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	for row, err := range r.Rows(r.Largest()) {
		fmt.Println(row.ID, row.Negatives[0].Operator, err)
	}
	fmt.Println(dataset.CheckFolder(dir).OK(), r.Manifest.Drops)
	// Output:
	// s2-bank-close_account-1 omit <nil>
	// true map[too_few:1]
}

// What an error looks like.
func ExampleRow_Validate() {
	row := dataset.Row{ID: "s2-bank-close_account-1", Stage: 2, Task: "sequence", View: "graph"}
	fmt.Println(row.Validate())
	// Output:
	// row "s2-bank-close_account-1": unknown view "graph" in stage 2, want workflow or next_action
}
