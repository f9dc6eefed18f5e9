package sop

// Domain is one corpus of procedures over shared names: what a domain pack
// holds. Loaders fill it; nothing changes it afterwards.
type Domain struct {
	Name       string                `yaml:"domain" json:"domain"`
	Title      string                `yaml:"title" json:"title"`
	Summary    string                `yaml:"summary" json:"summary"`
	Parameters map[string]*Parameter `yaml:"parameters" json:"parameters"`
	Thresholds map[string]*Threshold `yaml:"thresholds" json:"thresholds,omitempty"`
	Values     map[string]*Value     `yaml:"values" json:"values,omitempty"`
	Conditions map[string]*Condition `yaml:"conditions" json:"conditions"`
	Actions    map[string]*Action    `yaml:"actions" json:"actions"`
	// Excludes lists sets of conditions of which at most one is true.
	Excludes   [][]string   `yaml:"excludes" json:"excludes,omitempty"`
	Glossary   []*Term      `yaml:"glossary" json:"glossary"`
	Procedures []*Procedure `yaml:"-" json:"-"` // sorted by goal
}

// Parameter is something that calls are given: the customer says it.
type Parameter struct {
	// Noun is the phrase that rules use for the one who is meant by it or for
	// the thing itself: "the customer" for username, "the payee".
	Noun string `yaml:"noun" json:"noun"`
	// Label names the detail on a ticket: "Username".
	Label string `yaml:"label" json:"label"`
	// Pool names a shared supply of examples; two parameters of one pool never
	// get the same example in a scenario. Empty means the parameter's own.
	Pool string `yaml:"pool" json:"pool,omitempty"`
	// Examples are what scenarios draw from: strings, numbers or objects.
	// A parameter that is a stated Value draws its number there and has none.
	Examples []any `yaml:"examples" json:"examples,omitempty"`
}

// Threshold is a number that a variant may change.
type Threshold struct {
	Default float64   `yaml:"default" json:"default"`
	Choices []float64 `yaml:"choices" json:"choices,omitempty"` // what variants draw from, Default included
	Unit    string    `yaml:"unit" json:"unit,omitempty"`
	Text    string    `yaml:"text" json:"text"` // noun phrase: "the ceiling on outstanding debt"
	// Source is the line that an import read it in, file:line; Certain, where it
	// is there, whether that reading is sure or accepted.
	Source  string `yaml:"source" json:"source,omitempty"`
	Certain *bool  `yaml:"certain" json:"certain,omitempty"`
}

// Value is a number that scenarios draw and comparisons read.
type Value struct {
	// Parameters tell whose record holds it; a renaming passes through them.
	Parameters []string `yaml:"parameters" json:"parameters,omitempty"`
	// Stated values are said by the customer: the value is the call parameter
	// of the same name.
	Stated bool    `yaml:"stated" json:"stated,omitempty"`
	Unit   string  `yaml:"unit" json:"unit,omitempty"` // USD, days, points, percent or nothing
	Min    float64 `yaml:"min" json:"min"`
	Max    float64 `yaml:"max" json:"max"`
	Step   float64 `yaml:"step" json:"step"` // smallest difference that matters: 0.01, 1
	// Text is the noun phrase in rules, "the account balance of {username}";
	// Record the line in a case file, "Balance of {username}: {value}".
	Text   string `yaml:"text" json:"text"`
	Record string `yaml:"record" json:"record,omitempty"`
	// DependsOn says when there is such a value at all (the account exists).
	DependsOn *Tree  `yaml:"depends_on" json:"depends_on,omitempty"`
	Source    string `yaml:"source" json:"source,omitempty"`
	Certain   *bool  `yaml:"certain" json:"certain,omitempty"`
}

// Kinds are the kinds of conditions.
var Kinds = []string{"authentication", "authorization", "existence", "eligibility", "financial", "temporal",
	"availability", "quota", "state", "format", "consistency", "privacy"}

