package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// usageError is a command line or configuration that cannot be run.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

func usage(err error) error {
	if err == nil {
		return nil
	}
	return usageError{err}
}

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// hintedError comes with what to do about it.
type hintedError struct {
	err  error
	hint string
}

func (e hintedError) Error() string { return e.err.Error() }
func (e hintedError) Unwrap() error { return e.err }

func hint(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return hintedError{err, fmt.Sprintf(format, args...)}
}

// report prints an error, a line for each that is joined in it, and returns
// the exit status.
func (a *app) report(err error) int {
	if err == nil {
		return 0
	}
	var ended trainerEnded
	if errors.As(err, &ended) {
		return ended.status
	}
	for _, line := range strings.Split(err.Error(), "\n") {
		fmt.Fprintf(a.stderr, "error: %s\n", line)
	}
	var hinted hintedError
	if errors.As(err, &hinted) {
		fmt.Fprintf(a.stderr, "hint: %s\n", hinted.hint)
	}
	var wrong usageError
	if errors.As(err, &wrong) {
		return 2
	}
	return 1
}

// noSuchCommand refuses what is left over after the name of a command that
// has commands of its own.
func noSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	err := usagef("unknown command %q of %s", args[0], cmd.CommandPath())
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	if name := closest(args[0], names); name != "" {
		return hint(err, "did you mean %s %s?", cmd.CommandPath(), name)
	}
	return hint(err, "commands are %s", strings.Join(names, ", "))
}

// arguments wants from least to most of them; most below 0 means any number.
func arguments(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return hint(usagef("%s needs more arguments", cmd.CommandPath()), "%s", cmd.UseLine())
		case most >= 0 && len(args) > most:
			return hint(usagef("%s cannot take the argument %q", cmd.CommandPath(), args[most]), "%s", cmd.UseLine())
		}
		return nil
	}
}

// flagError words what pflag found wrong.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var value *pflag.InvalidValueError
	help := cmd.CommandPath() + " --help lists the flags"
	switch {
	case errors.As(err, &unknown):
		name := unknown.GetSpecifiedName()
		if unknown.GetSpecifiedShortnames() != "" {
			return hint(usagef("unknown flag -%s", name), "%s", help)
		}
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if near := closest(name, names); near != "" {
			help = fmt.Sprintf("did you mean --%s?", near)
		}
		return hint(usagef("unknown flag --%s", name), "%s", help)
	case errors.As(err, &value):
		return usagef("--%s is %q, want %s", value.GetFlag().Name, value.GetValue(), wanted(value.GetFlag().Value.Type()))
	}
	return hint(usage(err), "%s", help)
}

func wanted(flagType string) string {
	switch flagType {
	case "int":
		return "a whole number"
	case "uint64":
		return "a whole number from 0"
	case "intSlice":
		return "whole numbers joined by commas"
	case "bool":
		return "true or false"
	}
	return "a " + flagType
}

// closest returns the word that was probably meant, or "": of those that cobra
// finds close the nearest.
func closest(word string, words []string) string {
	c := &cobra.Command{SuggestionsMinimumDistance: 2}
	for _, w := range words {
		c.AddCommand(&cobra.Command{Use: w, Run: func(*cobra.Command, []string) {}})
	}
	near := c.SuggestionsFor(word)
	if len(near) == 0 {
		return ""
	}
	return slices.MinFunc(near, func(a, b string) int {
		return levenshtein.ComputeDistance(word, a) - levenshtein.ComputeDistance(word, b)
	})
}
