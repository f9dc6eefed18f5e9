package dataset

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
)

// Duplicates finds texts that say almost the same as one of those that it holds.
// The measure is the Jaccard similarity of the sets of runs of shingleWords
// words, whatever their case and punctuation. Candidates are found by MinHash
// with bands (Broder 1997; Leskovec et al., Mining of Massive Datasets, §3.4)
// and then compared exactly, so that no text is found that is less similar than
// the threshold; one that is as similar as the threshold is missed once in 200
// times at most, and more similar ones less often.
//
// Add is for one goroutine; once all is added, Find may be called from any.
type Duplicates struct {
	threshold float64
	rows      int // of a band
	texts     []heldText
	bands     []map[uint64][]int // band → hash of its rows → texts
	same      map[uint64][]int   // hash of the words → texts
}

type heldText struct {
	id       string
	shingles []uint64 // sorted, each once
}

// Duplicate is a held text that another is like.
type Duplicate struct {
	ID         string  `json:"id"`
	Similarity float64 `json:"similarity"`
	Exact      bool    `json:"exact"` // the same words in the same order
}

const (
	shingleWords = 5
	minHashes    = 120 // divided evenly by the sizes that a band may have
)

// NewDuplicates takes the least similarity that counts, above 0 and at most 1.
func NewDuplicates(threshold float64) (*Duplicates, error) {
	if !(threshold > 0 && threshold <= 1) {
		return nil, fmt.Errorf("similarity %v, want a number above 0, at most 1", threshold)
	}
	d := &Duplicates{threshold: threshold, rows: bandRows(threshold), same: map[uint64][]int{}}
	d.bands = make([]map[uint64][]int, minHashes/d.rows)
	for i := range d.bands {
		d.bands[i] = map[uint64][]int{}
	}
	return d, nil
}

// bandRows is the largest size of a band with which a text at the threshold is
// missed once in 200 times at most: the larger, the fewer candidates.
func bandRows(threshold float64) int {
	best := 1
	for _, rows := range []int{2, 3, 4, 5, 6, 8, 10, 12} {
		missed := math.Pow(1-math.Pow(threshold, float64(rows)), float64(minHashes/rows))
		if missed <= 1.0/200 {
			best = rows
		}
	}
	return best
}

// Len is how many texts are held.
func (d *Duplicates) Len() int { return len(d.texts) }

// Add holds a text.
func (d *Duplicates) Add(id, text string) {
	at, shingles, whole := len(d.texts), []uint64(nil), uint64(0)
	shingles, whole = shinglesOf(text)
	d.texts = append(d.texts, heldText{id, shingles})
	d.same[whole] = append(d.same[whole], at)
	for i, h := range d.bandHashes(shingles) {
		d.bands[i][h] = append(d.bands[i][h], at)
	}
}

// Find returns the held texts that this one is like, the most similar first.
func (d *Duplicates) Find(text string) (found []Duplicate) {
	shingles, whole := shinglesOf(text)
	met := map[int]bool{}
	for _, at := range d.same[whole] {
		met[at] = true
		found = append(found, Duplicate{d.texts[at].id, 1, true})
	}
	for i, h := range d.bandHashes(shingles) {
		for _, at := range d.bands[i][h] {
			if met[at] {
				continue
			}
			met[at] = true
			if s := jaccard(shingles, d.texts[at].shingles); s >= d.threshold {
				found = append(found, Duplicate{d.texts[at].id, s, false})
			}
		}
	}
	slices.SortFunc(found, func(a, b Duplicate) int {
		return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), strings.Compare(a.ID, b.ID))
	})
	return found
}

// shinglesOf hashes the runs of words of a text, and the whole. A text of fewer
// words is one run.
func shinglesOf(text string) (shingles []uint64, whole uint64) {
	list := words(text)
	whole = hash64(0, list...)
	for i := 0; i+shingleWords <= len(list); i++ {
		shingles = append(shingles, hash64(0, list[i:i+shingleWords]...))
	}
	if shingles == nil {
		shingles = []uint64{whole}
	}
	slices.Sort(shingles)
	return slices.Compact(shingles), whole
}

// bandHashes are the hashes of the text's least hashes, band by band.
func (d *Duplicates) bandHashes(shingles []uint64) []uint64 {
	var least [minHashes]uint64
	for i := range least {
		least[i] = math.MaxUint64
	}
	for _, s := range shingles {
		for i := range least {
			least[i] = min(least[i], s*minHashFactors[i])
		}
	}
	bands := make([]uint64, len(d.bands))
	for i := range bands {
		for _, h := range least[i*d.rows : (i+1)*d.rows] {
			bands[i] = mix(bands[i] ^ h)
		}
	}
	return bands
}

// minHashFactors are odd, so that each orders all hashes anew.
var minHashFactors = func() (f [minHashes]uint64) {
	for i := range f {
		f[i] = mix(uint64(i)+1) | 1
	}
	return f
}()

// jaccard is the share of what two sorted lists have in common.
func jaccard(a, b []uint64) float64 {
	common, i, j := 0, 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			common, i, j = common+1, i+1, j+1
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	return float64(common) / float64(len(a)+len(b)-common)
}

// Asked is what a question says, of a row or of a test set.
type Asked struct {
	ID      string `json:"id"`
	Context string `json:"context"`
	Case    string `json:"case"` // of a test set; a row has it in its context
	Query   string `json:"query"`
}

// Text joins the parts.
func (a Asked) Text() string { return strings.Join([]string{a.Context, a.Case, a.Query}, "\n\n") }

// ReadAsked reads questions: a test set, or rows. Errors are as for ReadRows.
func ReadAsked(path string) iter.Seq2[Asked, error] {
	return records(ReadLines(path), path, func(line []byte) (a Asked, err error) {
		if err = json.Unmarshal(line, &a); err != nil {
			return a, jsonError(err)
		}
		if a.ID == "" || a.Query == "" {
			return a, errors.New(`"id" or "query" is empty, want a question`)
		}
		return a, nil
	})
}
