package recheck

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// Problem is one disagreement between a folder and what this package finds. Problems of the folder as a whole have no line.
type Problem struct {
	File   string
	Line   int
	Row    string
	Kind   string
	Detail string
}

func (p Problem) String() string {
	if p.Line == 0 {
		return fmt.Sprintf("%s: %s: %s", p.File, p.Kind, p.Detail)
	}
	return fmt.Sprintf("%s:%d %s: %s: %s", p.File, p.Line, p.Row, p.Kind, p.Detail)
}

// maxProblems is how many problems a report lists; all are counted.
const maxProblems = 200

// Report is what a folder's check found.
type Report struct {
	Rows, Negatives int
	// Views counts the rows by what they ask for.
	Views map[string]int
	// Compared counts the facts that were held against their comparison as the procedure's text states it.
	Compared int
	// Count is the number of problems, Kinds the same by kind; Problems lists the first of them, in the order of the files.
	Count    int
	Kinds    map[string]int
	Problems []Problem
}

// block is lines that stand together: rows of one procedure, which share texts and graphs.
type block struct {
	number int // over all files
	file   string
	first  int // line
	lines  [][]byte
}

const (
	blockLines = 64
	maxLine    = 16 << 20 // bounds what one row may take of memory
	// blocksAhead is how many blocks a worker the reader may be ahead of the one that is still waited for.
	blocksAhead = 4
)

type result struct {
	block
	rows []checkedRow
}

type checkedRow struct {
	*row
	*rowCheck
	hash     uint64
	findings []finding
}

// Folder checks every row of a dataset folder, and the folder as a whole, with the given number of workers, 0 for one a
// processor. Rows that the folder holds twice, because the train files are cumulative, are proven once. The error is about
// files that cannot be read; what is wrong with them is in the report. Memory is about 100 bytes a row.
func Folder(dir string, workers int) (Report, error) {
	m, err := readManifest(dir)
	if err != nil {
		return Report{}, err
	}
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	blocks, results := make(chan block), make(chan result)
	ahead := make(chan struct{}, blocksAhead*workers)
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			c := newChecker(m.Lexicon)
			for b := range blocks {
				results <- c.block(b)
			}
		})
	}
	t := newTally(m)
	largest, others := m.rowFiles()
	var readErr error
	go func() {
		number := 0
		for _, name := range largest {
			if readErr = t.readFile(dir, name, func(first int, lines [][]byte) {
				ahead <- struct{}{}
				blocks <- block{number, name, first, lines}
				number++
			}); readErr != nil {
				break
			}
		}
		close(blocks)
		group.Wait()
		close(results)
	}()
	// Workers finish out of order; the tally takes blocks in that of the files.
	waiting, next := map[int]result{}, 0
	for r := range results {
		waiting[r.number] = r
		for {
			r, arrived := waiting[next]
			if !arrived {
				break
			}
			t.block(r)
			delete(waiting, next)
			next++
			<-ahead
		}
	}
	if readErr != nil {
		return t.report, readErr
	}
	return t.report, t.finish(dir, others)
}

func (c *checker) block(b block) result {
	res := result{block: b}
	for _, line := range b.lines {
		out := checkedRow{hash: maphash.Bytes(seed, line)}
		r, err := readRow(line)
		if err != nil {
			out.row, out.findings = &row{}, []finding{{"row", err.Error()}}
		} else {
			out.row, out.rowCheck = r, c.row(r)
			out.findings = out.rowCheck.findings
			out.rowCheck.release()
		}
		res.rows = append(res.rows, out)
	}
	return res
}

// release lets go of what the tally does not need.
func (c *rowCheck) release() { c.checker, c.g, c.doc = nil, nil, nil }

// readFile hands over the lines of a file in blocks, and holds their number and bytes against the manifest.
func (t *tally) readFile(dir, name string, do func(first int, lines [][]byte)) error {
	sum := sha256.New()
	var size int64
	rows := 0
	var lines [][]byte
	flush := func() {
		if len(lines) > 0 {
			do(rows-len(lines)+1, lines)
			lines = nil
		}
	}
	err := eachLine(filepath.Join(dir, name), func(line []byte) {
		sum.Write(line)
		sum.Write([]byte{'\n'})
		size += int64(len(line)) + 1
		rows++
		if lines = append(lines, bytes.Clone(line)); len(lines) == blockLines {
			flush()
		}
	})
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	flush()
	if want, got := t.Files[name], (file{rows, size, hex.EncodeToString(sum.Sum(nil))}); want != got {
		t.wholes = append(t.wholes, Problem{File: name, Kind: "file", Detail: fmt.Sprintf("%+v, in the manifest %+v", got, want)})
	}
	return nil
}

func eachLine(path string, do func([]byte)) (err error) {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	dec, err := zstd.NewReader(f, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(64<<20))
	if err != nil {
		return err
	}
	defer dec.Close()
	in := bufio.NewScanner(io.Reader(dec))
	in.Buffer(make([]byte, 64<<10), maxLine)
	for in.Scan() {
		do(in.Bytes())
	}
	return in.Err()
}

// sortedBy returns the rows in the order of a key, those with equal keys together in the order of the files.
func sortedBy(rows []seenRow, key func(*seenRow) uint64) []seenRow {
	slices.SortStableFunc(rows, func(a, b seenRow) int {
		switch x, y := key(&a), key(&b); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	return rows
}
