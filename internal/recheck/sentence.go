package recheck

import (
	"fmt"
	"strings"
)

// said is one sentence as it was read.
type said struct {
	tree    *tree
	name    string // of the condition, call or value that it is about
	end     string
	names   []string
	formula string
	words   string
}

// A sentence pattern is its words with slots:
//
//	<rule> <fact> <calls>  a tree over conditions that are demanded, over facts, or over calls
//	<leaf>                 words (`name`)
//	<call>                 `name`, or `name` (words)
//	<name> <end>           `name`
//	<names>                `name`, `name` and `name`
//	<formula>              words (`formula`)
//	<unit>                 words up to a bracket
//	<n>                    a number
//	<rest>                 all that follows
type pattern struct {
	words string
	do    func(*document, said) error
	parts []string // words, slot, words, …
}

func (d *document) takeGoal(s said) error {
	if d.goal != "" {
		return fmt.Errorf("a second goal %q", s.name)
	}
	d.goal = s.name
	return nil
}

func (d *document) takeDemand(s said) error {
	d.demands = append(d.demands, s.tree)
	return nil
}

func (d *document) takeSource(s said) error {
	if s.tree == nil {
		s.tree = leafOf(s.name)
	}
	return put(d.established, s.name, s.tree)
}

func (d *document) takeGiven(s said) error {
	return put(d.established, s.name, leafOf(conversation))
}

func (d *document) takeDepends(s said) error {
	if s.name != "" {
		s.names = []string{s.name}
	}
	for _, name := range s.names {
		if err := put(d.depends, name, s.tree); err != nil {
			return err
		}
	}
	return nil
}

func (d *document) takeMeasure(s said) error {
	d.worded[s.name] = s.words
	return put(d.measures, s.name, s.formula)
}

func (d *document) takeValue(s said) error {
	d.gloss(s.name, "quantity", false, strings.TrimSuffix(strings.TrimSuffix(s.words, "."), ", as stated in the request"))
	return put(d.units, s.name, s.end)
}

func (d *document) takeRequirement(s said) error { return put(d.requires, s.name, s.tree) }

func (d *document) takeEffect(s said) error {
	effects := map[string]bool{}
	parts := []*tree{s.tree}
	if s.tree.kind == kindAll {
		parts = s.tree.kids
	}
	for _, part := range parts {
		switch {
		case part.kind == kindLeaf:
			effects[part.leaf] = true
		case part.kind == kindNot && part.kids[0].kind == kindLeaf:
			effects[part.kids[0].leaf] = false
		default:
			return fmt.Errorf("the effect %s is no list of names", s.tree)
		}
	}
	return put(d.effects, s.name, effects)
}

func (d *document) takeExclusion(s said) error {
	d.excludes = append(d.excludes, s.names)
	return nil
}

func (d *document) takeEnds(s said) error {
	d.outcomes = append(d.outcomes, ending{end: s.name}, ending{end: s.end})
	return nil
}

func (d *document) takeRefusal(s said) error {
	d.decided[s.end] = true
	return nil
}

func nothing(*document, said) error { return nil }

