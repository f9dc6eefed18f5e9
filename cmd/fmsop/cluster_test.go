package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"

	"github.com/goccy/go-yaml"
	"github.com/rogpeppe/go-internal/testscript"
)

// same DIR DIR wants the same files with the same bytes in both.
func sameFolder(ts *testscript.TestScript, _ bool, args []string) {
	var listed [2][]string
	for i := range listed {
		entries, err := os.ReadDir(ts.MkAbs(args[i]))
		ts.Check(err)
		for _, e := range entries {
			listed[i] = append(listed[i], e.Name())
		}
	}
	if len(listed[0]) == 0 || !slices.Equal(listed[0], listed[1]) {
		ts.Fatalf("%s holds %q, %s holds %q", args[0], listed[0], args[1], listed[1])
	}
	for _, name := range listed[0] {
		if ts.ReadFile(args[0]+"/"+name) != ts.ReadFile(args[1]+"/"+name) {
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
