package rubric

// Mean of a quantity over questions. Value is null where nothing was scored.
// Low and High are what it would be if every unscored answer were worth 0, or
// 1. Scored and Unscored count answers.
type Mean struct {
	Value      *float64  `json:"value"`
	Questions  int       `json:"questions"`
	Scored     int       `json:"scored"`
	Unscored   int       `json:"unscored"`
	Low        float64   `json:"low"`
	High       float64   `json:"high"`
	Interval   *Interval `json:"interval"`
	NoInterval string    `json:"no_interval"` // why Interval is null
}

// observation is what the repeats of one question gave.
type observation struct {
	cluster          int
	sum              float64
	scored, unscored int
}

func (o *observation) value() float64 { return o.sum / float64(o.scored) }

// tally sums the scored questions of each cluster.
type tally struct {
	sum []float64
	n   []int
}

func tallied(list []observation, clusters int) tally {
	t := tally{make([]float64, clusters), make([]int, clusters)}
	for _, o := range list {
		if o.scored > 0 {
			t.sum[o.cluster] += o.value()
			t.n[o.cluster]++
		}
	}
	return t
}

// mean over the clusters as often as each was drawn; nil draws each once.
func (t tally) mean(drawn []int) (float64, bool) {
	sum, n := 0.0, 0
	for c := range t.sum {
		times := 1
		if drawn != nil {
			times = drawn[c]
		}
		sum += float64(times) * t.sum[c]
		n += times * t.n[c]
	}
	return sum / float64(n), n > 0
}

// clusters that hold a scored question.
func (t tally) clusters() int {
	count := 0
	for _, n := range t.n {
		if n > 0 {
			count++
		}
	}
	return count
}

// meanOf takes the mean over repeats within each question first, then over
// questions.
func meanOf(list []observation, clusters int, seed uint64) Mean {
	m := Mean{Questions: len(list)}
	for _, o := range list {
		m.Scored += o.scored
		m.Unscored += o.unscored
		asked := float64(o.scored + o.unscored)
		m.Low += o.sum / asked / float64(len(list))
		m.High += (o.sum + float64(o.unscored)) / asked / float64(len(list))
	}
	t := tallied(list, clusters)
	v, ok := t.mean(nil)
	if !ok {
		m.NoInterval = "no interval: nothing scored"
		return m
	}
	m.Value = &v
	m.Interval, m.NoInterval = t.interval(seed)
	return m
}

func (t tally) interval(seed uint64) (*Interval, string) {
	full := tally{}
	for c, n := range t.n {
		if n > 0 {
			full.sum, full.n = append(full.sum, t.sum[c]), append(full.n, n)
		}
	}
	return bootstrap(len(full.n), seed, full.mean)
}