// patterns are all sentences, those with the same beginning in the order in which they have to be tried.
var patterns = func() []*pattern {
	var all []*pattern
	say := func(do func(*document, said) error, sentences ...string) {
		for _, words := range sentences {
			p := &pattern{words: words, do: do}
			for rest := words; ; {
				literal, after, slot := strings.Cut(rest, "<")
				p.parts = append(p.parts, literal)
				if !slot {
					break
				}
				name, behind, _ := strings.Cut(after, ">")
				p.parts = append(p.parts, name)
				rest = behind
			}
			all = append(all, p)
		}
	}
	say((*document).takeGoal,
		"This document governs every request that asks for <call>.", "It applies whenever a request comes down to <call>.",
		"The action at stake is <call>.", "Covered is one kind of request: <call>.")
	say((*document).takeDemand,
		"Required: <rule>.", "Requirement of this step: <rule>.", "What has to be the case: <rule>.",
		"A request is granted only if <rule>.", "It is a condition of every approval that <rule>.",
		"Staff shall not proceed unless <rule>.", "Approval presupposes that <rule>.",
		"Confirm that <rule>.", "Confirmed that <rule>.", "Make sure that <rule>.",
		"It MUST be established that <rule>.", "The request is permitted only if <rule>.", "Required of every request: <rule>.")
	say((*document).takeSource,
		"Whether <leaf> is found out with <calls>.", "To learn whether <leaf>, use <calls>.", "Whether <leaf> is established by <calls>.",
		"The agent learns whether <leaf> through <calls>.", "To find out <name>, use <calls>.",
		"<name> is settled by the call of that name.", "<name> is settled by <calls>.", "Look-up for <name>: <calls>.",
		"<name> is established by <calls>.", "Evidence for <name> comes from <calls>.", "<name> is learnt through <calls>.",
		"Whether <leaf> is answered by the call of that name.", "To learn whether <leaf>, make the call of that name.",
		"For <name>, make the call of that name.")
	say((*document).takeGiven,
		"Whether <leaf> is plain from the request itself; no call is needed.",
		"Whether <leaf> can be told from the conversation, without a call.",
		"Whether <leaf> is known from the outset and takes no enquiry.",
		"<name> is plain from the request itself; no call is needed.", "<name> can be told from the conversation, without a call.")
	say((*document).takeDepends,
		"It cannot be that <leaf> unless <fact>.", "That <leaf> is possible only where <fact>.",
		"For it to be true that <leaf>, it has to be true that <fact>.", "None of <names> can be true unless <fact>.",
		"Only where <fact> can any of <names> be true.", "If <names> are to be true at all, it has to be true that <fact>.")
	say((*document).takeMeasure,
		"That <leaf> means that <formula>.", "To say that <leaf> is to say that <formula>.", "The measure of whether <leaf>: <formula>.",
		"<name> is true exactly when <formula>.", "The test for <name>: <formula>.", "What decides <name> is whether <formula>.")
	say((*document).takeValue, "<name> (<unit>) stands for <rest>", "<name> (<unit>) is the figure for <rest>")
	say((*document).takeRequirement,
		"<call>: no requirement; it may be called at any time.", "<call>: free to call, no rule applies.",
		"<call> may be called at any time; no rule restricts it.", "No requirement is attached to <call>.",
		"There is no rule for <call>; it is open at any time.",
		"<call>: only if <rule>.", "Before <call>: make sure that <rule>.", "<call> may be called only if <rule>.",
		"Use of <call> is allowed only once it is known that <rule>.", "Nobody calls <call> unless <rule>.")
	say((*document).takeEffect,
		"Once <call> has succeeded, it is settled from then on that <fact>.",
		"A successful <call> changes the picture: from then on <fact>.")
	say((*document).takeExclusion,
		"At most one of these can be true at a time: <names>.", "No two of these are ever true together: <names>.")
	say((*document).takeEnds,
		"When every requirement above is met, end with <name>. As soon as they can no longer all be met, end with <end> instead.",
		"Close the request with <name> once all the requirements above are met, or with <end> as soon as that has become impossible.",
		"Where all of these conditions are met, the request is carried out with <name>, which concludes the matter. As soon as they can no longer all be met, the request is refused with <end>, which concludes it as well.",
		"A case ends in one of two ways: with <name> once every condition above is satisfied, or with <end> as soon as they cannot all be satisfied any more.",
		"All boxes above ticked: finish with <name>. As soon as it is certain that they cannot all be ticked: finish with <end>.",
		"Finish with <name> when every point above is confirmed; finish with <end> as soon as they can no longer all be confirmed.",
		"When all rules for the request are met, the last call is <name>. As soon as they can no longer all be met, the request ends with <end>.",
		"End with <name> if every rule for the request is fulfilled, and with <end> as soon as they cannot all be fulfilled any more.")
	say((*document).takeRefusal,
		"No, and it cannot be met any more: stop here and end with <end>.", "If it can no longer be met, stop and end with <end>.")
	say(nothing,
		"**Step <n>. <rest>", "Step <n>: <rest>",
		"Decision point <n>: is the requirement met?", "Decision point <n>: does this hold?",
		"Yes: the step is done; go on with any step that is still open.",
		"If so, the step is settled. Turn to whichever step is still open.")
	// General instructions. They say how the rules are meant, which DESIGN fixes.
	say(nothing,
		"Checks may be made in any order, whatever their place in this document; an order binds only where it is stated.",
		"The order of the entries is no order of work: take the checks in any sequence, unless a sequence is expressly demanded.",
		"Nothing here has to be done in the sequence in which it is written, except where the text itself demands an order.",
		"Where an order is demanded, a point counts as settled once it is known whether it holds, and none may be settled before the points named ahead of it; points settled by the same call are in order.",
		"A demanded order means: the earlier point is settled, that is known to hold or not to hold, before or together with the later one.",
		"No call is made before its own requirement is known to be met.",
		"Never make a call while its own requirement is unmet or still unknown.",
		"Each call has to wait until its own requirement is known to be met.",
		"Make no call whose answer is not needed any more, and never repeat a call with the same arguments.",
		"Calls are made only for what is still undecided, and the same call is never made twice.",
		"Leave out calls that decide nothing, and do not call anything a second time with the same arguments.",
		"A call or condition written with (parameter=source) is filled from that detail of the request; every other parameter is filled from the detail of its own name.",
		"A condition counts as unknown until a call named for it has been made.",
		"Take nothing for granted: a condition is open until one of the calls that settle it has been made.",
		"No rule restricts this request: there is nothing to check before it is carried out.",
		"This request is open to everybody; nothing has to be established first.")
	return all
}()

