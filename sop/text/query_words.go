package text

// queryWords are the questions of each view. None claims that there is just
// one right answer.
var queryWords = map[string]map[string][]string{
	WorkflowView: {
		"train": {
			"Work out a correct workflow for this case under the procedure above.",
			"Which calls does this case need, from the first to the end? Give one workflow that the procedure permits.",
			"Handle the request as the procedure prescribes and write down the calls you make, in order.",
			"Plan the case: a sequence of calls that breaks no rule, makes none in vain, and ends as it should.",
			"Take the facts of the case as given. What is a valid sequence of calls, including how it ends?",
			"Lay out a course of action for the agent that complies with the procedure from start to finish.",
			"You are the agent at the desk. List the calls with which you would settle this request correctly.",
			"Given these records, show a run of the procedure that is free of violations and of needless calls.",
			"State a complete workflow for the request, up to and including the call or refusal that closes it.",
			"How should this request be processed? Provide a sequence of calls that follows the procedure.",
		},
		"test": {
			"Please settle this customer's request by the book: what would you call, and in which order?",
			"Write a compliant sequence of calls for the case at hand, closing act included.",
			"Read the procedure against the case and set down a run that an auditor would accept.",
			"Determine a proper way through the procedure for this customer, to its very end.",
			"Suppose every check comes out as the records say. Produce an acceptable series of calls.",
		},
	},
	NextView: {
		"train": {
			"What is a correct next action?",
			"Given what is known by now, name an action that the procedure allows and needs next.",
			"Continue the case: what should the agent do next?",
			"The log ends here. Give one action with which the procedure is rightly continued or ended.",
			"Choose a next step that violates no rule and is not made in vain.",
			"Decide how to go on from here: another call, or the end of the procedure.",
			"Which action would you take now? Any that the procedure permits and that helps is fine.",
			"Looking at the results so far, state a right move for the agent.",
			"Pick the case up where the log leaves it and give a valid next action.",
			"What may the agent properly do at this point to move the request forward or to close it?",
		},
		"test": {
			"You take over from a colleague at this point. What do you do now?",
			"Name a step that properly follows from the state of the case.",
			"With the answers received so far, how would you proceed?",
			"Tell the agent one thing to do now that the procedure supports.",
			"Advance the case by one action, chosen in line with the procedure.",
		},
	},
	GraphView: {
		"train": {
			"Write down the action graph of this procedure: each call, what it requires, how the conditions become known, and which call has to come before which.",
			"Formalise the procedure as a graph of calls with their requirements, the sources of its conditions and the resulting edges.",
			"Extract from the text which calls there are, under what rule each may be made, what reveals each condition, and the dependencies between calls.",
			"Give the procedure as a dependency graph: rules of the calls, sources of the conditions, edges.",
			"Which calls depend on which, and why? Answer with requirements, sources of conditions and edges.",
			"Turn the document above into an action graph that has the same meaning.",
			"Model this procedure: for every call its requirement, for every condition its source, and the edges that follow from both.",
			"Restate the procedure as requirements, sources and edges, leaving out no rule and adding none.",
			"Derive the graph of actions that this SOP describes, with the logic of each requirement kept intact.",
		},
		"test": {
			"Translate the SOP into its formal structure of calls, requirements, sources and edges.",
			"Present the logic of this document as a graph over its calls.",
			"If a machine had to enforce this procedure, which requirements, sources and precedence edges would it need?",
			"Capture every rule of the text in an equivalent action graph.",
			"Draw up, in text, the graph of calls on which this procedure rests.",
		},
	},
	ResidualView: {
		"train": {
			"Take away what is already known in this case. What does the graph of the procedure look like from here?",
			"Write the graph that is still to be done in this case: the remaining calls, what they still require, and the edges among them.",
			"Reduce the action graph of the procedure by what the case has settled so far.",
			"Given what is known by now, which calls, requirements, sources and edges remain?",
			"Simplify the procedure for this case: drop what is settled and give the action graph of the rest.",
			"State the remaining action graph, after everything known has been put in.",
			"What is left of the procedure here? Answer with the graph of the calls that still matter.",
			"Update the procedure's graph to the present state of the case.",
			"Give the part of the action graph that is still open in this case, with requirements as they stand now.",
		},
		"test": {
			"Work the known facts into the procedure and write out the graph that remains.",
			"Specialise the action graph to this case as far as it has come.",
			"With the settled conditions out of the way, which structure of calls is still ahead?",
			"Set down what the procedure still demands in this case, as a graph.",
			"Partially evaluate the procedure on what is known, and report the graph left over.",
		},
	},
}

