package main

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/fmsop/fmsop/bench"
)

func (a *app) benchShowCommand() *cobra.Command {
	var tasks, judge string
	var run int
	c := &cobra.Command{
		Use:   "show RUN TASK",
		Short: "One recorded run: what was said and done, and where the procedure was broken",
		Long: `Prints the conversation of one task. Every call is executed again: what it
changes in the database is printed as a diff, and the rules that it breaks with
what was false, or unknown since no call had told. At the end stands the verdict
with the reasons.

RUN is a file that SOPBench wrote to output/, or a folder of fmsop bench run.
TASK is the index of its item, as fmsop bench replay prints it, or a goal and the
index among its items, as pay_bill/0.`,
		Example: "  fmsop bench show runs.json.zst 12\n  fmsop bench show runs.json.zst pay_bill/0 --judge corrected",
		Args:    arguments(2, 2),
		RunE: func(_ *cobra.Command, args []string) error {
			j, err := bench.JudgeNamed(judge)
			if err != nil {
				return usagef("--judge %q: %w", judge, err)
			}
			r := &bench.Replay{Tasks: tasks, Judge: j, Compare: judge == "corrected"}
			shown, err := r.Show(args[0], args[1], run)
			if err != nil {
				return withGoals(err)
			}
			if a.json {
				return a.emit(shown)
			}
			a.printShown(shown)
			return nil
		},
	}
	c.Flags().StringVar(&tasks, "tasks", "", "`DIR` with the task files, DOMAIN_tasks.json")
	c.Flags().StringVar(&judge, "judge", "official", "`NAME`: official or corrected")
	c.Flags().IntVar(&run, "run", 0, "`K`, which of several runs of the task")
	return c
}

// withGoals adds to the error of a goal that there is not what was meant.
func withGoals(err error) error {
	var none *bench.NoGoalError
	if !errors.As(err, &none) {
		return err
	}
	if near := closest(none.Goal, none.Goals); near != "" {
		return hint(err, "did you mean %s?", near)
	}
	return hint(err, "there are %s", strings.Join(none.Goals, ", "))
}

func (a *app) printShown(s *bench.Shown) {
	p := a.paint
	title := fmt.Sprintf("  item %d of %s, %s, %s", s.Index, s.File, cmp.Or(s.Model, "no model"), cmp.Or(s.Mode, "no mode"))
	if s.Of > 1 {
		title += fmt.Sprintf(", run %d of %d", s.Run, s.Of)
	}
	a.printf("%s%s\n", p.bold(visible(s.Domain+"/"+s.Goal)), visible(title))
	wanted := "should succeed"
	if !s.ShouldSucceed {
		wanted = "should be refused"
	}
	if len(s.Rules) == 0 {
		a.printf("%s %s. It has no rules in this task.\n", visible(s.Goal), wanted)
	} else {
		a.printf("%s %s. Its rules in this task:\n%s\n", visible(s.Goal), wanted, indented(visible(strings.Join(s.Rules, "\n")), 2))
	}
	a.printf("\n%s\n", p.heading("conversation"))
	for i := range s.Messages {
		a.printMessage(&s.Messages[i])
	}
	if words := endWords[s.End]; words != "" {
		a.printf("ended by %s\n", words)
	}
	a.printf("\n%s\n", p.heading(visible(resultText(s))))
	for _, c := range s.Criteria {
		holds, space := p.good("yes"), "  "
		if !c.Holds {
			holds, space = p.bad("no"), "   "
		}
		why := strings.Join(c.Why, "\n"+strings.Repeat(" ", 35))
		a.printf("%s\n", strings.TrimRight(fmt.Sprintf("  %-27s %s%s%s", strings.ReplaceAll(c.Name, "_", " "), holds, space, visible(why)), " "))
	}
	if s.Differs {
		a.printf("  executed again, the calls leave another database than the recorded one\n")
	}
	for _, name := range s.Mends {
		a.printf("  the mend %s changes the official verdict\n", name)
	}
}

// resultText is passed, failed with the criteria, or why there is no verdict.
func resultText(s *bench.Shown) string {
	switch {
	case s.Verdict == nil:
		return s.Result + ": " + s.Error
	case s.Success:
		return s.Result
	}
	return s.Result + ": " + strings.ReplaceAll(strings.Join(s.Broken(), ", "), "_", " ")
}

func (a *app) printMessage(m *bench.Message) {
	p := a.paint
	a.printf("%s\n", p.bold(m.From))
	if m.Text != "" {
		a.printf("%s\n", indented(visible(m.Text), 2))
	}
	if m.Call != nil {
		a.printCall(m.Call)
	}
	if len(m.Unmade) > 0 {
		a.printf("  %s\n", p.faint("not executed: "+visible(strings.Join(m.Unmade, ", "))))
	}
}

func (a *app) printCall(c *bench.ShownCall) {
	p := a.paint
	a.printf("  %s  %s%s\n", p.bold(fmt.Sprintf("call %d", c.Index)), visible(c.Tool), p.faint(visible(c.Arguments)))
	a.printf("    answer   %s\n", strings.TrimLeft(indented(visible(c.Answer), 13), " "))
	if c.Again != "" {
		a.printf("    now      %s\n", strings.TrimLeft(indented(visible(c.Again), 13), " "))
	}
	for _, x := range c.Changes {
		if x.From != nil {
			a.printf("    %s\n", p.bad(visible("- "+x.Path+": "+*x.From)))
		}
		if x.To != nil {
			a.printf("    %s\n", p.good(visible("+ "+x.Path+": "+*x.To)))
		}
	}
	if c.Error != "" {
		a.printf("    %s    %s\n", p.bad("error"), visible(c.Error))
	}
	for _, b := range c.Broken {
		a.printf("    %s   %-7s  %s\n", p.bad("broken"), b.State, ruleText(b))
	}
	for _, b := range c.Refused {
		a.printf("    refused  %-7s  %s\n", b.State, ruleText(b))
	}
}

func ruleText(b bench.Broken) string {
	if b.Why == "" {
		return visible(b.Rule)
	}
	return visible(b.Rule + ": " + b.Why)
}

// indented puts blanks before every line.
func indented(text string, by int) string {
	space := strings.Repeat(" ", by)
	return space + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n"+space)
}

// visible writes out the control characters of a text that a model may have
// made, but for the ends of lines and tabs.
func visible(text string) string {
	var b strings.Builder
	for _, r := range strings.ReplaceAll(text, "\r\n", "\n") {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
