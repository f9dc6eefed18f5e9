package text

// The words of stage 1. What readers go by is written in slots; the rest is
// free, but no two wordings of one view may fit the same text.

var glossaryTitles = []string{
	"Glossary: {title}", "Words used in “{title}”", "Terms of this procedure: {title}", "House terms – {title}",
	"{title}: what our words mean", "Definitions for {title}",
}

var glossaryNotes = []string{
	"In this house the words below mean what is written here, whatever they may mean elsewhere.",
	"These definitions are binding for everybody who works on such a request, even where usage outside differs.",
	"Staff use each word strictly in the sense given in this extract.",
	"Extract from the house glossary. Where common usage differs from an entry, the entry counts.",
	"The entries stand in no particular order. Each fixes the meaning of one word for all our documents.",
	"A word is taken as it is defined here and in no other sense.",
}

var toolTitles = []string{"Further calls of the system", "Other calls at hand", "What else can be called", "Calls that belong to other procedures"}

var toolNotes = []string{
	"The agent has access to these as well; this procedure has no use for them.",
	"They are open to the agent too, though nothing above depends on them.",
	"For completeness, the calls that serve other requests.",
	"Apart from the calls above, the system offers the following.",
}

var termSentences = []string{
	"The right word is “{term}”.", "It is “{term}”.", "Here “{term}” is meant.", "The answer is “{term}”.", "That would be “{term}”.",
	"I would choose “{term}”.",
}

// conceptKinds are the nouns for what a phrase is about, by kind.
var conceptKinds = map[string]string{
	"value": "figure", "condition": "finding", "state": "state of affairs", "action": "act", "threshold": "set limit",
	"fact": "condition", "call": "call", "quantity": "quantity",
	"do": "task", "find": "question", "meaning": "meaning",
}

// conceptFrames put a phrase into a situation, by kind; a state is framed like
// a condition. {title} is that of the procedure.
var conceptFrames = map[string]map[string][]string{
	"value": {
		"train": {
			"In a case of the type ‘{title}’, one line reads “{phrase}”.",
			"The agent, busy with ‘{title}’, has this line on the screen: “{phrase}”.",
			"A note on the ticket (‘{title}’) says “{phrase}”.",
			"Someone working on ‘{title}’ copies the following from the file: “{phrase}”.",
			"Printed on the case sheet for ‘{title}’ is “{phrase}”.",
		},
		"test": {"Under the heading ‘{title}’, a colleague reads out “{phrase}”.", "The paperwork for ‘{title}’ shows “{phrase}”."},
	},
	"condition": {
		"train": {
			"While ‘{title}’ is being handled, it turns out to be so that “{phrase}”.",
			"The log of a case (‘{title}’) has the entry “{phrase}”.",
			"The agent, busy with ‘{title}’, has established this: “{phrase}”.",
			"One of the checks for ‘{title}’ comes out like this: “{phrase}”.",
			"In a request of the type ‘{title}’, the outcome of a check is noted as “{phrase}”.",
		},
		"test": {"A check made for ‘{title}’ has confirmed “{phrase}”.", "Noted as settled, on a sheet for ‘{title}’: “{phrase}”."},
	},
	"action": {
		"train": {
			"In a case of the type ‘{title}’, the agent is told to “{phrase}”.",
			"The worklist for ‘{title}’ has the item “{phrase}”.",
			"During ‘{title}’, somebody has to “{phrase}”.",
			"A trainee asks what it is called to “{phrase}”; the context is ‘{title}’.",
			"The log of a case (‘{title}’) shows that the agent was about to “{phrase}”.",
		},
		"test": {"A colleague on ‘{title}’ says: now I am going to “{phrase}”.", "What remains to be done on the sheet for ‘{title}’ is to “{phrase}”."},
	},
	"threshold": {
		"train": {
			"The house rules behind ‘{title}’ fix “{phrase}”.",
			"For ‘{title}’, management has set “{phrase}”.",
			"A notice for everybody working on ‘{title}’ gives “{phrase}”.",
			"The settings that apply to ‘{title}’ contain the line “{phrase}”.",
		},
		"test": {"Among the parameters of ‘{title}’ there is “{phrase}”.", "A circular about ‘{title}’ announces “{phrase}”."},
	},
	"meaning": {
		"train": {
			"In a case of the type ‘{title}’, the agent means this: “{phrase}”",
			"What has come up during ‘{title}’ is the following: “{phrase}”",
			"Someone working on ‘{title}’ describes it as follows: “{phrase}”",
			"The note for ‘{title}’ gives no name, only a description: “{phrase}”",
		},
		"test": {"On the sheet for ‘{title}’ it is paraphrased: “{phrase}”", "A colleague on ‘{title}’ explains what is meant: “{phrase}”"},
	},
	"do":   {"train": {"“{phrase}”"}, "test": {"“{phrase}”"}},
	"find": {"train": {"find out whether “{phrase}”", "learn whether “{phrase}”", "settle whether “{phrase}”"}, "test": {"get to know whether “{phrase}”"}},
}

