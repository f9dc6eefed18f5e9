package bench

// actOnly has the model write its calls without thinking before them.
var actOnly = textMode("act-only", `Action: the name of one tool
Action Input: its arguments`)