// Condition is an atomic fact.
type Condition struct {
	Kind       string   `yaml:"kind" json:"kind"`
	Parameters []string `yaml:"parameters" json:"parameters,omitempty"`
	// Compare makes the condition a comparison over values and thresholds:
	// "owed_balance < maximum_owed_balance". See ParseComparison.
	Compare string `yaml:"compare" json:"compare,omitempty"`
	// DependsOn must hold for the condition to be true.
	DependsOn *Tree `yaml:"depends_on" json:"depends_on,omitempty"`
	// EstablishedBy is a tree over actions, or the leaf conversation; nil
	// stands for the action of the same name.
	EstablishedBy *Tree `yaml:"established_by" json:"established_by,omitempty"`
	// Text and Negated word the condition in rules, with {parameter} where the
	// parameter's noun goes: "the policy of {username} is active".
	Text    string `yaml:"text" json:"text"`
	Negated string `yaml:"negated" json:"negated"`
	// RecordTrue and RecordFalse word the fact in a case file, with
	// {parameter} where the bound value goes. Comparisons have none: their
	// values are recorded.
	RecordTrue  string `yaml:"record_true" json:"record_true,omitempty"`
	RecordFalse string `yaml:"record_false" json:"record_false,omitempty"`
	Source      string `yaml:"source" json:"source,omitempty"`
	Certain     *bool  `yaml:"certain" json:"certain,omitempty"`
}

// Action is something that the agent can call.
type Action struct {
	Parameters []string `yaml:"parameters" json:"parameters,omitempty"`
	// Text is an imperative phrase with {parameter} for nouns: "sign
	// {username} in with the identification given".
	Text string `yaml:"text" json:"text"`
	// Requires is the requirement of an action that is no procedure of its
	// own; that of a procedure's goal is all its rules.
	Requires *Tree `yaml:"requires" json:"requires,omitempty"`
	// Innate is what the tool itself enforces, whatever the procedure says.
	Innate *Tree `yaml:"innate" json:"innate,omitempty"`
	// Effects hold once the action succeeded.
	Effects map[string]bool `yaml:"effects" json:"effects,omitempty"`
	Source  string          `yaml:"source" json:"source,omitempty"`
	Certain *bool           `yaml:"certain" json:"certain,omitempty"`
}

// Term is an entry of the glossary.
type Term struct {
	Term       string `yaml:"term" json:"term"`
	Definition string `yaml:"definition" json:"definition"`
	// Type groups terms that can be told apart by what they are: action,
	// condition, value, role, record, document, credential, state.
	Type string `yaml:"type" json:"type"`
	// Of names the action, condition, value or threshold that the term words.
	Of          string        `yaml:"of" json:"of,omitempty"`
	UsedIn      []string      `yaml:"used_in" json:"used_in"` // goals of procedures
	Synonyms    []string      `yaml:"synonyms" json:"synonyms,omitempty"`
	Confusables []*Confusable `yaml:"confusables" json:"confusables,omitempty"`
	Source      string        `yaml:"source" json:"source,omitempty"`
	Certain     *bool         `yaml:"certain" json:"certain,omitempty"`
}

// Confusable is a term that could be mistaken for another one.
type Confusable struct {
	Term string `yaml:"term" json:"term"`
	// NotBecause says why it is wrong in the place of the other.
	NotBecause string `yaml:"not_because" json:"not_because"`
}

// Procedure is one SOP as authored: a goal, its required rules and those that
// a variant may leave out.
type Procedure struct {
	Goal    string `yaml:"procedure" json:"procedure"` // the goal action, and the procedure's id
	Title   string `yaml:"title" json:"title"`
	Purpose string `yaml:"purpose" json:"purpose"`
	// Requests are customers' messages with {parameter} for bound values.
	Requests     []string `yaml:"requests" json:"requests"`
	Required     []*Tree  `yaml:"required" json:"required,omitempty"`
	Customizable []*Tree  `yaml:"customizable" json:"customizable,omitempty"`
	// Outcomes replace the two of a customer's request (the goal when its
	// rules hold, else deny); the last has no tree.
	Outcomes []Outcome `yaml:"outcomes" json:"outcomes,omitempty"`
	// Unmodelled keeps what the source says beyond the model; no row is drawn
	// from it.
	Unmodelled []string `yaml:"unmodelled" json:"unmodelled,omitempty"`
	Source     string   `yaml:"source" json:"source,omitempty"`
	Certain    *bool    `yaml:"certain" json:"certain,omitempty"`
	// Cases, where there are any, are the variants and scenarios that the
	// corpus itself holds (SOPBench tasks); else variants are composed.
	Cases []*Case `yaml:"-" json:"-"`
}

// Outcome is one way in which a procedure ends.
type Outcome struct {
	End  string `yaml:"end" json:"end"`   // the final action, or a word such as deny
	Tree *Tree  `yaml:"tree" json:"tree"` // nil for the last
}

// Case is one concrete variant and scenario of a procedure.
type Case struct {
	Rules      []*Tree
	Thresholds map[string]float64
	Scenario   *Scenario
	Source     string // sha256 of the source record, in hex
}
