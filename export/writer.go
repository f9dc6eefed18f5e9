package export

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/fmsop/fmsop/dataset"
)

// ManifestFile says what a folder of exports holds.
const ManifestFile = "export.json"

// Version is that of the folders, kept in ManifestFile.
const Version = 1

// Manifest is what ManifestFile holds. It names no clock, host or path.
type Manifest struct {
	Version   int                     `json:"version"`
	Generator string                  `json:"generator"` // of the dataset
	Seed      uint64                  `json:"seed"`
	Sources   map[string]dataset.File `json:"sources"` // the files of the dataset
	Stage     int                     `json:"stage"`
	Pairs     string                  `json:"pairs"`
	Encoding  Encoding                `json:"encoding"`
	Formats   map[string]Exported     `json:"formats"`
}

// Exported is what was made in one format.
type Exported struct {
	Title   string                  `json:"title"`
	Files   map[string]dataset.File `json:"files"`    // bytes and hash as they are before compression, of Parquet as they are
	Groups  map[string]int          `json:"groups"`   // split → groups read
	LeftOut map[string]int          `json:"left_out"` // reason → groups without a row
	Mixed   map[string]Mixed        `json:"mixed,omitempty"`
	Tokens  *dataset.TokenSummary   `json:"tokens,omitempty"` // of the groups exported, where they were counted
}

// Split is the file of a split; false where it has no rows.
func (e Exported) Split(split string) (dataset.File, bool) {
	for name, f := range e.Files {
		if strings.HasPrefix(name, split+".") {
			return f, true
		}
	}
	return dataset.File{}, false
}

var compressor, _ = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(0), zstd.WithLowerEncoderMem(true)) // fails for wrong options only

// Writer writes the parts into a folder. It is for one goroutine.
type Writer struct {
	x       *Exporter
	folder  string
	files   map[string][]*outFile // by split, one a format
	blends  [][]*blend            // by format
	made    []Exported            // by format
	lengths []dataset.TokenCounts // by format

	right, wrong, mostWrong int // answers of training rows; wrong ones of any group
}

// Create starts to write into an empty folder.
func (x *Exporter) Create(folder string) (*Writer, error) {
	w := &Writer{x: x, folder: folder, files: map[string][]*outFile{}}
	for _, f := range x.Formats {
		if err := os.Mkdir(filepath.Join(folder, f.Name), 0o777); err != nil {
			return nil, err
		}
		var blends []*blend
		for _, m := range x.Mix {
			blends = append(blends, newBlend(m, x.Mix))
		}
		w.blends = append(w.blends, blends)
		w.lengths = append(w.lengths, dataset.TokenCounts{})
		w.made = append(w.made, Exported{Title: f.Title, Files: map[string]dataset.File{}, Groups: map[string]int{}, LeftOut: map[string]int{}})
	}
	for _, s := range x.Sources {
		for _, f := range x.Formats {
			w.files[s.Split] = append(w.files[s.Split], &outFile{
				name: s.Split + "." + string(f.encodedAs(x.Encoding)), folder: filepath.Join(folder, f.Name), format: f,
				encoding: f.encodedAs(x.Encoding), sum: sha256.New(),
			})
		}
	}
	return w, nil
}

