package main

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/stages"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "The versions of the program, its data and its format",
		Example: "  fmsop version --json",
		Args:    arguments(0, 0),
		RunE: func(*cobra.Command, []string) error {
			program := "devel"
			if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
				program = info.Main.Version
			}
			if a.json {
				return a.emit(map[string]any{"version": program, "generator": stages.GeneratorVersion, "format": dataset.FormatVersion, "go": runtime.Version()})
			}
			a.printf("fmsop %s, generator %s, dataset format %d, %s\n", program, stages.GeneratorVersion, dataset.FormatVersion, runtime.Version())
			return nil
		},
	}
}
