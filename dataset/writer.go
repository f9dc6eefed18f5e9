package dataset

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"os"
	"path/filepath"
	"slices"

	"github.com/klauspost/compress/zstd"
)

// Writer writes a folder under a temporary name beside it and gives it its
// own name when it is whole. It is for one goroutine: the ordered end of the
// workers that fill batches. The first error of any method removes the
// temporary folder and is returned by every later call.
type Writer struct {
	dir, tmp string
	parents  []string // those that Create made, outermost first
	force    bool
	stages   []int
	level    zstd.EncoderLevel
	files    []*outFile
	tally    *tally
	drops    map[string]int
	err      error

	tokenizer *Tokenizer // with which the tokens of rows are counted, if they are
}

// outFile is one file of lines: the slots that feed it and what it holds so
// far. It is created with its first line or, unless optional, at the end.
type outFile struct {
	name     string
	slots    []slot
	optional bool
	file     *os.File
	buffered *bufio.Writer
	sum      hash.Hash // of the uncompressed bytes
	rows     int
	bytes    int64
}

// Create starts a folder. A dir that exists is refused; with Force it is
// replaced when the new one is whole, and only if it is a dataset folder or
// empty, so that a mistyped name costs nothing.
func Create(dir string, o Options) (*Writer, error) {
	stages, level, err := o.resolve()
	if err != nil {
		return nil, err
	}
	if dir == "" {
		return nil, errors.New("the name of the output folder is empty")
	}
	if err := replaceable(dir, o.Force); err != nil {
		return nil, err
	}
	path, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // the link stays, what it leads to is replaced
	}
	w := &Writer{dir: path, tmp: fmt.Sprintf("%s.tmp-%d", path, os.Getpid()), force: o.Force, stages: stages, level: level,
		tally: newTally(), drops: map[string]int{}, files: outFiles(stages)}
	if o.Counter != nil {
		t := o.Counter.Tokenizer()
		w.tokenizer = &t
	}
	if o.Force { // left by a killed run whose process had the same number
		if err := os.RemoveAll(w.tmp); err != nil {
			return nil, err
		}
	}
	if w.parents, err = makeParents(path); err == nil {
		err = os.Mkdir(w.tmp, 0o777)
	}
	if err != nil {
		w.removeParents()
		if errors.Is(err, os.ErrExist) {
			return nil, fmt.Errorf("%s is left from a killed run or still written to: remove it, or use --force", w.tmp)
		}
		return nil, err
	}
	return w, nil
}

// replaceable says whether dir may be written, now or with Force.
func replaceable(dir string, force bool) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is a file, want the name of a folder", dir)
	case !force:
		return fmt.Errorf("%s exists, use --force to replace it", dir)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	if len(entries) == 0 {
		return nil
	}
	if _, err := ReadManifest(dir); err != nil {
		return fmt.Errorf("%s is not replaced, even with --force: %w", dir, err)
	}
	return nil
}

// outFiles lists the files in the order of the manifest and the card.
func outFiles(stages []int) []*outFile {
	var files []*outFile
	var train []slot
	for _, s := range stages {
		train = append(train, slotTrain1+slot(s-1))
		files = append(files, &outFile{name: trainFile(s), slots: slices.Clone(train)})
	}
	files = append(files,
		&outFile{name: splitFile(Validation), slots: []slot{slotValidation}},
		&outFile{name: splitFile(Test), slots: []slot{slotTest}},
		&outFile{name: splitFile(Unreviewed), slots: []slot{slotUnreviewed}, optional: true},
		&outFile{name: splitFile(Unproven), slots: []slot{slotUnproven}, optional: true},
		&outFile{name: DropsFile, slots: []slot{slotDrops}})
	for _, f := range files {
		f.sum = sha256.New()
	}
	return files
}

func trainFile(stage int) string    { return fmt.Sprintf("train_%d.jsonl.zst", stage) }
func splitFile(split string) string { return split + ".jsonl.zst" }

// Append writes a sealed batch and takes it over: the batch is used up. Rows
// stand in the files in the order of the batches.
func (w *Writer) Append(b *Batch) error {
	if w.err != nil {
		return w.err
	}
	switch {
	case b.err != nil:
		return w.fail(b.err)
	case !b.sealed:
		return w.fail(errors.New("the batch is not sealed"))
	case !slices.Equal(b.stages, w.stages):
		return w.fail(fmt.Errorf("the batch is for stages %v, the folder for %v", b.stages, w.stages))
	}
	for _, f := range w.files {
		for _, slot := range f.slots {
			if err := f.append(w.tmp, &b.shares[slot]); err != nil {
				return w.fail(err)
			}
		}
	}
	w.tally.merge(b.tally)
	for reason, n := range b.drops {
		w.drops[reason] += n
	}
	b.release()
	return nil
}

func (f *outFile) append(folder string, s *share) error {
	if s.rows == 0 {
		return nil
	}
	if err := f.create(folder); err != nil {
		return err
	}
	f.sum.Write(s.raw)
	f.rows += s.rows
	f.bytes += int64(len(s.raw))
	_, err := f.buffered.Write(s.frame)
	return err
}

