package rubric

import "slices"

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

	resampled []float64 // what Interval was taken from
}

// resample fills in the interval, from whole clusters drawn with replacement.
func (m *Mean) resample(clusters int, seed uint64, statistic func(drawn []int) (float64, bool)) {
	if m.resampled, m.NoInterval = resample(clusters, seed, statistic); m.NoInterval == "" {
		m.Interval = percentiles(m.resampled)
	}
}

// Overall is the mean of means that have nothing in common, such as those of
// domains, each of the same weight. It has no value where one of them has none.
// Its interval takes one resample of each at a time.
func Overall(means []Mean) Mean {
	var o Mean
	value, whole, interval := 0.0, true, true
	for _, m := range means {
		share := 1 / float64(len(means))
		o.Questions += m.Questions
		o.Scored += m.Scored
		o.Unscored += m.Unscored
		o.Low += m.Low * share
		o.High += m.High * share
		interval = interval && m.Interval != nil
		if m.Value == nil {
			whole = false
			continue
		}
		value += *m.Value * share
	}
	switch {
	case !whole || len(means) == 0:
		o.NoInterval = "no interval: unscored"
		return o
	case !interval:
		o.NoInterval = "no interval: a part has none"
	default:
		o.resampled = slices.Repeat([]float64{0}, Resamples)
		for _, m := range means {
			o.resampled = o.resampled[:min(len(o.resampled), len(m.resampled))]
			for i := range o.resampled {
				o.resampled[i] += m.resampled[i] / float64(len(means))
			}
		}
		o.Interval = percentiles(o.resampled)
	}
	o.Value = &value
	return o
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
	m.take(tallied(list, clusters), seed)
	return m
}

// take fills in the value and the interval.
func (m *Mean) take(t tally, seed uint64) {
	v, ok := t.mean(nil)
	if !ok {
		m.NoInterval = "no interval: nothing scored"
		return
	}
	m.Value = &v
	full := t.full()
	m.resample(len(full.n), seed, full.mean)
}

// full leaves out the clusters without a scored question.
func (t tally) full() (full tally) {
	for c, n := range t.n {
		if n > 0 {
			full.sum, full.n = append(full.sum, t.sum[c]), append(full.n, n)
		}
	}
	return full
}
