package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/export"
	"github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/tokens"
)

func (a *app) exportCommand() *cobra.Command {
	var formats, mix []string
	var out, encoding, pairs, tokenizer string
	var stage, most int
	var force, unreviewed bool
	c := &cobra.Command{
		Use:   "export DIR --format F[,F…] -o OUT",
		Short: "Rows for trainers: TRL, LLaMA-Factory, Axolotl, ms-swift, verl, OpenAI",
		Long: `Turns the groups of a dataset folder into the rows that trainers read, a folder
a format, with the trainer's own settings and the command line beside them.

Formats:
` + formatTable() + `
A group has one right answer and several wrong ones. --pairs says which of the
wrong ones are taken: all, the most similar to the right one of each operator, or
the K most similar.`,
		Example: `  fmsop export data --format trl-dpo -o out
  fmsop export data --format trl-sft,trl-kto --pairs hardest=2 --stage-k 2 -o out
  fmsop export data --format trl-dpo --tokenizer Qwen2.5-7B-Instruct --max-tokens 4096 -o out
  fmsop export data --format trl-sft --mix-in chat.jsonl:0.1 --encoding parquet -o out`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case out == "":
				return hint(usagef("export needs the output folder: -o OUT"), "fmsop export %s --format trl-dpo -o out", args[0])
			case len(formats) == 0:
				return hint(usagef("export needs a format: --format F"), "fmsop export --help lists the formats")
			}
			o := export.Options{Encoding: export.Encoding(encoding), Stage: stage, Unreviewed: unreviewed}
			var err error
			if o.Formats, err = export.Lookup(formats); err != nil {
				return usage(err)
			}
			if o.Pairs, err = export.ParsePairs(pairs); err != nil {
				return usage(err)
			}
			for _, m := range mix {
				parsed, err := export.ParseMix(m)
				if err != nil {
					return usage(err)
				}
				o.Mix = append(o.Mix, parsed)
			}
			switch {
			case most < 0:
				return usagef("--max-tokens is %d, want a number of tokens", most)
			case most > 0 && tokenizer == "":
				return hint(usagef("--max-tokens needs a tokenizer: --tokenizer PATH"), "the tokenizer.json of the model, or its folder")
			case tokenizer != "":
				if o.Tokenizer, err = tokens.Open(tokenizer); err != nil {
					return usage(err)
				}
				o.Most = most
			}
			begin := time.Now()
			m, err := a.export(cmd.Context(), args[0], out, o, force)
			if err != nil {
				return err
			}
			return a.showExport(out, m, begin)
		},
	}
	flags := c.Flags()
	flags.StringSliceVar(&formats, "format", nil, "`F[,F…]`, the formats to write")
	flags.StringVarP(&out, "output", "o", "", "`OUT`, the folder to make")
	flags.StringVar(&encoding, "encoding", string(export.JSONL), "`E`: jsonl, jsonl.zst or parquet")
	flags.StringVar(&pairs, "pairs", export.Pairs{}.String(), "`P`: all, per-operator or hardest=K")
	flags.IntVar(&stage, "stage-k", 0, "`K`: rows of the stages up to K; 0 means all")
	flags.StringArrayVar(&mix, "mix-in", nil, "`FILE:share` of chats to blend into the training rows; may be given several times")
	flags.StringVar(&tokenizer, "tokenizer", "", "`PATH` of a tokenizer.json or a model's folder: rows are counted under its chat template")
	flags.IntVar(&most, "max-tokens", 0, "`N` tokens that a row may have; longer ones are left out, and counted")
	flags.BoolVar(&unreviewed, "unreviewed", false, "take the rows too that lean on readings which nobody has accepted, into files of their own")
	flags.BoolVar(&force, "force", false, "replace a folder of exports that is there")
	return c
}

func formatTable() string {
	var rows [][]string
	for _, f := range export.Formats {
		rows = append(rows, []string{"  " + f.Name, f.Title})
	}
	return columns(rows) + "\n"
}

func (a *app) export(ctx context.Context, dir, out string, o export.Options, force bool) (m export.Manifest, err error) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	reader, err := dataset.Open(dir)
	if err != nil {
		return m, err
	}
	x, err := export.Open(reader.Manifest, o)
	if err != nil {
		return m, usage(err)
	}
	err = run.AtomicFolder(out, force, isExport, func(folder string) error {
		w, err := x.Create(folder)
		if err != nil {
			return err
		}
		defer w.Abort()
		for _, s := range x.Sources {
			if err := eachRows(ctx, run.Options{Workers: a.config.Workers, Progress: a.progress("export " + s.Split)}, filepath.Join(dir, s.File), s.Rows,
				func(rows []dataset.Row) (*export.Part, error) { return x.Convert(s.Split, rows) }, w.Append); err != nil {
				return err
			}
		}
		m, err = w.Close()
		return err
	})
	if err != nil && ctx.Err() != nil {
		return m, fmt.Errorf("stopped; %s was not written", out)
	}
	return m, err
}

func isExport(dir string) error {
	_, err := os.Stat(filepath.Join(dir, export.ManifestFile))
	return err
}

func (a *app) showExport(out string, m export.Manifest, begin time.Time) error {
	if a.json {
		return a.emit(struct {
			Folder string `json:"folder"`
			export.Manifest
		}{out, m})
	}
	a.printf("%s: %s in %.1f s\n", out, count(len(m.Formats), "format"), time.Since(begin).Seconds())
	var rows [][]string
	for _, name := range slices.Sorted(maps.Keys(m.Formats)) {
		made := m.Formats[name]
		var files []string
		for _, split := range []string{dataset.Train, dataset.Validation, dataset.Test, dataset.Unreviewed} {
			if f, ok := made.Split(split); ok {
				files = append(files, fmt.Sprintf("%s %d", split, f.Rows))
			}
		}
		rows = append(rows, []string{"  " + name, "rows: " + strings.Join(files, ", ")})
		if t := made.Tokens; t != nil {
			rows = append(rows, []string{"", fmt.Sprintf("tokens: median %d, 95 %% up to %d, longest %d, in all %d", t.Median, t.P95, t.Longest, t.Tokens)})
		}
		for _, why := range slices.Sorted(maps.Keys(made.LeftOut)) {
			rows = append(rows, []string{"", fmt.Sprintf("left out: %s, %s", count(made.LeftOut[why], "group"), why)})
		}
		for _, file := range slices.Sorted(maps.Keys(made.Mixed)) {
			mixed := made.Mixed[file]
			rows = append(rows, []string{"", fmt.Sprintf("mixed in: %d of %s", mixed.Rows, file)})
			if mixed.Rows < mixed.Wanted {
				a.remark("%s has %s, %d would make the share %g", file, count(mixed.Rows, "chat"), mixed.Wanted, mixed.Share)
			}
		}
	}
	a.printf("%s\n", columns(rows))
	return nil
}