// sentence reads the sentence at the beginning of a text. below says that it has its parts on the lines below.
func (d *document) sentence(it *item, text string) (rest string, below bool, err error) {
	furthest := -1
	for _, p := range patterns {
		s, rest, below, at, glosses, fault := d.match(p, it, text)
		if fault == nil {
			for name, list := range glosses {
				for _, g := range list {
					d.gloss(name, g.kind, g.not, g.words)
				}
			}
			if fault = p.do(d, s); fault != nil {
				return "", false, fmt.Errorf("%q: %w", clip(text), fault)
			}
			return rest, below, nil
		}
		if at > furthest {
			furthest, err = at, fault
		}
	}
	return "", false, fmt.Errorf("%q is no sentence of a procedure: %w", clip(text), err)
}

// match tries one pattern; at is how far it came.
func (d *document) match(p *pattern, it *item, text string) (s said, rest string, below bool, at int, glosses map[string][]gloss, err error) {
	if !strings.HasPrefix(text, p.parts[0]) || p.parts[0] == "" && text[0] != '`' {
		return s, "", false, 0, nil, fmt.Errorf("it begins otherwise")
	}
	c := &clause{rest: text, kids: it.kids, glosses: map[string][]gloss{}}
	for i, part := range p.parts {
		if i%2 == 1 {
			err = c.slot(part, &s)
		} else if c.below && part != "" { // a list below a line ends the sentence
			if c.rest != "" || strings.Trim(part, ".") != "" {
				err = fmt.Errorf("more than a list: %q", clip(c.rest))
			}
		} else if after, found := strings.CutPrefix(c.rest, part); found {
			c.rest = after
		} else {
			err = fmt.Errorf("%q, want %q", clip(c.rest), part)
		}
		if err != nil {
			return s, "", false, len(text) - len(c.rest), nil, err
		}
	}
	if c.rest != "" && c.rest[0] != ' ' {
		return s, "", false, len(text) - len(c.rest), nil, fmt.Errorf("it goes on with %q", clip(c.rest))
	}
	return s, c.rest, c.below, len(text), c.glosses, nil
}

func clip(text string) string {
	const most = 80
	if r := []rune(text); len(r) > most {
		return string(r[:most]) + "…"
	}
	return text
}
