package stages_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/fmsop/fmsop/dataset"
	"github.com/fmsop/fmsop/internal/run"
	"github.com/fmsop/fmsop/sop/corpus"
	"github.com/fmsop/fmsop/stages"
)

// BenchmarkGenerate writes whole folders from all built-in corpora. The figures
// to read are groups/s and x-compress: how many times as long it takes as
// compressing what it wrote, at the same level and with as many workers.
func BenchmarkGenerate(b *testing.B) {
	var corpora []*corpus.Corpus
	for _, n := range corpus.Builtin() {
		c, err := corpus.Load(n)
		if err != nil {
			b.Fatal(err)
		}
		corpora = append(corpora, c)
	}
	const groups = 3000
	for _, made := range [][]int{{1}, {2}, {3}, {1, 2, 3}} {
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("stages=%s/workers=%d", strings.Trim(fmt.Sprint(made), "[]"), workers), func(b *testing.B) {
				timed(b, stages.Options{Groups: groups, Stages: made}, corpora, workers)
			})
		}
	}
}

func timed(b *testing.B, o stages.Options, corpora []*corpus.Corpus, workers int) {
	var generating, compressing time.Duration
	made, bytes := 0, 0
	for i := 0; b.Loop(); i++ {
		begin := time.Now()
		o.Seed = uint64(i)
		p, err := stages.NewPlan(o, corpora)
		if err != nil {
			b.Fatal(err)
		}
		dir := filepath.Join(b.TempDir(), fmt.Sprint(i))
		res, err := p.Generate(context.Background(), dir, dataset.Options{}, run.Options{Workers: workers})
		if err != nil {
			b.Fatal(err)
		}
		made += res.Made
		generating += time.Since(begin)
		b.StopTimer()
		pieces := frames(b, dir, len(p.Jobs))
		for _, piece := range pieces {
			bytes += len(piece)
		}
		compressing += compress(b, pieces, workers)
		b.StartTimer()
	}
	b.ReportMetric(float64(made)/generating.Seconds(), "groups/s")
	b.ReportMetric(float64(generating)/float64(compressing), "x-compress")
	b.ReportMetric(float64(bytes)/float64(made), "bytes/group")
}

// frames returns what the files of the folder hold, each line once, cut into
// as many pieces as there were jobs.
func frames(b *testing.B, dir string, jobs int) (pieces [][]byte) {
	b.Helper()
	r, err := dataset.Open(dir)
	if err != nil {
		b.Fatal(err)
	}
	decoder, err := zstd.NewReader(nil)
	if err != nil {
		b.Fatal(err)
	}
	defer decoder.Close()
	var all []byte
	for _, name := range append(r.Names(), dataset.DropsFile) {
		if smaller, _ := filepath.Match("train_*", name); smaller && name != r.Largest() {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			b.Fatal(err)
		}
		if all, err = decoder.DecodeAll(data, all); err != nil {
			b.Fatal(err)
		}
	}
	for i := range jobs {
		pieces = append(pieces, all[len(all)*i/jobs:len(all)*(i+1)/jobs])
	}
	return pieces
}

// compress takes the time of compressing the pieces at the level that is the
// default of a folder.
func compress(b *testing.B, pieces [][]byte, workers int) time.Duration {
	b.Helper()
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithEncoderConcurrency(workers))
	if err != nil {
		b.Fatal(err)
	}
	defer encoder.Close()
	encoder.EncodeAll(pieces[0], nil) // the first call allocates
	begin := time.Now()
	var wait sync.WaitGroup
	next := make(chan []byte)
	for range workers {
		wait.Go(func() {
			var frame []byte
			for piece := range next {
				frame = encoder.EncodeAll(piece, frame[:0])
			}
		})
	}
	for _, piece := range pieces {
		next <- piece
	}
	close(next)
	wait.Wait()
	return time.Since(begin)
}
