// Package sop is the Standard Operating Procedure as a formal object: what
// FM SO.P's Eq. 3, 4 and 12 say, made precise enough to prove answers right
// and wrong.
//
// Start with [Graph], the formal part of a [Variant] of a [Procedure] of a
// [Domain]; with [Scenario], the facts of one case; and with [Workflow], what
// an agent does. [Check] says what is wrong with a workflow, [Diff] why one
// graph is wrong when another is right, [Residual] what is still to be done.
// [Sampler] draws scenarios, [Machine.Positive] right workflows.
//
// # What is known
//
// A condition is known from the start, or once the calls of one minimal set
// of its established_by tree have been made, whatever their answers. Its value
// is the scenario's fact. A call's answer is the condition of its name, yes
// where there is none. Effects of a call that answered yes override what was
// known. Trees are read in Kleene's three-valued logic.
//
// # Orders
//
// The parts of seq and first_of are to be settled in order; a part is settled
// when its value first becomes known. A node breaks when a part is settled
// while an earlier one is not, unless the same call settles both or the part
// was known from the start: its value is then unknown for good. A node whose
// own value is known before that is closed and cannot break any more.
//
// # Ends
//
// An outcome is due when its tree is true and every earlier one is false now,
// or blocked. A tree is blocked when no assignment of the unknown conditions
// (free: depends_on and excludes do not limit it) and no sequence of calls,
// ends left out, each with its requirement true when made, makes it true.
// Orders are ignored here: nobody blocks a goal by an own error. One may also
// read that orders count as long as they are not broken; no proof that a graph is
// wrong rests on which of the two is meant ([Differ.Stands]).
//
// # Waste
//
// A call is needed when it can help to make known a condition that an
// undecided outcome still needs, outcomes being asked in order up to the first
// true one. A part whose value is known needs nothing, nor does one that can no
// longer get the value that would help; a minimal set with a member that can
// never be called helps nobody. Other calls are idle, and all are once an
// outcome is due.
//
// Package soptest has a second interpreter, written from these definitions by
// plain enumeration, against which this one is held.
package sop
