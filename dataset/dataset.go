// Package dataset writes and reads folders of contrastive rows: a query, its
// proven positive and its proven negatives.
//
// Start with Row, then Create and Batch to write a folder, Open to read one
// and CheckFolder to audit one. A folder holds
//
//	train_K.jsonl.zst       the training rows of the stages up to K
//	validation.jsonl.zst
//	test.jsonl.zst
//	unreviewed.jsonl.zst    only where there are such rows
//	unproven.jsonl.zst      only where there are such rows
//	drops.jsonl.zst         what was rejected, and why
//	manifest.json           what is in the files: see Manifest
//	README.md               the dataset card
//
// Every .zst file is a sequence of independent zstd frames, which together
// are one stream of JSON lines. The same rows give the same bytes, whatever
// the number of workers, the machine or the day.
//
// The package knows the shape of a row, not its meaning: whether a negative
// is wrong is proven elsewhere.
package dataset

// FormatVersion is the version of the folder's layout, kept in manifest.json.
const FormatVersion = 1

// The files of a folder that are named by no split.
const (
	DropsFile    = "drops.jsonl.zst"
	ManifestFile = "manifest.json"
	CardFile     = "README.md"
)

// The splits. Unreviewed and Unproven rows are kept apart from the three that
// are trained and tested on.
const (
	Train      = "train"
	Validation = "validation"
	Test       = "test"
	Unreviewed = "unreviewed"
	Unproven   = "unproven"
)

// Splits lists the words that Row.Split may be.
var Splits = []string{Train, Validation, Test, Unreviewed, Unproven}

// The views of the three stages: what a row asks for.
const (
	ViewDefinition       = "definition"
	ViewApplication      = "application"
	ViewDiscrimination   = "discrimination"
	ViewConditionWording = "condition_wording"
	ViewToolChoice       = "tool_choice"

	ViewWorkflow   = "workflow"
	ViewNextAction = "next_action"

	ViewGraph    = "graph"
	ViewResidual = "residual"
)

// Stage is one of the three progressive stages.
type Stage struct {
	Number int
	Task   string   // what Row.Task is in this stage
	Views  []string // what Row.View may be
}

// Stages lists the stages in the order in which they are trained.
var Stages = []Stage{
	{1, "concept", []string{ViewDefinition, ViewApplication, ViewDiscrimination, ViewConditionWording, ViewToolChoice}},
	{2, "sequence", []string{ViewWorkflow, ViewNextAction}},
	{3, "graph", []string{ViewGraph, ViewResidual}},
}

// stageOf returns nil for a number that is no stage.
func stageOf(number int) *Stage {
	if number < 1 || number > len(Stages) {
		return nil
	}
	return &Stages[number-1]
}
