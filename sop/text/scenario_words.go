package text

// The words of cases. Headings are what the reader goes by; all else is free
// text to it.

type scnSection int

const (
	scnNoSection scnSection = iota
	scnDetailsSection
	scnGivenSection
	scnRecordsSection
)

type scnStyle struct {
	openings []string
	says     []string // before the customer's own words
	headings map[scnSection][]string
}

var scnHeadingForms = []string{"%s:", "**%s**", "### %s"}

var scnStyles = map[string]scnStyle{
	"email": {
		openings: []string{
			"To: {desk}\nSubject: {title}",
			"To: {desk}\nSubject: request no. {number}",
			"E-mail received by {desk}, filed under: {title}",
			"Incoming mail | {desk} | reference {number}",
			"This e-mail arrived in the shared mailbox ({desk}) and was given the reference {number}.",
			"Message {number}, received by e-mail and assigned to the team for: {title}",
			"An e-mail has come in. It was sorted to “{title}”.",
			"Inbox of {desk}\nTopic chosen by the sender: {title}",
		},
		says: []string{"The customer writes:", "Text of the message:", "Body of the e-mail:", "This is what it says:", "Message as received:"},
		headings: map[scnSection][]string{
			scnDetailsSection: {"Details taken over from the message", "Details on the request form sent along", "Particulars of the request", "What the request is about, in detail"},
			scnGivenSection:   {"Evident from the request", "Clear from the message already", "Seen when the mail was sorted"},
			scnRecordsSection: {"From our records", "Internal records on this request", "What the files show", "Extract from the internal systems"},
		},
	},
	"ticket": {
		openings: []string{
			"Ticket {number} | {title}",
			"Service ticket no. {number}\nTeam: {desk}\nSubject: {title}",
			"Ticket: {number}\nQueue: {desk}\nCategory: {title}\nStatus: open",
			"Request {number}\nQueue: {desk}\nRequested service: {title}",
			"Case {number}, opened through the service portal\nTopic: {title}",
			"[{number}] {title}\nRouted to: {desk}",
		},
		says: []string{"Customer's own words:", "Free-text field:", "Description by the customer:", "Request as entered:"},
		headings: map[scnSection][]string{
			scnDetailsSection: {"Form fields", "Fields of the form", "Submitted details", "Data entered"},
			scnGivenSection:   {"Noted on submission", "Checks made by the form", "Remarks on the entry"},
			scnRecordsSection: {"Findings", "Findings from the back office", "System findings", "Results of the look-ups"},
		},
	},
	"call_note": {
		openings: []string{
			"Call note {number}. Taken by: {desk}. Topic: {title}.",
			"Note of a telephone call ({desk}). It was about: {title}.",
			"Phone call, logged under number {number}. Subject of the call: {title}.",
			"I took this call this morning and logged it under {number}. The matter: {title}.",
			"Telephone note, topic “{title}”. The line was clear, and the caller was asked to stay on it.",
			"Hotline, {desk}. One caller, one matter: {title}.",
		},
		says: []string{"The caller said:", "In the caller's words:", "What I was told:", "Asked what this was about, the caller answered:"},
		headings: map[scnSection][]string{
			scnDetailsSection: {"Taken down during the call", "Details the caller gave", "Noted while we spoke", "Particulars, read back to the caller"},
			scnGivenSection:   {"Plain from the call itself", "Already settled on the phone", "Understood while we spoke"},
			scnRecordsSection: {"Looked up in the system meanwhile", "What the system shows", "On my screen while the caller waited", "System look-ups after the call"},
		},
	},
}

// scnPlainMessages serve a procedure without a request that fits.
var scnPlainMessages = []string{
	"I have a request for you. It is about this: {title}. Everything you need is given below.",
	"Please take care of the following for me: {title}. I have filled in the details.",
	"I would like to use this service: {title}. The details are with this message.",
}
