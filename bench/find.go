package bench

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// NoGoalError is a goal that no item of a file has.
type NoGoalError struct {
	Goal  string
	Goals []string // that there are, in the order of the file
}

func (e *NoGoalError) Error() string { return fmt.Sprintf("no item has the goal %q", e.Goal) }

// Find returns the index of an item: task is that index, or a goal and the
// index among the items of that goal, as pay_bill/0.
func (r *Runs) Find(task string) (int, error) {
	if len(r.Items) == 0 {
		return 0, errors.New("there are no items")
	}
	goal, number, ofGoal := strings.Cut(task, "/")
	if !ofGoal {
		i, err := strconv.Atoi(task)
		switch {
		case err != nil:
			return 0, r.unnumbered(task)
		case i < 0 || i >= len(r.Items):
			return 0, fmt.Errorf("there is no item %d, want 0 to %d", i, len(r.Items)-1)
		}
		return i, nil
	}
	items := r.of(goal)
	if len(items) == 0 {
		return 0, r.noGoal(goal)
	}
	i, err := strconv.Atoi(number)
	if err != nil || i < 0 || i >= len(items) {
		return 0, fmt.Errorf("there is no item %s, want %s", task, span(goal, len(items)))
	}
	return items[i], nil
}

// unnumbered is the error of a goal without a number.
func (r *Runs) unnumbered(goal string) error {
	n := len(r.of(goal))
	if n == 0 {
		return r.noGoal(goal)
	}
	return fmt.Errorf("%s is a goal, want %s", goal, span(goal, n))
}

func span(goal string, n int) string {
	if n == 1 {
		return goal + "/0"
	}
	return fmt.Sprintf("%s/0 to %s/%d", goal, goal, n-1)
}

func (r *Runs) noGoal(goal string) error {
	e := &NoGoalError{Goal: goal}
	for _, item := range r.Items {
		if !slices.Contains(e.Goals, item.Task.Goal) {
			e.Goals = append(e.Goals, item.Task.Goal)
		}
	}
	return e
}

// of returns the indices of a goal's items.
func (r *Runs) of(goal string) (list []int) {
	for i, item := range r.Items {
		if item.Task.Goal == goal {
			list = append(list, i)
		}
	}
	return list
}
