package dataset

import "fmt"

// A right answer that is always the longest is found out by its length alone.
func ExampleStats() {
	s := NewStats(1)
	for i := range 200 {
		r := choice(i, "login check_balance pay", "login pay", "check_balance pay")
		s.Add(&r)
	}
	s.AddDrop(Drop{Reason: ReasonEditCorrect, Detail: "order/swap", Count: 55})
	s.AddDrop(Drop{Reason: ReasonEditWrong, Detail: "order/swap", Count: 45})
	fmt.Print(s.Report().Table(false))
	// Output:
	// stage 2, workflow
	//   groups: 200, distinct right answers 1, with context 200
	//   right answers per procedure: 1 to 1, median 1
	//   measure                                            value  chance   groups
	//   right is longer than wrong (AUC)                   1.000   0.500      200 LEAK
	//   right has more items than wrong (AUC)              1.000   0.500      200 LEAK
	//   pick the median length                             0.000   0.333      200 LEAK
	//   pick the median number of items                    0.000   0.333      200 LEAK
	//   pick the most similar to the others                0.333   0.333      200 ok
	//   look-up table                                      1.000   0.333       94 LEAK
	//   look-up table, renaming undone                     1.000   0.333       94 LEAK
	//   3-grams of items                                   1.000   0.333       94 LEAK
	//   words of the answer                                1.000   0.333       94 LEAK
	//   right where the frequent item is: check_balance    0.500   0.333      200 LEAK
	//   wrong here but right elsewhere                     0.000       –      200 LEAK
	//   right answers that refuse                          0.000   0.500      200 LEAK
	//   right answers that refuse at once                  0.000   0.050      200 ok
	//   share of the largest procedure: bank/transfer_f…   1.000   1.000      200
	//   operators: order 100 %
	//   violations: unmet 100 %
	//   right elsewhere: order 0 %
	//
	// LEAK: the right answer can be told without context in 0.10 more of the groups
	// than by chance; weak: in 0.05 more; few: too few groups to tell.
	//
	// naive edits
	//   operator                              edits  still correct  only wasteful
	//   order                                   100         55.0 %          0.0 %
}
