package main

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/rogpeppe/go-internal/testscript"
)

// same DIR DIR wants the same files with the same bytes in both.
func sameFolder(ts *testscript.TestScript, _ bool, args []string) {
	var held [2]map[string]string
	for i := range held {
		held[i] = map[string]string{}
		root := ts.MkAbs(args[i])
		ts.Check(filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			data, err := os.ReadFile(path)
			held[i][strings.TrimPrefix(path, root)] = string(data)
			return err
		}))
	}
	names := slices.Sorted(maps.Keys(held[0]))
	if others := slices.Sorted(maps.Keys(held[1])); len(names) == 0 || !slices.Equal(names, others) {
		ts.Fatalf("%s holds %q, %s holds %q", args[0], names, args[1], others)
	}
	for _, name := range names {
		if held[0][name] != held[1][name] {
			ts.Fatalf("%s differs between %s and %s", name, args[0], args[1])
		}
	}
}

// forShards N COMMAND… runs the command for every shard, into the folder many.
func forShards(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	for i := range n {
		shard := []string{"--shard", fmt.Sprintf("%d/%d", i+1, n), "-o", fmt.Sprintf("many/%d", i+1)}
		ts.Check(ts.Exec(args[1], slices.Concat(args[2:], shard)...))
	}
}

// tasks FILE runs a batch script of Slurm for every task of the array that its
// opening names.
func tasks(ts *testscript.TestScript, _ bool, args []string) {
	array := regexp.MustCompile(`(?m)^#   sbatch --array=1-([0-9]+) configs/` + regexp.QuoteMeta(args[0]) + `$`)
	found := array.FindStringSubmatch(ts.ReadFile(args[0]))
	if found == nil {
		ts.Fatalf("%s opens without the command that runs it", args[0])
	}
	n, err := strconv.Atoi(found[1])
	ts.Check(err)
	for i := range n {
		ts.Setenv("SLURM_ARRAY_TASK_ID", fmt.Sprint(i+1))
		ts.Check(ts.Exec("sh", args[0]))
	}
}

// indexedJob is what of an Indexed Job says how its pods are run.
type indexedJob struct {
	Kind string `yaml:"kind"`
	Spec struct {
		CompletionMode string `yaml:"completionMode"`
		Completions    int    `yaml:"completions"`
		Template       struct {
			Spec struct {
				Containers []struct {
					Env     []struct{ Name, Value string } `yaml:"env"`
					Command []string                       `yaml:"command"`
					Args    []string                       `yaml:"args"`
				} `yaml:"containers"`
			} `yaml:"spec"`
		} `yaml:"template"`
	} `yaml:"spec"`
}

// pods FILE runs the container of an Indexed Job for every completion. What
// the script's environment sets goes before the file's.
func pods(ts *testscript.TestScript, _ bool, args []string) {
	var job indexedJob
	ts.Check(yaml.Unmarshal([]byte(ts.ReadFile(args[0])), &job))
	containers := job.Spec.Template.Spec.Containers
	if job.Kind != "Job" || job.Spec.CompletionMode != "Indexed" || job.Spec.Completions < 2 || len(containers) != 1 {
		ts.Fatalf("%s is %+v, want an Indexed Job with one container", args[0], job)
	}
	c := containers[0]
	for _, e := range c.Env {
		if ts.Getenv(e.Name) == "" {
			ts.Setenv(e.Name, e.Value)
		}
	}
	for i := range job.Spec.Completions {
		ts.Setenv("JOB_COMPLETION_INDEX", fmt.Sprint(i))
		ts.Check(ts.Exec(c.Command[0], slices.Concat(c.Command[1:], c.Args)...))
	}
}