// conceptWords are the questions of each view. None claims that there is just
// one right answer.
var conceptWords = map[string]map[string][]string{
	DefinitionView: {
		"train": {
			"Which term is defined as follows? “{phrase}”",
			"“{phrase}” Name the term to which the glossary gives this meaning.",
			"A form asks for the word that stands for this: “{phrase}” Which word is it?",
			"Look the meaning up and give the term that carries it: “{phrase}”",
			"What does this house call the following? “{phrase}”",
			"Somebody has cut the left side off an entry. What remains is “{phrase}” Which term belongs in front of it?",
			"Find a term of the list above that has the definition “{phrase}”",
			"In the language of this house, what is the word for “{phrase}”?",
			"Match the definition with its term: “{phrase}”",
			"The training sheet quotes the meaning “{phrase}” and leaves the term blank. Fill it in.",
		},
		"test": {
			"Under which heading does the glossary explain “{phrase}”?",
			"Supply the term for this explanation: “{phrase}”",
			"By the definitions given, how is this called? “{phrase}”",
			"An exam question reads: “{phrase}” What term does the house use for that?",
			"Give the expression that our documents reserve for “{phrase}”",
		},
	},
	ApplicationView: {
		"train": {
			"{situation} Which term of the glossary names this {kind}?",
			"{situation} By the definitions above, what is this {kind} called?",
			"Consider the following. {situation} Give the house term for the {kind}.",
			"{situation} The report has to name the {kind} in our own words. Which term belongs there?",
			"{situation} Apply the glossary: under which term does this {kind} fall?",
			"Use the definitions, not what the words suggest. {situation} What do we call this {kind}?",
			"{situation} What would a colleague who knows the glossary call this {kind}?",
			"Choose a term for the {kind} in this situation. {situation}",
			"{situation} Label the {kind} with a term from the list.",
			"Here is a moment from daily work. {situation} Which word fits the {kind}?",
		},
		"test": {
			"{situation} Put the proper house word on this {kind}.",
			"Read the situation against the glossary. {situation} Name the {kind}.",
			"{situation} Which entry of the list covers this {kind}?",
			"{situation} How should the minutes refer to this {kind}?",
			"In what term of ours would you speak of the {kind} here? {situation}",
		},
	},
	DiscriminationView: {
		"train": {
			"{situation} Is this “{a}” or “{b}”, as the words are used here?",
			"Two words are easily mixed up: “{a}” and “{b}”. {situation} Which of them is right?",
			"{situation} A trainee hesitates between “{a}” and “{b}”. Decide by the definitions.",
			"“{a}” or “{b}”? {situation} Go by the glossary alone.",
			"{situation} One colleague writes “{a}”, another “{b}”. Whom does the glossary support?",
			"Tell “{a}” from “{b}”. {situation} Which term applies?",
			"{situation} Of “{a}” and “{b}”, choose the term that the definitions above call for.",
			"{situation} Both “{a}” and “{b}” have been suggested. State the correct one of the pair.",
			"The draft says “{a}”, the review says “{b}”. {situation} Settle the matter.",
		},
		"test": {
			"{situation} Should the file say “{a}” or “{b}”?",
			"Between “{a}” and “{b}” a choice has to be made. {situation} Make it.",
			"{situation} Does the house speak of “{a}” here, or of “{b}”?",
			"An auditor asks whether “{a}” or “{b}” is meant. {situation} What do you answer?",
		},
	},
	ConditionWordingView: {
		"train": {
			"The statement “{phrase}” is about a {kind} of this procedure. Under which identifier does it appear?",
			"Which identifier does the procedure use for the {kind} that this speaks of? “{phrase}”",
			"“{phrase}” Find the {kind} behind these words and give its identifier.",
			"A note says “{phrase}”. Name the {kind} in the procedure that it refers to.",
			"Link the words “{phrase}” to the identifier of the {kind} that they express or deny.",
			"In the document above some {kind} is worded, affirmed or denied by “{phrase}”. What is its identifier?",
			"To file the remark “{phrase}”, you need the name under which the procedure keeps that {kind}. What is it?",
			"Someone reads out “{phrase}”. Which {kind} of the procedure is this, by its identifier?",
			"Translate into the identifier of a {kind}: “{phrase}”",
		},
		"test": {
			"By what identifier does the procedure know the {kind} in “{phrase}”?",
			"The clause “{phrase}” concerns one {kind}. State the identifier that the SOP gives it.",
			"Which name in the SOP stands for the {kind} that is meant by “{phrase}”?",
			"Resolve this to a {kind} of the SOP and answer with its identifier: “{phrase}”",
		},
	},
	ToolChoiceView: {
		"train": {
			"The agent has to {task}. Which of the calls does that?",
			"Task: {task}. Name a call from the documents above that serves it.",
			"You want to {task}. What do you call?",
			"Among the calls listed, which one can be used to {task}?",
			"A step of the work is to {task}. Give the call for it.",
			"The request needs somebody to {task}. Pick a fitting call.",
			"Suppose the next thing is to {task}. Which tool is made for this?",
			"To {task}, the system offers a call. Which one?",
			"State a call whose purpose it is to {task}.",
		},
		"test": {
			"By means of which call would you {task}?",
			"Your supervisor says: please {task}. Name the tool you reach for.",
			"The case demands that you {task}. Which call is made for that purpose?",
			"If an agent is to {task}, what should be called?",
		},
	},
}