// queryFormats state the format of the answer, by kind of view and format.
var queryFormats = map[string]map[string][]string{
	"workflow/steps": {
		"train": {
			"Answer with numbered steps, one call in backticks per step, named exactly as in the procedure (`f(username=payee)` where an argument is filled from another detail); the last step is the final call or `deny`.",
			"Format: a numbered list from 1 with one call a line, in backticks, under the procedure's own names, ending in the final call or `deny`.",
		},
		"test": {"Use a list numbered 1, 2, 3, … whose every line holds one name in backticks as the procedure spells it, and whose last line is the closing call or `deny`."},
	},
	"workflow/arrow": {
		"train": {
			"Answer with one line of names joined by arrows, as in first -> second -> deny, spelled as in the procedure (`f(username=payee)` where an argument is filled from another detail).",
			"Format: a single chain name -> name -> …, ending in the final call or deny, with the procedure's own names.",
		},
		"test": {"Write it as a chain on one line, with -> between the names and the closing call or deny at its right end."},
	},
	"workflow/json": {
		"train": {
			"Answer with a JSON array of objects {\"name\": …, \"arguments\": {…}}; arguments maps a parameter to the detail that fills it where the two differ, and is {} otherwise. The last object is the final call or deny.",
			"Format: JSON, an array of {\"name\", \"arguments\"} in the order of the calls. For `f(username=payee)` write {\"name\": \"f\", \"arguments\": {\"username\": \"payee\"}}, for a call without renamed arguments {}. End with the final call or deny.",
		},
		"test": {"Return a JSON list; each element has name and arguments, where arguments holds just the renamed ones (parameter to detail) or is empty, and the closing call or deny comes last."},
	},
	"workflow/prose": {
		"train": {
			"Answer with a short plan in sentences that has each call in backticks, in the order of the calls, and nothing else in backticks; it ends with the final call or `deny`.",
			"Format: plain sentences. Put the calls, spelled as in the procedure, in backticks in the order in which they are made, the final call or `deny` last, and use backticks for nothing else.",
		},
		"test": {"Describe it in prose; backticks mark the calls and no other word, the calls stand in their order, and the closing call or `deny` is the last of them."},
	},
	"next_action/call": {
		"train": {
			"Answer with the call alone, as name(parameter=\"value\", …) with the values of this case, or with deny.",
			"Format: one call, name(parameter=value, …), its values written as JSON; or just deny.",
		},
		"test": {"Reply with nothing but the call and its values, such as name(parameter=\"value\"), or the word deny."},
	},
	"next_action/json": {
		"train": {
			"Answer with one JSON object {\"name\": …, \"arguments\": {…}} holding the values of this case; to refuse, the name is deny and arguments is {}.",
			"Format: JSON with the keys name and arguments (parameter to value); a refusal is {\"name\": \"deny\", \"arguments\": {}}.",
		},
		"test": {"Return a single JSON object with name and arguments, the latter filled from the case; for a refusal use deny with no arguments."},
	},
	"next_action/sentence": {
		"train": {
			"Answer in one sentence such as: Call `name` with parameter = \"value\" and parameter = 12. To refuse: End with `deny`.",
			"Format: one sentence with the call in backticks, then \"with\" and its arguments as parameter = value, values in JSON; a refusal is: End with `deny`.",
		},
		"test": {"Say it in one sentence: the name in backticks, followed by \"with\" and parameter = value for every argument (JSON values), or End with `deny`."},
	},
	"graph/edges": {
		"train": {
			"Answer in three lists under the headings \"Calls and what each requires:\", \"How conditions become known:\" and \"Edges:\". Lines: - `call`: rule, or no rule; - `condition`: calls, or the conversation; - `before` -> `after`. Write rules with all of (…), any of (…), in this order (…), first of (…) and not.",
			"Format: the headings \"Calls and what each requires:\", \"How conditions become known:\", \"Edges:\", each with a bulleted list. A rule is a name in backticks, not, or all of / any of / in this order / first of with its parts in parentheses, or no rule; a source is a rule over calls, or the conversation; an edge is `before` -> `after`.",
		},
		"test": {"Give three bulleted lists headed \"Calls and what each requires:\", \"How conditions become known:\" and \"Edges:\"; bullets read `name`: rule (or no rule), `name`: source (or the conversation), `u` -> `v`, with all of (…), any of (…), in this order (…), first of (…), not for the logic."},
	},
	"graph/indented": {
		"train": {
			"Answer as nested bullets under \"Calls and what each requires:\" and \"How conditions become known:\". Under each call: requires (the rule as nested bullets all of, any of, in this order, first of, not; or no rule) and comes after (the calls before it). Under each condition: known by (calls in the same way, or the conversation).",
			"Format: an outline. The heading \"Calls and what each requires:\" has a bullet for each call, with \"requires:\" and \"comes after:\" below it; the heading \"How conditions become known:\" has one for each condition, with \"known by:\" below it. Logic is nested under all of, any of, in this order, first of, not; where there is none write no rule, or the conversation.",
		},
		"test": {"Use an indented outline with the two headings \"Calls and what each requires:\" and \"How conditions become known:\"; calls carry the bullets \"requires:\" and \"comes after:\", conditions \"known by:\", and the logic is spelled out in deeper bullets (all of, any of, in this order, first of, not; no rule; the conversation)."},
	},
	"graph/json": {
		"train": {
			"Answer with one JSON object {\"requires\": {call: tree or null}, \"established_by\": {condition: tree or \"conversation\"}, \"edges\": [[before, after], …]}; a tree is a name or an object with one key of not, all, any, seq, first_of.",
			"Format: JSON with the keys requires (call to tree, null where there is no rule), established_by (condition to a tree over calls, or \"conversation\") and edges (pairs of calls). Trees: a string, {\"not\": t}, or {\"all\"|\"any\"|\"seq\"|\"first_of\": [t, …]}.",
		},
		"test": {"Return a JSON object with requires, established_by and edges: trees are names or single-key objects (not, all, any, seq, first_of), null stands for no rule, \"conversation\" for what is known from the start, and an edge is a two-element array."},
	},
}
