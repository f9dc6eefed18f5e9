package rubric

// Match compares a predicted sequence with a target as PADME does (§3.2.1).
type Match struct {
	PML int     `json:"pml"` // length of the longest common prefix
	PA  float64 `json:"pa"`  // PML over the longer length; 1 of two empty sequences
	SM  bool    `json:"sm"`  // the sequences are equal
	FM  bool    `json:"fm"`  // the last elements are equal
}

// MatchSequences compares the predicted with the target sequence.
func MatchSequences(target, predicted []string) Match {
	n, m := len(target), len(predicted)
	k := 0
	for k < min(n, m) && target[k] == predicted[k] {
		k++
	}
	match := Match{PML: k, PA: 1, SM: k == n && k == m}
	if longer := max(n, m); longer > 0 {
		match.PA = float64(k) / float64(longer)
	}
	match.FM = n == 0 && m == 0 || n > 0 && m > 0 && target[n-1] == predicted[m-1]
	return match
}