// conceptFormats state the format of the answer. Identifiers are asked for in
// the two last views.
var conceptFormats = map[string]map[string][]string{
	"term": {
		"train": {"Answer with the term alone.", "Reply with nothing but the term, as the glossary spells it."},
		"test":  {"Give just the term and no other word."},
	},
	"json": {
		"train": {`Answer with a JSON object {"term": …}.`, `Format: JSON with the single key term.`},
		"test":  {`Return {"term": …} as JSON.`},
	},
	"sentence": {
		"train": {"Answer in one sentence that has the term, and nothing else, in “ ”.", "Say it in a sentence; put the term between “ and ”."},
		"test":  {"Write one sentence and set the term in “ ”."},
	},
	"identifier/term": {
		"train": {"Answer with the name alone, spelled as in the document, (parameter=source) included.", "Reply with nothing but the identifier, exactly as it is written above."},
		"test":  {"Give just the identifier, with its (parameter=source) if it has one."},
	},
	"identifier/json": {
		"train": {`Answer with a JSON object {"term": …} that holds the identifier as written above.`, `Format: JSON with the single key term, whose value is the identifier.`},
		"test":  {`Return {"term": …} as JSON, with the identifier as its value.`},
	},
	"identifier/sentence": {
		"train": {"Answer in one sentence that has the identifier, and nothing else, in “ ”.", "Say it in a sentence; put the identifier between “ and ”."},
		"test":  {"Write one sentence and set the identifier in “ ”."},
	},
}
