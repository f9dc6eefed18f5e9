package export

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"

	"github.com/parquet-go/parquet-go"
)

// Format is one kind of row that a trainer reads.
type Format struct {
	Name  string
	Title string // the trainer, and what a row is
	table table
	// chat makes a record of general chat data; nil where the format has no
	// place for them. It is false for a chat that cannot be one.
	chat func(Chat) (any, bool)

	command string   // that trains, in the folder of the format
	reward  bool     // trained by reward.py
	wrong   bool     // has rows of wrong answers
	tools   bool     // makes conversations with tools of next actions
	always  Encoding // whatever is asked for; empty where that counts
}

// format makes a Format of a function from a group to its records. Where there
// are none it says why: a short fixed phrase to count by.
func format[T any](name, title string, rows func(*Group) (made []T, leftOut string)) Format {
	return Format{Name: name, Title: title, table: records[T](rows)}
}

func (f Format) trains(command string) Format {
	f.command = command
	return f
}

func (f Format) withChat(record func(Chat) (any, bool)) Format {
	f.chat = record
	return f
}

func (f Format) withReward() Format {
	f.reward = true
	return f
}

func (f Format) withWrong() Format {
	f.wrong = true
	return f
}

func (f Format) withTools() Format {
	f.tools = true
	return f
}

func (f Format) asParquet() Format {
	f.always = Parquet
	return f
}

func (f Format) encodedAs(asked Encoding) Encoding { return cmp.Or(f.always, asked) }

// table makes records, and knows their type.
type table interface {
	newChunk(Encoding) chunk
	convert(*Group, chunk) (leftOut string, err error)
	parquet(io.Writer) parquetFile
}

// chunk is a run of records on their way to a file.
type chunk interface {
	add(record any) error
	rows() int
	text() []byte // lines of JSON; nil for Parquet
}

type parquetFile interface {
	write(chunk) error
	Close() error
}

type records[T any] func(*Group) ([]T, string)

func (r records[T]) convert(g *Group, into chunk) (string, error) {
	made, leftOut := r(g)
	for _, record := range made {
		if err := into.add(record); err != nil {
			return "", err
		}
	}
	return leftOut, nil
}

func (r records[T]) newChunk(e Encoding) chunk {
	if e == Parquet {
		return &typed[T]{}
	}
	return &lines{}
}

// lines is a chunk of JSON lines.
type lines struct {
	buffer bytes.Buffer
	n      int
}

func (l *lines) add(record any) error {
	e := json.NewEncoder(&l.buffer)
	e.SetEscapeHTML(false)
	l.n++
	return e.Encode(record)
}

func (l *lines) rows() int    { return l.n }
func (l *lines) text() []byte { return l.buffer.Bytes() }

// typed is a chunk for a Parquet file.
type typed[T any] struct{ list []T }

func (t *typed[T]) add(record any) error {
	t.list = append(t.list, record.(T))
	return nil
}

func (t *typed[T]) rows() int    { return len(t.list) }
func (t *typed[T]) text() []byte { return nil }

// rowGroup bounds what a Parquet writer holds in memory, in rows: the size that
// the datasets library writes by itself.
const rowGroup = 1000

type typedFile[T any] struct{ *parquet.GenericWriter[T] }

func (r records[T]) parquet(w io.Writer) parquetFile {
	return typedFile[T]{parquet.NewGenericWriter[T](w, parquet.Compression(&parquet.Zstd), parquet.MaxRowsPerRowGroup(rowGroup),
		parquet.CreatedBy("fmsop", "", ""))}
}

func (f typedFile[T]) write(c chunk) error {
	_, err := f.Write(c.(*typed[T]).list)
	return err
}