func (f *outFile) create(folder string) (err error) {
	if f.file == nil {
		f.file, err = os.OpenFile(filepath.Join(folder, f.name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		f.buffered = bufio.NewWriterSize(f.file, 256<<10)
	}
	return err
}

// close brings the file to the disk. One without lines still is a zstd file.
func (f *outFile) close(level zstd.EncoderLevel) error {
	if f.rows == 0 {
		empty, err := compress(level, nil, nil)
		if err != nil {
			return err
		}
		if _, err := f.buffered.Write(empty); err != nil {
			return err
		}
	}
	if err := f.buffered.Flush(); err != nil {
		return err
	}
	if err := f.file.Sync(); err != nil {
		return err
	}
	return f.file.Close()
}

// Close completes the folder: files, manifest, card, and at last its name.
func (w *Writer) Close(info Info) (Manifest, error) {
	if w.err != nil {
		return Manifest{}, w.err
	}
	m, err := w.close(info)
	if err != nil {
		return Manifest{}, w.fail(err)
	}
	w.err = errors.New("the folder is closed")
	return m, nil
}

func (w *Writer) close(info Info) (Manifest, error) {
	m := w.manifest(info)
	for _, f := range w.files {
		if f.rows == 0 && f.optional {
			continue
		}
		if err := f.create(w.tmp); err != nil {
			return m, err
		}
		if err := f.close(w.level); err != nil {
			return m, err
		}
		m.Files[f.name] = File{Rows: f.rows, Bytes: f.bytes, SHA256: hex.EncodeToString(f.sum.Sum(nil))}
	}
	manifest, err := m.encode()
	if err != nil {
		return m, err
	}
	card, err := m.card()
	if err != nil {
		return m, err
	}
	if err := writeFile(filepath.Join(w.tmp, ManifestFile), manifest); err != nil {
		return m, err
	}
	if err := writeFile(filepath.Join(w.tmp, CardFile), card); err != nil {
		return m, err
	}
	syncFolder(w.tmp)
	if err := w.rename(); err != nil {
		return m, err
	}
	syncFolder(filepath.Dir(w.dir))
	return m, nil
}

func (w *Writer) manifest(info Info) Manifest {
	m := Manifest{
		Version: FormatVersion, Generator: info.Generator, Seed: info.Seed, Shard: info.Shard, Stages: w.stages,
		Files: map[string]File{}, Counts: w.tally.counts, Lengths: w.tally.lengths(), Drops: w.drops,
		Distinct: w.tally.distinct(), Overlap: w.tally.overlap(),
		Split: info.Split, Exposure: info.Exposure, Notes: info.Notes, Config: info.Config, Lexicon: info.Lexicon,
		Paraphrase: info.Paraphrase, Paraphrased: info.Paraphrased, Author: info.Author, Authored: info.Authored,
	}
	if m.Tokenizer = w.tokenizer; m.Tokenizer != nil {
		m.Tokens = w.tally.tokens.files(w.stages)
		if m.Shard != "" {
			m.TokenCounts = w.tally.tokens
		}
	}
	// Empty rather than null: readers in other languages iterate over them.
	if m.Split.Assignments == nil {
		m.Split.Assignments = map[string]string{}
	}
	if m.Exposure == nil {
		m.Exposure = []Exposure{}
	}
	if m.Notes == nil {
		m.Notes = []string{}
	}
	return m
}

// rename gives the folder its name. An old one is moved aside first and put
// back should the new one not take its place.
func (w *Writer) rename() error {
	if err := replaceable(w.dir, w.force); err != nil {
		return err // it came into being meanwhile
	}
	old := fmt.Sprintf("%s.old-%d", w.dir, os.Getpid())
	err := os.Rename(w.dir, old)
	if errors.Is(err, os.ErrNotExist) {
		return os.Rename(w.tmp, w.dir)
	}
	if err != nil {
		return err
	}
	if err := os.Rename(w.tmp, w.dir); err != nil {
		if os.Rename(old, w.dir) != nil {
			err = fmt.Errorf("%w; the old folder is now %s", err, old)
		}
		return err
	}
	return os.RemoveAll(old)
}

// Abort removes all that was written. After Close, or a second time, it does
// nothing, so it can be deferred.
func (w *Writer) Abort() {
	if w.err == nil {
		w.fail(errors.New("the folder is aborted"))
	}
}

func (w *Writer) fail(err error) error {
	w.err = err
	for _, f := range w.files {
		if f.file != nil {
			f.file.Close()
		}
	}
	os.RemoveAll(w.tmp)
	w.removeParents()
	return err
}

func (w *Writer) removeParents() {
	for _, p := range slices.Backward(w.parents) {
		os.Remove(p) // fails, rightly, if something else is in there by now
	}
}

// makeParents makes the folders above path and returns those it had to make,
// outermost first.
func makeParents(path string) (made []string, err error) {
	var missing []string
	for p := filepath.Dir(path); ; p = filepath.Dir(p) {
		if _, err := os.Stat(p); !errors.Is(err, os.ErrNotExist) {
			break // there, or something that Mkdir will name
		}
		missing = append(missing, p)
	}
	for _, p := range slices.Backward(missing) {
		if err := os.Mkdir(p, 0o777); err != nil {
			return made, err
		}
		made = append(made, p)
	}
	return made, nil
}

func writeFile(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return f.Close()
}

// syncFolder makes the names in the folder last. Some systems cannot; that is
// no reason to lose the data, which by then are on the disk.
func syncFolder(path string) {
	if d, err := os.Open(path); err == nil {
		d.Sync()
		d.Close()
	}
}
