package text

import "strings"

// The kinds of marks.
const (
	MarkNegation    = "negation"    // not, never, without, un-
	MarkException   = "exception"   // unless, except
	MarkCondition   = "condition"   // if, whether
	MarkBound       = "bound"       // at least, more than, exactly
	MarkOrder       = "order"       // before, after, first, again
	MarkAlternative = "alternative" // or
	MarkQuantity    = "quantity"    // all, any, some, more
	MarkRestriction = "restriction" // only
	MarkObligation  = "obligation"  // must
	MarkPermission  = "permission"  // may
	MarkNumber      = "number"
	MarkTime        = "time"    // today, Monday
	MarkQuality     = "quality" // old, valid: what has an opposite
	MarkName        = "name"    // what is quoted, and every identifier and value
	MarkAction      = "action"
	MarkTerm        = "term"
	MarkDirection   = "direction" // from, to, out
	MarkOwner       = "owner"     // my, your, their
)

// MarkKinds lists them; of several that differ, the first is told.
var MarkKinds = []string{MarkNegation, MarkException, MarkCondition, MarkBound, MarkOrder, MarkAlternative, MarkQuantity,
	MarkRestriction, MarkObligation, MarkPermission, MarkNumber, MarkTime, MarkQuality, MarkName, MarkAction, MarkTerm, MarkDirection, MarkOwner}

// proseMark is what a rewording has to keep.
type proseMark struct{ kind, word string }

// proseOperators gives the mark of words and phrases. Words of one mark may
// stand for each other.
var proseOperators = proseTable(map[proseMark]string{
	{MarkNegation, "not"}: "not|no|never|none|nothing|nobody|nowhere|neither|nor|without|instead of|rather than|hardly|barely",

	{MarkException, "unless"}: "unless|except|excepting|except for|excluding|exclusive of|other than|apart from|aside from|save for|but for|barring",

	{MarkCondition, "if"}:      "if|when|whenever|provided|provided that|providing|as long as|so long as|in case|on condition that|in the event|assuming|suppose|supposing",
	{MarkCondition, "whether"}: "whether",

	{MarkBound, "at least"}:  "at least|at the least|no less than|not less than|no fewer than|not fewer than|or more|or above|or over|or higher|minimum|a minimum of",
	{MarkBound, "at most"}:   "at most|at the most|no more than|not more than|up to|or less|or fewer|or below|or lower|maximum|a maximum of|within|no later than|not later than|not exceed|not exceeding",
	{MarkBound, "more than"}: "more than|greater than|higher than|larger than|over|above|exceed|exceeds|exceeded|exceeding|beyond|in excess of|longer than|older than|later than",
	{MarkBound, "less than"}: "less than|fewer than|lower than|smaller than|under|below|beneath|short of|shorter than|younger than|earlier than",
	{MarkBound, "exactly"}:   "exactly|precisely|equal to|equals",

	{MarkOrder, "before"}: "before|prior to|ahead of|until|till|beforehand|in advance",
	{MarkOrder, "after"}:  "after|afterwards|afterward|following|subsequently|then|next|later|thereafter|once|as soon as|upon",
	{MarkOrder, "first"}:  "first|firstly|initially|to begin with|at first|at the outset",
	{MarkOrder, "last"}:   "last|lastly|finally|eventually|in the end|at last",
	{MarkOrder, "while"}:  "while|meanwhile|during|simultaneously|at the same time",
	{MarkOrder, "again"}:  "again|twice|thrice|once more|repeat|repeats|repeated|repeatedly|repeating",

	{MarkAlternative, "or"}: "or|alternatively",

	{MarkQuantity, "all"}:  "all|every|each|both|everything|everyone|everybody|entire|entirely|whole|always",
	{MarkQuantity, "any"}:  "any|anything|anyone|anybody|whichever|whatever|ever",
	{MarkQuantity, "some"}: "some|something|someone|somebody|several|sometimes",
	{MarkQuantity, "many"}: "many|most|mostly|much|plenty|often|usually",
	{MarkQuantity, "few"}:  "few|little|seldom|rarely",
	{MarkQuantity, "half"}: "half|halve|double|doubled|triple|quarter",
	{MarkQuantity, "more"}: "another|additional|additionally|further|extra|more|also|too|as well|besides|moreover|plus",
	{MarkQuantity, "less"}: "less|fewer",

	{MarkRestriction, "only"}: "only|solely|exclusively|merely|just|alone|nothing but|no more",

	{MarkObligation, "must"}:  "must|shall|should|have to|has to|had to|need to|needs to|need|needs|needed|required|mandatory|obliged|obligatory|ought to|is to|are to",
	{MarkPermission, "may"}:   "may|might|can|could|allowed|allow|allows|permitted|permit|permits|permission|permissible|able",
	{MarkPermission, "maybe"}: "maybe|perhaps|possibly|probably|optional|optionally|voluntary",

	{MarkDirection, "from"}: "from",
	{MarkDirection, "out"}:  "out|off|down|away|outside",
	{MarkDirection, "back"}: "back",
})

