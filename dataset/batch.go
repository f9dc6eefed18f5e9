package dataset

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// Options say what a folder is to hold.
type Options struct {
	// Force lets Create replace an existing dataset folder.
	Force bool
	// Stages are those that the folder has files for; empty means all three.
	Stages []int
	// Compression is one of fastest, default, better and best; empty means
	// default.
	Compression string
	// Counter counts the tokens of every row; nil: they are not counted.
	Counter Counter
	// MaxTokens is how many tokens a row may have with the longest of its
	// answers; 0: any number. It needs a Counter.
	MaxTokens int
}

var levels = map[string]zstd.EncoderLevel{
	"":        zstd.SpeedDefault,
	"fastest": zstd.SpeedFastest,
	"default": zstd.SpeedDefault,
	"better":  zstd.SpeedBetterCompression,
	"best":    zstd.SpeedBestCompression,
}

// resolve checks the options and returns the stages sorted, without
// repetitions.
func (o Options) resolve() (stages []int, level zstd.EncoderLevel, err error) {
	if o.MaxTokens != 0 && (o.MaxTokens < 0 || o.Counter == nil) {
		return nil, 0, fmt.Errorf("at most %d tokens a row, want a positive number and something that counts them", o.MaxTokens)
	}
	level, ok := levels[o.Compression]
	if !ok {
		return nil, 0, fmt.Errorf("unknown compression %s, want fastest, default, better or best", quote(o.Compression))
	}
	for _, s := range o.Stages {
		if stageOf(s) == nil {
			return nil, 0, fmt.Errorf("unknown stage %d, want 1, 2 or 3", s)
		}
	}
	stages = slices.Compact(slices.Sorted(slices.Values(o.Stages)))
	if len(stages) == 0 {
		stages = []int{1, 2, 3}
	}
	return stages, level, nil
}

// A slot is a share of the output that is compressed once, even where several
// files hold it: the training rows of a stage are in every train_K from that
// stage on.
type slot int

const (
	slotTrain1 slot = iota // training rows of stage 1; those of 2 and 3 follow
	slotTrain2
	slotTrain3
	slotValidation
	slotTest
	slotUnreviewed
	slotUnproven
	slotDrops
	slotCount
)

func slotOf(r *Row) slot {
	switch r.Split {
	case Train:
		return slotTrain1 + slot(r.Stage-1)
	case Validation:
		return slotValidation
	case Test:
		return slotTest
	case Unreviewed:
		return slotUnreviewed
	}
	return slotUnproven
}

// Drop says that something was not made into a row. Count is how many; less
// than one counts as one.
type Drop struct {
	Job    string `json:"job"`
	Reason string `json:"reason"` // a short fixed word: the manifest counts by it
	Detail string `json:"detail"`
	Count  int    `json:"count"`
}

// Batch collects what one job made. A worker fills and seals it, and
// Writer.Append takes it over; a batch is used by one goroutine at a time.
// Frames compress best from about a hundred rows on, so make a batch per job,
// not per row.
type Batch struct {
	stages []int
	level  zstd.EncoderLevel
	err    error // of the options or of a row: reported by Seal too
	sealed bool
	shares [slotCount]share
	tally  *tally
	drops  map[string]int

	counter Counter
	most    int // tokens of a row
}

type share struct {
	rows  int
	raw   []byte // lines
	frame []byte // raw, compressed
}

// NewBatch returns an empty batch for a folder that is written with the same
// options. Wrong options are reported by the first Add, Drop or Seal.
func NewBatch(o Options) *Batch {
	b := &Batch{tally: newTally(), drops: map[string]int{}, counter: o.Counter, most: o.MaxTokens}
	b.stages, b.level, b.err = o.resolve()
	return b
}

