package recheck

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sort"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// Problem is one disagreement between a row and what this package finds.
type Problem struct {
	File   string
	Line   int
	Row    string
	Kind   string
	Detail string
}

func (p Problem) String() string {
	return fmt.Sprintf("%s:%d %s: %s: %s", p.File, p.Line, p.Row, p.Kind, p.Detail)
}

// maxProblems is how many problems a report lists; all are counted.
const maxProblems = 200

// Report is what a folder's check found. Other counts the rows of stages that this package does not judge.
type Report struct {
	Rows, Positives, Negatives, Other int
	// Compared counts the facts that were held against their comparison as the procedure's text states it.
	Compared int
	// Count is the number of problems, Kinds the same by kind; Problems lists the first of them, in the order of the files.
	Count    int
	Kinds    map[string]int
	Problems []Problem
}

type job struct {
	number int // over all files
	line   int
	file   string
	text   []byte
}

type result struct {
	job
	id        string
	negatives int
	other     bool
	compared  int
	findings  []finding
}

// Folder checks every row of stage 2 of a dataset folder with the given number of workers, 0 for one a processor. Rows that
// the folder holds twice, because the train files are cumulative, are checked once. The error is about the folder's files;
// what is wrong with rows is in the report.
func Folder(dir string, workers int) (Report, error) {
	report := Report{Kinds: map[string]int{}}
	files, err := rowFiles(dir)
	if err != nil {
		return report, err
	}
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	jobs, results := make(chan job, 4*workers), make(chan result, 4*workers)
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			c := newChecker()
			for j := range jobs {
				results <- c.line(j)
			}
		})
	}
	var readErr error
	go func() {
		number := 0
		for _, file := range files {
			if readErr = eachLine(filepath.Join(dir, file), func(line int, text []byte) {
				number++
				jobs <- job{number, line, file, text}
			}); readErr != nil {
				break
			}
		}
		close(jobs)
		group.Wait()
		close(results)
	}()
	type numbered struct {
		number int
		Problem
	}
	var kept []numbered
	byNumber := func() { sort.SliceStable(kept, func(a, b int) bool { return kept[a].number < kept[b].number }) }
	for r := range results {
		report.Rows++
		if r.other {
			report.Other++
			continue
		}
		report.Positives++
		report.Negatives += r.negatives
		report.Compared += r.compared
		for _, f := range r.findings {
			report.Count++
			report.Kinds[f.kind]++
			kept = append(kept, numbered{r.number, Problem{r.file, r.line, r.id, f.kind, f.detail}})
		}
		if len(kept) > 2*maxProblems { // workers finish out of order: keep the first, whoever found them
			byNumber()
			kept = kept[:maxProblems]
		}
	}
	byNumber()
	for _, k := range kept[:min(len(kept), maxProblems)] {
		report.Problems = append(report.Problems, k.Problem)
	}
	return report, readErr
}

func (c *checker) line(j job) result {
	res := result{job: j}
	res.text = nil
	r, err := readRow(j.text)
	if err != nil {
		res.findings = []finding{{"row", err.Error()}}
		return res
	}
	res.id = r.ID
	if r.Stage != 2 {
		res.other = true
		return res
	}
	res.negatives = len(r.Negatives)
	res.findings, res.compared = c.row(r)
	return res
}

// rowFiles names the files to read: of the cumulative train files the last one alone, since it holds the others.
func rowFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	train := ""
	var files []string
	for _, entry := range entries {
		name := entry.Name()
		switch {
		case strings.HasPrefix(name, "train_") && strings.HasSuffix(name, ".jsonl.zst"):
			train = max(train, name)
		case name == "validation.jsonl.zst", name == "test.jsonl.zst", name == "unreviewed.jsonl.zst":
			files = append(files, name)
		}
	}
	if train != "" {
		files = append([]string{train}, files...)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%q has no rows: no train_k, validation, test or unreviewed .jsonl.zst", dir)
	}
	return files, nil
}

// maxLine bounds what one row may take of memory.
const maxLine = 16 << 20

func eachLine(path string, do func(line int, text []byte)) (err error) {
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
	for line := 1; in.Scan(); line++ {
		do(line, bytes.Clone(in.Bytes()))
	}
	if err := in.Err(); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	return nil
}