// prosePolite are turns of a request that demand nothing and permit nothing.
var prosePolite = proseSet("could you|can you|would you|will you|could i|can i|may i|might i|i would like|i should like|i want|i need|i wish|would like|if you please|if possible|if you could|if you would")

// proseToward say the direction where what they stand before is a name or
// term.
var proseToward = map[string]string{"to": "to", "into": "to", "onto": "to", "towards": "to", "toward": "to", "for": "for", "by": "by",
	"against": "against", "with": "with", "of": "of"}

// proseOwners are told apart by person.
var proseOwners = map[string]string{"my": "my", "mine": "my", "our": "my", "ours": "my", "your": "your", "yours": "your",
	"his": "their", "her": "their", "hers": "their", "its": "their", "their": "their", "theirs": "their"}

var proseDeterminers = proseSet("the|a|an|this|that|these|those|my|our|your|his|her|its|their|said|given|same|own")

// proseApproximate soften a number that follows.
var proseApproximate = proseSet("about|approximately|around|roughly|nearly|almost|circa|some")

// proseActs are verbs of procedures, by stem; the actions of a domain come from
// its own words.
var proseActs = proseStems(`abort accept activate add admit advise allocate answer apply approve archive arrange assign attach
authenticate authorise authorize block book borrow bring build buy bypass call cancel cease change charge check choose clear close
collect commit complete confirm contact continue copy correct create credit deactivate debit decide decline decrease delay delete deliver
demand deny deposit destroy determine disable discard disclose disregard drop edit email enable end enrol enroll enter erase escalate
establish examine exchange execute expel extend fail file finish fix follow forget forward freeze give grant halt hide hold ignore
increase inform inspect install interrupt invite invoice isolate issue keep leave lend list load lock log lower make merge modify
monitor move notify obtain offer omit open order overrule override pass pause pay perform permit pick postpone prevent print proceed
produce prohibit provide publish pull purchase push put quit raise read reassign receive record recover reduce refrain refund refuse
register reinstate reissue reject release remove rename renew reopen reorder repair replace reply report request require reserve reset
restart restore resume retain retrieve return reveal reverse review revoke run save scan schedule search select sell send settle share
ship shut sign skip split start stop store submit suspend swap switch take terminate test track transfer trigger undo
uninstall unlock unsubscribe update upgrade upload use validate verify waive wait warn wipe withdraw withhold write`)

var proseTimes = proseSet(`today|tomorrow|yesterday|tonight|morning|afternoon|evening|noon|midnight|weekend|monday|tuesday|wednesday|thursday|friday
|saturday|sunday|january|february|april|june|july|august|september|october|november|december|immediately|already|still|yet|anymore|forever|temporarily|permanently`)

// proseQualities are adjectives that have an opposite.
var proseQualities = proseSet(`new|old|same|different|other|high|low|higher|lower|highest|lowest|large|small|big|long|short|early|late|true|false|wrong|right
|valid|invalid|expired|current|former|previous|present|absent|active|inactive|full|empty|partial|temporary|permanent|public|private|domestic
|foreign|local|international|national|male|female|married|joint|primary|secondary|main|spare|lost|stolen|found|broken|whole|free|busy|available
|missing|complete|incomplete|sufficient|enough|insufficient|internal|external|personal|strong|weak|good|bad|better|worse|best|worst|cheap
|expensive|safe|unsafe|young|adult|minor|senior|junior|upper|fast|slow|hot|cold|wet|dry|single|separate|together|positive|negative
|minimal|maximal|dead|alive|sick|healthy|rich|poor|known|unknown|electronic|written|oral|automatic|manual|legal|illegal`)

