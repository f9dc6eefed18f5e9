package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/stages"
)

func (a *app) mergeCommand() *cobra.Command {
	var out string
	var force bool
	c := &cobra.Command{
		Use:   "merge DIR… -o OUT",
		Short: "Join the folders of all shards of a run",
		Long: `Makes one folder of those that generate --shard made, given in any order: byte
for byte the folder that generate makes without shards. What is missing, given
twice, damaged or of another run is refused. The shards stay as they are.`,
		Example: "  fmsop merge shard-1 shard-2 shard-3 shard-4 -o data\n  fmsop merge shards/* -o data --force",
		Args:    arguments(1, -1),
		RunE: func(cmd *cobra.Command, dirs []string) error {
			if out == "" {
				return hint(usagef("merge needs the output folder: -o OUT"), "fmsop merge shard-1 shard-2 -o data")
			}
			made, err := a.merge(cmd.Context(), dirs, out, force)
			if err != nil {
				return err
			}
			return a.showGeneration(made, false)
		},
	}
	flags := c.Flags()
	flags.StringVarP(&out, "output", "o", "", "`OUT`, the folder to make")
	flags.BoolVar(&force, "force", false, "replace a dataset folder that is there")
	return c
}

func (a *app) merge(ctx context.Context, dirs []string, out string, force bool) (*generation, error) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	begin := time.Now()
	m, err := dataset.Merge(ctx, dirs, out, dataset.Options{Force: force})
	if err != nil && ctx.Err() != nil {
		return nil, fmt.Errorf("stopped; %s was not written", out)
	}
	if err != nil {
		return nil, err
	}
	asked, err := askedOf(m)
	if err != nil {
		return nil, err
	}
	made, err := summaryOf(out, m, asked, begin)
	if err != nil {
		return nil, err
	}
	made.Merged = len(dirs)
	return made, nil
}

// askedOf is the number of groups that the run was to make.
func askedOf(m dataset.Manifest) (int, error) {
	text, err := json.Marshal(m.Config)
	if err != nil {
		return 0, err
	}
	var o stages.Options
	if err := json.Unmarshal(text, &o); err != nil {
		return 0, fmt.Errorf("%s: config: %w", dataset.ManifestFile, err)
	}
	return o.Groups * len(o.Stages), nil
}