// Add validates the row and takes it. The row is not kept. One that is longer
// than the options allow is not taken: the error is ErrTooLong, and none of the
// batch's own.
func (b *Batch) Add(r Row) error {
	if err := b.open(); err != nil {
		return err
	}
	if err := r.Validate(); err != nil {
		return b.fail(err)
	}
	if !slices.Contains(b.stages, r.Stage) {
		return b.fail(fmt.Errorf("row %s: stage %d is not among those of the folder, %v", quote(r.ID), r.Stage, b.stages))
	}
	if err := b.measure(&r); err != nil {
		return err
	}
	s := &b.shares[slotOf(&r)]
	line, err := r.AppendJSON(s.buffer())
	if err != nil {
		return b.fail(err)
	}
	s.take(line)
	b.tally.add(&r)
	return nil
}

// Drop records what was rejected.
func (b *Batch) Drop(d Drop) error {
	if err := b.open(); err != nil {
		return err
	}
	if d.Reason == "" {
		return b.fail(fmt.Errorf("drop of job %s: reason is empty", quote(d.Job)))
	}
	d.Count = max(1, d.Count)
	s := &b.shares[slotDrops]
	line, err := appendLine(s.buffer(), d)
	if err != nil {
		return b.fail(err)
	}
	s.take(line)
	b.drops[d.Reason] += d.Count
	return nil
}

// Seal compresses the batch; nothing can be added afterwards. It returns the
// first error of the batch, whether or not that was looked at before.
func (b *Batch) Seal() error {
	if err := b.open(); err != nil {
		return err
	}
	for i := range b.shares {
		s := &b.shares[i]
		if s.rows == 0 {
			continue // an empty frame in the middle reads as the end in some decoders
		}
		var err error
		if s.frame, err = compress(b.level, buffers.get(), s.raw); err != nil {
			return b.fail(err)
		}
	}
	b.sealed = true
	return nil
}

func (b *Batch) open() error {
	if b.err == nil && b.sealed {
		return errors.New("the batch is sealed")
	}
	return b.err
}

func (b *Batch) fail(err error) error {
	b.err = err
	return err
}

// release hands the buffers on to later batches.
func (b *Batch) release() {
	for i := range b.shares {
		buffers.put(b.shares[i].raw)
		buffers.put(b.shares[i].frame)
		b.shares[i] = share{}
	}
	b.err = errors.New("the batch is written")
}

func (s *share) buffer() []byte {
	if s.raw == nil {
		s.raw = buffers.get()
	}
	return s.raw
}

func (s *share) take(line []byte) {
	s.raw = append(line, '\n')
	s.rows++
}

// free keeps what is costly to make for its next use. Unlike a sync.Pool, it
// does not lose it to every collection, of which a job sees several; it holds at
// most as many as were in use at once.
type free[T any] struct {
	mutex sync.Mutex
	list  []T
}

// take is false where there is none.
func (f *free[T]) take() (v T, ok bool) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if last := len(f.list) - 1; last >= 0 {
		v, ok = f.list[last], true
		f.list = f.list[:last]
	}
	return v, ok
}

func (f *free[T]) give(v T) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.list = append(f.list, v)
}

// bufferPool keeps byte slices; outsized ones are left to the collector, so
// that one huge job does not stay in memory.
type bufferPool struct{ pool sync.Pool }

var buffers bufferPool

const largestKept = 16 << 20

func (p *bufferPool) get() []byte {
	if b, ok := p.pool.Get().(*[]byte); ok {
		return (*b)[:0]
	}
	return make([]byte, 0, 64<<10)
}

func (p *bufferPool) put(b []byte) {
	if b != nil && cap(b) <= largestKept {
		p.pool.Put(&b)
	}
}

// encoders are kept for each level.
var encoders [zstd.SpeedBestCompression + 1]free[*zstd.Encoder]

// compress appends one frame that holds data. An empty frame is a frame too.
func compress(level zstd.EncoderLevel, dst, data []byte) ([]byte, error) {
	enc, ok := encoders[level].take()
	if !ok {
		var err error
		enc, err = zstd.NewWriter(nil, zstd.WithEncoderLevel(level), zstd.WithEncoderConcurrency(1), zstd.WithZeroFrames(true), zstd.WithLowerEncoderMem(true))
		if err != nil {
			return dst, err
		}
	}
	defer encoders[level].give(enc)
	return enc.EncodeAll(data, dst), nil
}
