package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// MaxLineBytes is the longest line that is read.
const MaxLineBytes = 64 << 20

// Line is one line of a file. Text is only valid until the next one is read.
type Line struct {
	Number int // from 1
	Text   []byte
}

// LineError tells in which file and line something is wrong.
type LineError struct {
	File string
	Line int
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err) }
func (e *LineError) Unwrap() error { return e.Err }

// Reader reads a dataset folder.
type Reader struct {
	Manifest Manifest
	dir      string
}

// Open reads the manifest of the folder; files are opened when they are read.
func Open(dir string) (*Reader, error) {
	m, err := ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	return &Reader{m, dir}, nil
}

// Names lists the files of rows: training files from the smallest to the
// largest, validation, test, then those kept apart. The largest training file
// and all that follow hold every row once.
func (r *Reader) Names() []string {
	var names []string
	for _, f := range outFiles(r.Manifest.Stages) {
		if _, ok := r.Manifest.Files[f.name]; ok && f.name != DropsFile {
			names = append(names, f.name)
		}
	}
	return names
}

// Largest is the training file that holds all the training rows.
func (r *Reader) Largest() string {
	if len(r.Manifest.Stages) == 0 {
		return ""
	}
	return trainFile(r.Manifest.Stages[len(r.Manifest.Stages)-1])
}

// Rows reads a file of the folder as ReadRows does. A file with fewer or more
// rows than the manifest says ends in an error.
func (r *Reader) Rows(name string) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		path := filepath.Join(r.dir, name)
		file, ok := r.Manifest.Files[name]
		if !ok {
			yield(Row{}, fmt.Errorf("%s is not in %s, which has %s", path, ManifestFile, strings.Join(r.Names(), ", ")))
			return
		}
		n := 0
		for row, err := range ReadRows(path) {
			if !yield(row, err) {
				return
			}
			if err == nil {
				n++
			}
		}
		if n != file.Rows {
			yield(Row{}, fmt.Errorf("%s has %d readable rows, %s says %d", path, n, ManifestFile, file.Rows))
		}
	}
}

// Drops reads drops.jsonl.zst, with the errors of ReadRows.
func (r *Reader) Drops() iter.Seq2[Drop, error] {
	return records(ReadLines(filepath.Join(r.dir, DropsFile)), filepath.Join(r.dir, DropsFile), ParseDrop)
}

// ReadRows reads a file of rows, .jsonl.zst or plain .jsonl, in constant
// memory. An error names file and line. After a *LineError that is about the
// content of one line the rows go on with the next; after any other, such as
// a stream that is cut off, they end.
func ReadRows(path string) iter.Seq2[Row, error] {
	return records(ReadLines(path), path, ParseRow)
}

// records parses lines. It does not validate.
func records[T any](lines iter.Seq2[Line, error], path string, parse func([]byte) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for line, err := range lines {
			var v T
			if err == nil {
				if v, err = parse(line.Text); err != nil {
					err = &LineError{path, line.Number, err}
				}
			}
			if !yield(v, err) {
				return
			}
		}
	}
}

// ReadLines reads the lines of a file, decompressed if its name ends in .zst,
// without those that are blank. Errors are as for ReadRows.
func ReadLines(path string) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		f, err := os.Open(path)
		if err != nil {
			yield(Line{}, err)
			return
		}
		defer f.Close()
		for line, err := range lines(f, path, nil) {
			if !yield(line, err) {
				return
			}
		}
	}
}

// lines reads from f under the name that errors give; what was decompressed
// is also written to tee, if there is one.
func lines(f io.Reader, name string, tee io.Writer) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		raw := bufio.NewReaderSize(f, 256<<10)
		if _, err := raw.Peek(1); err != nil {
			if errors.Is(err, io.EOF) {
				err = errors.New("the file is empty")
			} else {
				err = streamError(err)
			}
			yield(Line{}, &LineError{name, 1, err})
			return
		}
		var plain io.Reader = raw
		if strings.HasSuffix(name, ".zst") {
			// 128 MiB is the largest window that zstd itself takes unasked.
			dec, err := zstd.NewReader(raw, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(128<<20))
			if err != nil {
				yield(Line{}, &LineError{name, 1, streamError(err)})
				return
			}
			defer dec.Close()
			plain = dec
		}
		if tee != nil {
			plain = io.TeeReader(plain, tee)
		}
		split(bufio.NewReaderSize(plain, 256<<10), name, yield)
	}
}

// errTooLong is about one line: what follows it can be read.
var errTooLong = fmt.Errorf("the line is longer than %d MiB", MaxLineBytes>>20)

func split(r *bufio.Reader, name string, yield func(Line, error) bool) {
	var buffer []byte
	for number := 1; ; number++ {
		text, err := readLine(r, &buffer)
		switch {
		case errors.Is(err, errTooLong):
			if !yield(Line{}, &LineError{name, number, err}) {
				return
			}
			continue
		case err != nil && err != io.EOF:
			yield(Line{}, &LineError{name, number, streamError(err)})
			return
		}
		if text = bytes.Trim(text, " \t\r\n"); len(text) > 0 && !yield(Line{number, text}, nil) {
			return
		}
		if err == io.EOF {
			return
		}
	}
}

// readLine returns a line without its end, in buffer where it is longer than
// the reader's own. The last line comes with io.EOF.
func readLine(r *bufio.Reader, buffer *[]byte) ([]byte, error) {
	*buffer = (*buffer)[:0]
	for {
		part, err := r.ReadSlice('\n')
		if err == nil && len(*buffer) == 0 {
			return part, nil
		}
		if len(*buffer)+len(part) > MaxLineBytes+1 {
			return nil, discardLine(r, err)
		}
		*buffer = append(*buffer, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return *buffer, err
		}
	}
}

// discardLine reads to the end of a line that is too long.
func discardLine(r *bufio.Reader, err error) error {
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = r.ReadSlice('\n')
	}
	if err != nil && err != io.EOF {
		return err
	}
	return errTooLong // at the end of the file, the next line is empty
}

func streamError(err error) error {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the zstd stream is cut off")
	case errors.Is(err, zstd.ErrMagicMismatch):
		return errors.New("the file is not a zstd stream")
	case errors.Is(err, zstd.ErrCRCMismatch):
		return errors.New("the zstd stream is damaged: its checksum is wrong")
	}
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err // the file is named already
	}
	return fmt.Errorf("the zstd stream is damaged: %w", err)
}
