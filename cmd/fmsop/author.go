package main

import (
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/fmsop/fmsop/agents"
	"github.com/fmsop/fmsop/dataset"
)

// corpusFlags are of no use where a model reads documents.
var corpusFlags = []string{"groups", "ratio", "split-by", "shard", "paraphrase", "parts"}

// author has a model write the rows about documents.
func (a *app) author(cmd *cobra.Command, documents []string, dir string, force bool, model string) error {
	for _, name := range corpusFlags {
		if cmd.Flags().Changed(name) {
			return usagef("--%s is of no use with --author", name)
		}
	}
	if len(documents) == 0 {
		return hint(usagef("--author needs documents to read, .md or .txt"), "fmsop generate handbook.md -o drafts --author %s", model)
	}
	dir = filepath.Clean(dir)
	o := dataset.Options{Force: force, Compression: a.config.Dataset.Compression, Stages: a.config.Generate.Stages,
		Counter: a.counter, MaxTokens: a.config.Generate.MaxTokens}
	client, err := a.openFor(model, dir, o)
	if err != nil {
		return err
	}
	options := agents.AuthorOptions{Stages: a.config.Generate.Stages, Seed: a.config.Generate.Seed, Sampling: a.config.LLM.Sampling}
	author, err := agents.NewAuthor(client.Name(), documents, options)
	if err != nil {
		return usage(err)
	}
	begin := time.Now()
	ctx, drain, stop := a.drained(cmd.Context())
	defer stop()
	runner, err := a.runnerFor(client, dir, drain)
	if err != nil {
		return err
	}
	defer closeRunner(runner, dir)
	m, err := author.Folder(ctx, runner, a.asker(runner), dir, o, a.asking("author", runner))
	if err != nil {
		return unfinished(err, dir, model)
	}
	stats := runner.Stats()
	if !a.json {
		a.remark("%s", stats)
	}
	rows := 0
	for _, n := range m.Counts.Stage {
		rows += n
	}
	made, err := summaryOf(dir, m, rows, begin)
	if err != nil {
		return err
	}
	made.Author = &proposed{*m.Author, m.Authored, stats}
	return a.showGeneration(made, true)
}
