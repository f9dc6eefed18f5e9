package stages

import "github.com/fmsop/fmsop/sop"

// asked is a context with its right answer: a side, which is asked for a whole
// workflow, or a moment, which is asked for the next action.
type asked interface {
	answer() sop.Workflow
	// refute says why another answer is wrong here; false where it is right, or
	// where it could not be written under the names of this context.
	refute(answer sop.Workflow) (wrong, bool)
}

// exchange is contexts of which each has an answer that is wrong in all the
// others. Every one becomes a group that has the others' answers as negatives:
// an answer is then wrong as often as it is right, times the negatives of a
// group, and nothing about it tells a reader who does not see the context.
type exchange[C asked] struct {
	members []C
	wrong   [][]wrong // wrong[i][j] says why the answer of member j is wrong for i
}

// admit takes a context in, or says that it did not.
func (x *exchange[C]) admit(c C) bool {
	here, there := make([]wrong, len(x.members), len(x.members)+1), make([]wrong, len(x.members))
	for i, o := range x.members {
		var ok bool
		if here[i], ok = c.refute(o.answer()); !ok {
			return false
		}
		if there[i], ok = o.refute(c.answer()); !ok {
			return false
		}
	}
	for i := range x.members {
		x.wrong[i] = append(x.wrong[i], there[i])
	}
	x.members, x.wrong = append(x.members, c), append(x.wrong, append(here, wrong{}))
	return true
}

// dismiss lets the last one go.
func (x *exchange[C]) dismiss() {
	last := len(x.members) - 1
	x.members, x.wrong = x.members[:last], x.wrong[:last]
	for i := range x.wrong {
		x.wrong[i] = x.wrong[i][:last]
	}
}

// negatives returns the answers of the others, each with why it is wrong for
// member i.
func (x *exchange[C]) negatives(i int) []wrong {
	list := make([]wrong, 0, len(x.members))
	list = append(list, x.wrong[i][:i]...)
	return append(list, x.wrong[i][i+1:]...)
}
