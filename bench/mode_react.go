package bench

// react has the model think before each call, in a text.
var react = textMode("react", `Thought: what is known, and what has to be found out or done next
Action: the name of one tool
Action Input: its arguments`)
