package dataset

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// workflow is a valid row of stage 2 with one negative; number tells it apart.
func workflow(number int) Row {
	return Row{
		ID: fmt.Sprintf("s2-bank-transfer_funds-%06x", number), Stage: 2, Task: "sequence", View: ViewWorkflow,
		Domain: "bank", Procedure: "transfer_funds", Split: Train,
		Context: fmt.Sprintf("Sign the customer in & check that < %d USD are owed.", number), Query: "Which calls, in which order?",
		Positive: Answer{"1. login_user\n2. deny", `{"workflow":["login_user","deny"]}`},
		Negatives: []Negative{{Text: "1. deny", Payload: `{"workflow":["deny"]}`, Operator: "outcome", Violation: "wrong_end",
			Proof: `{"position":0}`, Similarity: 0.5}},
		Reference: `{"facts":{"logged_in_user":false},"goal":"transfer_funds"}`, Meta: `{"seed":7}`,
	}
}

// concept is a valid row of stage 1 with two negatives.
func concept(number int) Row {
	r := workflow(number)
	r.ID, r.Stage, r.Task, r.View = fmt.Sprintf("s1-bank-%06x", number), 1, "concept", ViewDefinition
	r.Positive = Answer{"payee", `{"term":"payee"}`}
	r.Negatives = []Negative{
		{Text: "payer", Payload: `{"term":"payer"}`, Operator: "term", Violation: "confusable", Proof: `{"not_because":"pays"}`, Similarity: 0},
		{Text: "account", Payload: `{"term":"account"}`, Operator: "term", Violation: "type", Proof: `{}`, Similarity: 1.0 / 3},
	}
	r.Reference = `{"relation":"definition"}`
	return r
}

func graph(number int) Row {
	r := workflow(number)
	r.ID, r.Stage, r.Task, r.View = fmt.Sprintf("s3-bank-transfer_funds-%06x", number), 3, "graph", ViewGraph
	r.Positive.Payload, r.Negatives[0].Payload = `{"requires":{"deny":null}}`, `{"requires":{"deny":"x"}}`
	return r
}

func in(split string, r Row) Row { r.Split = split; return r }

// sample has rows of every stage and split; what is held out is another
// procedure.
func sample() []Row {
	rows := []Row{concept(1), concept(2), workflow(3), workflow(4), workflow(5), graph(6)}
	for i, split := range []string{Validation, Test, Unreviewed, Unproven} {
		r := in(split, workflow(20+i))
		r.Procedure = "pay_bill_" + split
		rows = append(rows, r)
	}
	return rows
}

func sampleInfo() Info {
	return Info{
		Generator: "fmsop test", Seed: 7, Config: map[string]any{"ratio": []int{4, 4, 8}, "a": "<b>"},
		Split:    SplitInfo{Unit: UnitProcedure, Assignments: map[string]string{"bank/transfer_funds": Train}},
		Exposure: []Exposure{{"bank", "transfer_funds", "0123abcd"}}, Notes: []string{"two concepts only"},
	}
}

// write makes a folder with one batch for each row.
func write(t testing.TB, dir string, o Options, rows []Row, drops ...Drop) Manifest {
	t.Helper()
	w, err := Create(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	for i, r := range rows {
		b := NewBatch(o)
		b.Add(r)
		if i == 0 {
			for _, d := range drops {
				b.Drop(d)
			}
		}
		if err := b.Seal(); err != nil {
			t.Fatal(err)
		}
		if err := w.Append(b); err != nil {
			t.Fatal(err)
		}
	}
	m, err := w.Close(sampleInfo())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// rows reads a file and fails on the first error.
func readAll(t testing.TB, dir, name string) []Row {
	t.Helper()
	reader, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	var rows []Row
	for r, err := range reader.Rows(name) {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	return rows
}

func names(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func wantNames(t testing.TB, dir string, want ...string) {
	t.Helper()
	if got := names(t, dir); !slices.Equal(got, want) {
		t.Errorf("%s holds %q, want %q", filepath.Base(dir), got, want)
	}
}

// wantError wants one line with all the words in it.
func wantError(t testing.TB, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("no error, want one with %q", words)
		return
	}
	if strings.ContainsAny(err.Error(), "\n\r") {
		t.Errorf("error %q is more than one line", err)
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("error %q does not say %q", err, word)
		}
	}
}

// anyRow draws a valid row with texts of all kinds.
func anyRow(t *rapid.T) Row {
	text := rapid.StringMatching(`[a-zäß<&>"](.|\n){0,40}`)
	r := rapid.SampledFrom([]func(int) Row{concept, workflow, graph}).Draw(t, "stage")(rapid.IntRange(0, 1<<20).Draw(t, "number"))
	r.Split = rapid.SampledFrom(Splits).Draw(t, "split")
	r.Context = rapid.String().Draw(t, "context")
	r.Query, r.Positive.Text = text.Draw(t, "query"), text.Draw(t, "positive")
	for i := range r.Negatives {
		r.Negatives[i].Text = text.Draw(t, "negative")
		r.Negatives[i].Similarity = float64(rapid.IntRange(0, 10000).Draw(t, "similarity")) / 10000
	}
	return r
}
