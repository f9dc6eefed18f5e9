// Package python gives Starlark's values the manners of Python's, as far as
// recorded runs and tool results show them: how a text evaluates ([Eval]), how
// a value prints ([Str], [Repr]), when two values are equal ([Equal]), what
// counts as true ([Truth]), and what is thrown ([Exception]).
//
// The values themselves are Starlark's: a Python int is a starlark.Int, a list
// a *starlark.List, and so on; that they are mutable and keep the order of
// their keys is the same in both.
package python
