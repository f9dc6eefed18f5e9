package text

import "slices"

// The letters of the styles: n numbered, p policy, c checklist, r rules.
// Tables and pseudo-code have their own mark-up and take only the notes and
// the goal from here.
//
// The sentences of one kind say the same. No sentence may be read as one of
// another kind, and nothing after a tree may begin like a joint of trees.
var sopPhrases = slices.Concat(
	sopWording(sayGoal, "",
		"This document governs every request that asks for {call}.",
		"It applies whenever a request comes down to {call}.",
		"The action at stake is {call}.",
		"Covered is one kind of request: {call}."),

	sopWording(sayRule, "n", "Required: {rule}.", "Requirement of this step: {rule}.", "What has to be the case: {rule}."),
	sopWording(sayRule, "p",
		"A request is granted only if {rule}.",
		"It is a condition of every approval that {rule}.",
		"Staff shall not proceed unless {rule}.",
		"Approval presupposes that {rule}."),
	sopWording(sayRule, "c", "Confirm that {rule}.", "Confirmed that {rule}.", "Make sure that {rule}."),
	sopWording(sayRule, "r", "It MUST be established that {rule}.", "The request is permitted only if {rule}.", "Required of every request: {rule}."),

	sopWording(saySource, "npcr", "Whether {leaf} is found out with {calls}."),
	sopWording(saySource, "nc", "To learn whether {leaf}, use {calls}."),
	sopWording(saySource, "pr", "Whether {leaf} is established by {calls}."),
	sopWording(saySource, "p", "The agent learns whether {leaf} through {calls}."),
	sopBriefly(saySource, "nc", "To find out {cond}, use {calls}.", "{cond} is settled by {calls}.", "Look-up for {cond}: {calls}."),
	sopBriefly(saySource, "pr", "{cond} is established by {calls}.", "Evidence for {cond} comes from {calls}.", "{cond} is learnt through {calls}."),

	sopWording(sayGiven, "npcr", "Whether {leaf} is plain from the request itself; no call is needed."),
	sopWording(sayGiven, "nc", "Whether {leaf} can be told from the conversation, without a call."),
	sopWording(sayGiven, "pr", "Whether {leaf} is known from the outset and takes no enquiry."),

	sopTopical(sopSelf, saySource, "", "Whether {leaf} is answered by the call of that name.", "To learn whether {leaf}, make the call of that name."),
	sopTopical(sopBriefSelf, saySource, "", "{cond} is settled by the call of that name.", "For {cond}, make the call of that name."),

	sopBriefly(sayGiven, "", "{cond} is plain from the request itself; no call is needed.", "{cond} can be told from the conversation, without a call."),

	sopWording(sayDepends, "", "It cannot be that {leaf} unless {fact}.", "That {leaf} is possible only where {fact}.",
		"For it to be true that {leaf}, it has to be true that {fact}."),
	sopBriefly(sayDepends, "", "None of {names} can be true unless {fact}.", "Only where {fact} can any of {names} be true.",
		"If {names} are to be true at all, it has to be true that {fact}."),

	sopWording(sayCompare, "", "That {leaf} means that {formula}.", "To say that {leaf} is to say that {formula}.",
		"The measure of whether {leaf}: {formula}."),
	sopBriefly(sayCompare, "", "{cond} is true exactly when {formula}.", "The test for {cond}: {formula}.", "What decides {cond} is whether {formula}."),

	sopWording(sayValue, "", "{value} ({unit}) stands for {text}", "{value} ({unit}) is the figure for {text}"),

	sopWording(sayRequire, "nc", "{call}: only if {rule}.", "Before {call}: make sure that {rule}."),
	sopWording(sayRequire, "pr", "{call} may be called only if {rule}.", "Use of {call} is allowed only once it is known that {rule}.",
		"Nobody calls {call} unless {rule}."),
	sopWording(sayFree, "nc", "{call}: no requirement; it may be called at any time.", "{call}: free to call, no rule applies."),
	sopWording(sayFree, "pr", "{call} may be called at any time; no rule restricts it.", "No requirement is attached to {call}.",
		"There is no rule for {call}; it is open at any time."),

	sopWording(sayEffect, "", "Once {call} has succeeded, it is settled from then on that {fact}.",
		"A successful {call} changes the picture: from then on {fact}."),
	sopWording(sayExcludes, "", "At most one of these can be true at a time: {names}.", "No two of these are ever true together: {names}."),

	sopWording(sayElse, "", "In every other case, when all that is listed before is ruled out, end with {end}.",
		"What remains, as soon as no outcome listed before can be reached any more, is to end with {end}."),
	sopWording(sayOutcome, "", "End with {end} as soon as {rule}.", "The case is closed with {end} when {rule}."),
	sopWording(sayEnds, "n",
		"When every requirement above is met, end with {goal}. As soon as they can no longer all be met, end with {end} instead.",
		"Close the request with {goal} once all the requirements above are met, or with {end} as soon as that has become impossible."),
	sopWording(sayEnds, "p",
		"Where all of these conditions are met, the request is carried out with {goal}, which concludes the matter. As soon as they can no longer all be met, the request is refused with {end}, which concludes it as well.",
		"A case ends in one of two ways: with {goal} once every condition above is satisfied, or with {end} as soon as they cannot all be satisfied any more."),
	sopWording(sayEnds, "c",
		"All boxes above ticked: finish with {goal}. As soon as it is certain that they cannot all be ticked: finish with {end}.",
		"Finish with {goal} when every point above is confirmed; finish with {end} as soon as they can no longer all be confirmed."),
	sopWording(sayEnds, "r",
		"When all rules for the request are met, the last call is {goal}. As soon as they can no longer all be met, the request ends with {end}.",
		"End with {goal} if every rule for the request is fulfilled, and with {end} as soon as they cannot all be fulfilled any more."),

	sopWording(sayStep, "n", "**Step {n}. {text}", "Step {n}: {text}"),
	sopWording(sayDecision, "n", "Decision point {n}: is the requirement met?", "Decision point {n}: does this hold?"),
	sopWording(sayPass, "n", "Yes: the step is done; go on with any step that is still open.", "If so, the step is settled. Turn to whichever step is still open."),
	sopWording(sayNext, "n", "Not met for good: go on to the next step.", "If it can no longer be met, go on to the next step."),
	sopWording(sayRefuse, "n", "No, and it cannot be met any more: stop here and end with {end}.", "If it can no longer be met, stop and end with {end}."),

	sopNotes("order",
		"Checks may be made in any order, whatever their place in this document; an order binds only where it is stated.",
		"The order of the entries is no order of work: take the checks in any sequence, unless a sequence is expressly demanded.",
		"Nothing here has to be done in the sequence in which it is written, except where the text itself demands an order."),
	sopNotes("ordered",
		"Where an order is demanded, a point counts as settled once it is known whether it holds, and none may be settled before the points named ahead of it; points settled by the same call are in order.",
		"A demanded order means: the earlier point is settled, that is known to hold or not to hold, before or together with the later one."),
	sopNotes("unmet",
		"No call is made before its own requirement is known to be met.",
		"Never make a call while its own requirement is unmet or still unknown.",
		"Each call has to wait until its own requirement is known to be met."),
	sopNotes("waste",
		"Make no call whose answer is not needed any more, and never repeat a call with the same arguments.",
		"Calls are made only for what is still undecided, and the same call is never made twice.",
		"Leave out calls that decide nothing, and do not call anything a second time with the same arguments."),
	sopNotes("names",
		"A call or condition written with (parameter=source) is filled from that detail of the request; every other parameter is filled from the detail of its own name."),
	sopNotes("hidden",
		"A condition counts as unknown until a call named for it has been made.",
		"Take nothing for granted: a condition is open until one of the calls that settle it has been made."),
	sopNotes("free",
		"No rule restricts this request: there is nothing to check before it is carried out.",
		"This request is open to everybody; nothing has to be established first."),
	sopNotes("outcomes",
		"The outcomes are tried in the order given: one is due when its condition is met and every outcome before it is ruled out."),
)

// Topics tell the ways to say a kind from each other.
const (
	sopBrief     = "brief"      // the name alone, where its words have just been said; or several names
	sopSelf      = "self"       // the call that finds it out has the condition's own name
	sopBriefSelf = "brief self" // both
)

func sopTopical(topic string, kind sopKind, in string, texts ...string) []sopPhrase {
	phrases := sopWording(kind, in, texts...)
	for i := range phrases {
		phrases[i].topic = topic
	}
	return phrases
}

func sopBriefly(kind sopKind, in string, texts ...string) []sopPhrase {
	return sopTopical(sopBrief, kind, in, texts...)
}

func sopNotes(topic string, texts ...string) []sopPhrase {
	return sopTopical(topic, sayNote, "", texts...)
}