// proseFiller are words that say nothing of the matter.
var proseFiller = proseSet(`well|so|now|here|there|hello|hi|hey|dear|kindly|thanks|thank|regards|indeed|certainly|simply|really|quite|very|rather|as|it|is|this
|that|then|be|being|been|am|are|was|were|would|will|may|let|like|wish|want|would|please|sorry|oh|yes|okay|ok|good|day|question|ask|asking|case|matter
|thing|things|way|regard|regarding|concerning|respect|about|concerned|namely|means|order|within|which|what|who|how|where|why|given|according|accordance
|based|there|here|one|ones|sir|madam|team|speaking|writing|say|says|said|saying|tell|call|called|name|read|reads|follow|follows|following|make
|makes|take|takes|give|gives|go|goes|come|comes|get|put|see|look|do|does|done|have|has|had|shall|should|must|possible|part|point|place|case`)

// proseIrregular gives the verb of forms that a suffix does not tell.
var proseIrregular = map[string]string{
	"paid": "pay", "sent": "send", "bought": "buy", "sold": "sell", "lent": "lend", "withdrew": "withdraw", "withdrawn": "withdraw",
	"held": "hold", "kept": "keep", "gave": "give", "given": "give", "took": "take", "taken": "take", "made": "make", "wrote": "write",
	"written": "write", "shown": "show", "left": "leave", "froze": "freeze", "frozen": "freeze", "chose": "choose", "chosen": "choose",
	"forgot": "forget", "forgotten": "forget", "undone": "undo", "brought": "bring", "built": "build", "ran": "run", "withheld": "withhold",
	"denies": "deny", "denied": "deny", "applies": "apply", "applied": "apply", "cancellation": "cancel", "cancelation": "cancel",
	"payment": "pay", "removal": "remove", "refusal": "refuse", "denial": "deny", "approval": "approve", "deletion": "delete",
	"login": "sign", "logon": "sign",
}

// proseStop are words that are no terms, though the texts of a domain use them.
var proseStop = proseSet(`the|a|an|and|but|of|to|in|on|at|by|for|with|as|is|are|was|were|be|been|being|has|have|had|does|do|did|done|it|its|this
|that|these|those|there|here|he|she|they|them|him|her|his|their|you|your|my|me|we|us|our|who|whom|whose|which|what|how|why|where|will|would
|get|gets|got|want|wants|like|yes|such|so|than|same|own|one|per|via|please|thank|thanks|hello|internal|i|am|if|set|say|says|said|let|new`)

func proseTable(phrases map[proseMark]string) map[string]proseMark {
	table := map[string]proseMark{}
	for mark, list := range phrases {
		for _, phrase := range strings.Split(list, "|") {
			table[phrase] = mark
		}
	}
	return table
}

func proseSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Split(strings.ReplaceAll(list, "\n", ""), "|") {
		set[w] = true
	}
	return set
}

func proseStems(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[proseStem(w)] = true
	}
	return set
}

// proseStem cuts what inflection adds. It is rough, and the same for every
// text.
func proseStem(w string) string {
	if verb, ok := proseIrregular[w]; ok {
		w = verb
	}
	for _, suffix := range []struct{ from, to string }{
		{"ies", "y"}, {"ied", "y"}, {"ations", ""}, {"ation", ""}, {"ings", ""}, {"ing", ""}, {"ers", ""}, {"ed", ""}, {"es", ""}, {"s", ""},
	} {
		if stem, ok := strings.CutSuffix(w, suffix.from); ok && len(stem) > 2 && !strings.HasSuffix(stem, "s") {
			w = stem + suffix.to
			break
		}
	}
	if n := len(w); n > 3 && w[n-1] == w[n-2] && w[n-1] != 'l' && w[n-1] != 's' {
		w = w[:n-1]
	}
	w = strings.TrimSuffix(w, "e")
	if stem, ok := strings.CutSuffix(w, "at"); ok && len(stem) > 3 {
		w = stem // authenticate, authentication
	}
	return w
}
