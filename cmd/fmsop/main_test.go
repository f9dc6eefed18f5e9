package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/dataset"
)

var update = flag.Bool("update", false, "rewrite the wanted outputs in testdata/script")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"fmsop": main, "questions": questions, "cutquery": cutQuery})
}

// TestScripts runs the command as a user would. Each script has the small pack
// of package corpus in the folder pack, the files of configs/cluster and of
// examples, and the recipes.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Setup: func(env *testscript.Env) error {
			env.Setenv("NO_COLOR", "1")
			if err := os.CopyFS(filepath.Join(env.WorkDir, "cluster"), os.DirFS("../../configs/cluster")); err != nil {
				return err
			}
			if err := os.CopyFS(filepath.Join(env.WorkDir, "configs/recipes"), os.DirFS("../../configs/recipes")); err != nil {
				return err
			}
			if err := os.CopyFS(filepath.Join(env.WorkDir, "examples"), os.DirFS("../../examples")); err != nil {
				return err
			}
			return unpack(filepath.Join(env.WorkDir, "pack"))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status":     status,
			"edit":       editFile,
			"truncate":   truncate,
			"empty":      empty,
			"same":       sameFolder,
			"for-shards": forShards,
			"tasks":      tasks,
			"pods":       pods,
			"recipe":     recipe,
			"judges":     judges,
			"clerks":     clerks,
		},
	})
}

func unpack(dir string) error {
	pack, err := txtar.ParseFile("../../sop/corpus/testdata/pack.txtar")
	if err != nil {
		return err
	}
	for _, f := range pack.Files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, f.Data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// status N ARGS… runs fmsop and wants the exit status N.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: status N ARGS…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exited *exec.ExitError
	if err := ts.Exec("fmsop", args[1:]...); errors.As(err, &exited) {
		got = exited.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("fmsop %s: exit status %d, want %d\n%s%s", strings.Join(args[1:], " "), got, want, ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	}
}

// edit FILE OLD NEW replaces the only OLD in the file; both may hold Go escapes.
func editFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: edit FILE OLD NEW")
	}
	path := ts.MkAbs(args[0])
	text, err := os.ReadFile(path)
	ts.Check(err)
	var words [2]string
	for i := range words {
		words[i], err = strconv.Unquote(`"` + strings.ReplaceAll(args[1+i], `"`, `\"`) + `"`)
		ts.Check(err)
	}
	if n := strings.Count(string(text), words[0]); n != 1 {
		ts.Fatalf("%s has %q %d times, want once", args[0], words[0], n)
	}
	ts.Check(os.WriteFile(path, []byte(strings.Replace(string(text), words[0], words[1], 1)), 0o666))
}

// truncate FILE cuts a file in half.
func truncate(ts *testscript.TestScript, _ bool, args []string) {
	path := ts.MkAbs(args[0])
	info, err := os.Stat(path)
	ts.Check(err)
	ts.Check(os.Truncate(path, info.Size()/2))
}

// empty DIR wants nothing of that name, under a temporary name neither.
func empty(ts *testscript.TestScript, _ bool, args []string) {
	left, err := filepath.Glob(ts.MkAbs(args[0]) + "*")
	ts.Check(err)
	if len(left) > 0 {
		ts.Fatalf("left behind: %s", strings.Join(left, ", "))
	}
}

// questions turns rows on standard input into questions for fmsop check: each
// with its right answer and then with every wrong one.
func questions() {
	for row, err := range dataset.ReadRows(os.Args[1]) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		answers := []string{row.Positive.Text}
		for _, n := range row.Negatives {
			answers = append(answers, n.Text)
		}
		for _, text := range answers {
			line, err := json.Marshal(map[string]any{"row": row, "answer": text})
			if err != nil {
				panic(err)
			}
			fmt.Println(string(line))
		}
	}
}

// cutQuery turns the first row of a file into a question that lacks its last word.
func cutQuery() {
	for row, err := range dataset.ReadRows(os.Args[1]) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		words := strings.Fields(row.Query)
		line, err := json.Marshal(dataset.Asked{ID: "shorter", Context: row.Context, Query: strings.Join(words[:len(words)-3], " ")})
		if err != nil {
			panic(err)
		}
		fmt.Println(string(line))
		return
	}
}

// start runs the command in this process.
func start(t *testing.T, stdin string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, problems bytes.Buffer
	a := &app{stdin: strings.NewReader(stdin), stdout: &out, stderr: &problems}
	status = a.run(context.Background(), args)
	return status, out.String(), problems.String()
}

func TestEveryCommandHasAnExampleAndAScript(t *testing.T) {
	scripts, err := filepath.Glob("testdata/script/*.txtar")
	require.NoError(t, err)
	var all strings.Builder
	for _, s := range scripts {
		text, err := os.ReadFile(s)
		require.NoError(t, err)
		all.Write(text)
	}
	a := &app{}
	for _, c := range a.root().Commands() {
		for _, c := range append(c.Commands(), c) {
			require.NotEmpty(t, c.Short, c.CommandPath())
			require.NotEmpty(t, c.Example, c.CommandPath())
			if !c.HasSubCommands() {
				require.Contains(t, all.String(), c.CommandPath(), "no script runs %s", c.CommandPath())
			}
		}
	}
}