// Append writes a part. Rows stand in the files in the order of the parts.
func (w *Writer) Append(p *Part) error {
	for _, wrong := range p.wrong {
		w.mostWrong = max(w.mostWrong, wrong)
		if p.split == dataset.Train {
			w.right++
			w.wrong += wrong
		}
	}
	for i, f := range w.files[p.split] {
		if err := f.append(p.chunks[i], p.frames[i]); err != nil {
			return err
		}
		made := &w.made[i]
		made.Groups[p.split] += p.groups
		w.lengths[i].Merge(p.lengths[i])
		for why, n := range p.leftOut[i] {
			made.LeftOut[why] += n
		}
		if p.split == dataset.Train {
			if err := w.blend(i, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// blend adds the chats that are due after the rows of a training file.
func (w *Writer) blend(i int, f *outFile) error {
	for _, b := range w.blends[i] {
		c := f.format.table.newChunk(f.encoding)
		err := b.after(f.rows-f.mixed, func(chat Chat) error {
			record, ok := f.format.chat(chat)
			if !ok {
				return fmt.Errorf("%s has a chat that cannot be a row of %s", b.File, f.format.Name)
			}
			return c.add(record)
		})
		if err != nil {
			return err
		}
		f.mixed += c.rows()
		if err := f.append(c, nil); err != nil {
			return err
		}
	}
	return nil
}

// Close completes the files and writes what stands beside them.
func (w *Writer) Close() (Manifest, error) {
	m := Manifest{
		Version: Version, Generator: w.x.manifest.Generator, Seed: w.x.manifest.Seed, Sources: map[string]dataset.File{},
		Stage: w.x.Stage, Pairs: w.x.Pairs.String(), Encoding: w.x.Encoding, Formats: map[string]Exported{},
	}
	for _, s := range w.x.Sources {
		m.Sources[s.File] = w.x.manifest.Files[s.File]
		for i, f := range w.files[s.Split] {
			if read := w.made[i].Groups[s.Split]; read != s.Rows {
				return m, fmt.Errorf("%s has %d rows, %s says %d", s.File, read, dataset.ManifestFile, s.Rows)
			}
			if f.rows == 0 {
				continue
			}
			done, err := f.close()
			if err != nil {
				return m, err
			}
			w.made[i].Files[f.name] = done
		}
	}
	for i, f := range w.x.Formats {
		for _, b := range w.blends[i] {
			if w.made[i].Mixed == nil {
				w.made[i].Mixed = map[string]Mixed{}
			}
			w.made[i].Mixed[b.name()] = b.Mixed
			b.stop()
		}
		if w.x.Tokenizer != nil {
			summary := w.lengths[i].Summary()
			w.made[i].Tokens = &summary
		}
		m.Formats[f.Name] = w.made[i]
		files, err := f.render(w.beside(f, w.made[i]))
		if err != nil {
			return m, err
		}
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(w.folder, f.Name, name), text, 0o666); err != nil {
				return m, err
			}
		}
	}
	return m, w.writeJSON(m)
}

func (w *Writer) writeJSON(m Manifest) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(w.folder, ManifestFile), append(text, '\n'), 0o666)
}

// Abort gives up what Close has not completed.
func (w *Writer) Abort() {
	for _, files := range w.files {
		for _, f := range files {
			if f.file != nil {
				f.file.Close() // again, after close: no harm
			}
		}
	}
	for _, blends := range w.blends {
		for _, b := range blends {
			b.stop()
		}
	}
}

// outFile is one file of rows. It is made with its first row: loaders cannot
// tell the columns of an empty one.
type outFile struct {
	name, folder string
	format       Format
	encoding     Encoding
	file         *os.File
	buffered     *bufio.Writer
	parquet      parquetFile
	sum          hash.Hash
	rows, mixed  int
	bytes        int64
}

func (f *outFile) append(c chunk, frame []byte) error {
	if c.rows() == 0 {
		return nil
	}
	if err := f.create(); err != nil {
		return err
	}
	f.rows += c.rows()
	if f.encoding == Parquet {
		return f.parquet.write(c)
	}
	f.count(c.text())
	data := c.text()
	if f.encoding == JSONLZs {
		if data = frame; data == nil {
			data = compressor.EncodeAll(c.text(), nil)
		}
	}
	_, err := f.buffered.Write(data)
	return err
}

func (f *outFile) count(data []byte) {
	f.sum.Write(data)
	f.bytes += int64(len(data))
}

func (f *outFile) create() (err error) {
	if f.file != nil {
		return nil
	}
	if f.file, err = os.Create(filepath.Join(f.folder, f.name)); err != nil {
		return err
	}
	f.buffered = bufio.NewWriterSize(f.file, 256<<10)
	if f.encoding == Parquet {
		f.parquet = f.format.table.parquet(io.MultiWriter(f.buffered, writerFunc(f.count)))
	}
	return nil
}

func (f *outFile) close() (dataset.File, error) {
	if f.parquet != nil {
		if err := f.parquet.Close(); err != nil {
			return dataset.File{}, err
		}
	}
	if err := f.buffered.Flush(); err != nil {
		return dataset.File{}, err
	}
	if err := f.file.Sync(); err != nil {
		return dataset.File{}, err
	}
	return dataset.File{Rows: f.rows, Bytes: f.bytes, SHA256: hex.EncodeToString(f.sum.Sum(nil))}, f.file.Close()
}

type writerFunc func([]byte)

func (f writerFunc) Write(p []byte) (int, error) {
	f(p)
	return len(p), nil
}
