package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/picture"
	"github.com/fmsop/fmsop/sop/text"
)

func (a *app) renderCommand() *cobra.Command {
	style, graph, variant := "", "", 0
	c := &cobra.Command{
		Use:   "render CORPUS PROCEDURE",
		Short: "A procedure as a document in the styles of the data, or as a picture",
		Long: fmt.Sprintf(`Writes one variant of the procedure as a document that can be read back to the
same meaning. Styles are %s, or all.

Variant 0 has every rule. Variant N leaves out customizable rule k (from 1)
where N has the bit of value 2^(k-1): 1 is without the first, 3 without the
first two. Where the corpus has cases of its own, N is the number of the case.
The wording follows from --seed.

With --graph it draws the variant instead: calls, what they tell, what that
decides and how cases end, in one of %s.`, styleNames(), strings.Join(picture.Formats, ", ")),
		Example: "  fmsop corpus render bank transfer_funds --style policy\n  fmsop corpus render bank transfer_funds --style all --variant 5\n" +
			"  fmsop corpus render bank transfer_funds --graph svg > transfer_funds.svg",
		Args:              arguments(2, 2),
		ValidArgsFunction: completeProcedure,
		RunE: func(cmd *cobra.Command, args []string) error {
			if graph != "" {
				return a.renderGraph(cmd.Context(), args[0], args[1], graph, variant)
			}
			return a.render(args[0], args[1], style, variant)
		},
	}
	c.Flags().StringVar(&graph, "graph", "", "draw it: `FORMAT` is "+strings.Join(picture.Formats, ", "))
	c.Flags().StringVar(&style, "style", string(text.Styles[0]), "`STYLE`: "+styleNames()+" or all")
	c.Flags().IntVar(&variant, "variant", 0, "variant `N`, from 0")
	return c
}

func styleNames() string {
	var names []string
	for _, s := range text.Styles {
		names = append(names, string(s))
	}
	return strings.Join(names, ", ")
}

func (a *app) render(name, goal, style string, number int) error {
	styles := []text.Style{text.Style(style)}
	if style == "all" {
		styles = text.Styles
	} else if !slices.Contains(text.Styles, styles[0]) {
		return usagef("style is %q, want one of %s, all", style, styleNames())
	}
	v, err := a.variant(name, goal, number)
	if err != nil {
		return err
	}
	for i, s := range styles {
		document := text.RenderSOP(s, v, rand.New(rand.NewPCG(a.config.Generate.Seed, uint64(number))))
		if a.json {
			if err := a.emit(map[string]any{"corpus": name, "procedure": goal, "variant": number, "style": s, "text": document}); err != nil {
				return err
			}
			continue
		}
		if len(styles) > 1 {
			if i > 0 {
				a.printf("\n")
			}
			a.printf("%s\n\n", a.paint.heading(string(s)))
		}
		a.printf("%s\n", strings.TrimRight(document, "\n"))
	}
	return nil
}

func (a *app) renderGraph(ctx context.Context, name, goal, format string, number int) error {
	if !slices.Contains(picture.Formats, format) {
		return usagef("graph is %q, want one of %s", format, strings.Join(picture.Formats, ", "))
	}
	v, err := a.variant(name, goal, number)
	if err != nil {
		return err
	}
	drawn, err := picture.Render(ctx, format, v)
	if err != nil {
		return err
	}
	if a.json {
		return a.emit(map[string]any{"corpus": name, "procedure": goal, "variant": number, "graph": format, "text": string(drawn)})
	}
	a.printf("%s", drawn)
	return nil
}

// variant is the variant of that number, as the help of render says.
func (a *app) variant(name, goal string, number int) (*sop.Variant, error) {
	c, err := a.one(name)
	if err != nil {
		return nil, err
	}
	p, err := procedureOf(c, goal)
	if err != nil {
		return nil, err
	}
	choice, err := numbered(p, number)
	if err != nil {
		return nil, err
	}
	return c.Domain.Variant(p, choice)
}

// numbered is the choice of that number, as the help of render says.
func numbered(p *sop.Procedure, number int) (sop.Choice, error) {
	variants := 1 << min(len(p.Customizable), 30)
	if len(p.Cases) > 0 {
		variants = len(p.Cases)
	}
	if number < 0 || number >= variants {
		return sop.Choice{}, usagef("variant is %d, want 0 to %d: %s has %s", number, variants-1, p.Goal, count(variants, "variant"))
	}
	if len(p.Cases) > 0 {
		return caseChoice(p.Cases[number]), nil
	}
	rules := append([]*sop.Tree{}, p.Required...)
	for k, rule := range p.Customizable {
		if number&(1<<k) == 0 {
			rules = append(rules, rule)
		}
	}
	return sop.Choice{Rules: rules}, nil
}
