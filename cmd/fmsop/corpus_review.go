package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/fmsop/fmsop/sop/reading"
)

func (a *app) reviewCommand() *cobra.Command {
	all := false
	c := &cobra.Command{
		Use:   "review PACK",
		Short: "Decide about what an import was not certain of",
		Long: `Shows the uncertain readings of an imported pack one by one: the sentence, what was
read in it, why that is not certain. One key decides:

  y  it is right             n  it is wrong: build the pack without it
  s  leave it for later      b  back to the one before
  q  stop here

Decisions are kept in readings.yaml, and the pack is built anew with them; what
you have changed in domain.yaml and procedures stays. Rows that lean on what
nobody has accepted are kept apart.`,
		Example: "  fmsop corpus review returns-pack",
		Args:    arguments(1, 1),
		RunE:    func(_ *cobra.Command, args []string) error { return a.review(args[0], all) },
	}
	c.Flags().BoolVar(&all, "all", false, "show what was decided before, too")
	return c
}

func (a *app) review(pack string, all bool) error {
	before, edited, err := importedPack(pack)
	if err != nil {
		return err
	}
	if before == nil {
		return fmt.Errorf("there is no pack %s, want one that fmsop corpus import wrote", pack)
	}
	now, _, err := importedPack(pack) // a copy, to decide on
	if err != nil {
		return err
	}
	list := now.Open()
	if all {
		list = now.Doubtful()
	}
	decided := a.decide(now, list, a.keys())
	if decided > 0 {
		kept, err := writeImported(pack, before, edited, now)
		if err != nil {
			return hint(err, "nothing was changed; some of what you rejected is needed for the rest")
		}
		for _, k := range kept {
			a.printf("%s\n", k)
		}
	}
	open := len(now.Open())
	a.printf("%s: %s decided, %d left\n", pack, count(decided, "reading"), open)
	if open == 0 {
		a.remark("next: fmsop generate %s -o DIR, fmsop evaluate %s --model MODEL -o RUN", pack, pack)
	}
	return nil
}

// decide asks about each reading and returns how many were decided. Of rivals
// one is accepted, and nothing is asked about the others.
func (a *app) decide(f *reading.File, list []*reading.Reading, keys func() (byte, error)) (decided int) {
	settled := map[*reading.Reading]bool{}
	for i := 0; i < len(list); {
		x := list[i]
		if settled[x] && x.Verdict != "" {
			i++
			continue
		}
		a.printf("\n%s\n  %s\n  read as  %s\n  but      %s\n[y]es [n]o [s]kip [b]ack [q]uit: ", a.paint.heading(fmt.Sprintf("%d of %d  %s", i+1, len(list), x.Source)),
			a.paint.faint("“"+x.Quote+"”"), x, x.Why)
		_ = a.out.Flush()
		key, err := keys()
		if err != nil {
			a.printf("\n")
			return decided
		}
		a.printf("%c\n", key)
		switch key {
		case 'y', 'n':
			if x.Verdict == "" {
				decided++
			}
			verdict := reading.Accepted
			if key == 'n' {
				verdict = reading.Rejected
			}
			for _, y := range f.Decide(x, verdict) {
				settled[y] = true
			}
			i++
		case 's':
			i++
		case 'b':
			for i = max(0, i-1); i > 0 && settled[list[i]]; i-- {
			}
		case 'q':
			return decided
		default:
			a.printf("the key %q means nothing here, want y, n, s, b or q\n", key)
		}
	}
	return decided
}

// keys returns what reads a key: from a terminal as it is struck, else a
// letter of standard input, where white space is passed over.
func (a *app) keys() func() (byte, error) {
	in := bufio.NewReader(a.stdin)
	f, ok := a.stdin.(*os.File)
	raw := ok && term.IsTerminal(int(f.Fd()))
	return func() (byte, error) {
		if raw {
			state, err := term.MakeRaw(int(f.Fd()))
			if err != nil {
				return 0, err
			}
			defer func() { _ = term.Restore(int(f.Fd()), state) }()
		}
		for {
			c, err := in.ReadByte()
			if err != nil {
				return 0, err
			}
			if c == 3 || c == 4 { // Ctrl-C and Ctrl-D, which a raw terminal hands over
				return 0, io.EOF
			}
			if strings.IndexByte(" \t\r\n", c) < 0 {
				return c, nil
			}
		}
	}
}
