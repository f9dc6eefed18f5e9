package export

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/fmsop/fmsop/dataset"
)

// Mix blends chat data of another kind into the training rows, against
// forgetting: a file with {"messages": […]} a line, and the share of the rows
// that it is to have.
type Mix struct {
	File  string
	Share float64 // above 0, under 1
}

// ParseMix reads FILE:share.
func ParseMix(s string) (Mix, error) {
	at := strings.LastIndexByte(s, ':')
	if at <= 0 {
		return Mix{}, fmt.Errorf("mix-in %q, want FILE:share such as chat.jsonl:0.1", s)
	}
	share, err := strconv.ParseFloat(s[at+1:], 64)
	if err != nil || !(share > 0 && share < 1) {
		return Mix{}, fmt.Errorf("mix-in %q: the share is %q, want a number between 0 and 1", s, s[at+1:])
	}
	return Mix{s[:at], share}, nil
}

// name stands for the file where no path is to be named.
func (m Mix) name() string { return filepath.Base(m.File) }

func validMix(o Options) error {
	if len(o.Mix) == 0 {
		return nil
	}
	if ours := 1 - shares(o.Mix); ours <= 0 {
		return fmt.Errorf("the shares of mix-in add up to %g, want less than 1", 1-ours)
	}
	for i, m := range o.Mix {
		for _, other := range o.Mix[:i] {
			if m.name() == other.name() {
				return fmt.Errorf("mix-in has two files of the name %s", m.name())
			}
		}
	}
	for _, f := range o.Formats {
		if f.chat == nil {
			return fmt.Errorf("format %q has no place for general chat, mix-in is for %s", f.Name, strings.Join(chatFormats(), ", "))
		}
	}
	return nil
}

func chatFormats() (names []string) {
	for _, f := range Formats {
		if f.chat != nil {
			names = append(names, f.Name)
		}
	}
	return names
}

func shares(mix []Mix) (sum float64) {
	for _, m := range mix {
		sum += m.Share
	}
	return sum
}

// Mixed says how many rows of a mix-in file were blended in. Fewer than wanted
// means that the file has no more.
type Mixed struct {
	Share  float64 `json:"share"`
	Wanted int     `json:"wanted"`
	Rows   int     `json:"rows"`
}

// blend hands out the records of one mix-in file for one format.
type blend struct {
	Mix
	Mixed
	ours float64 // the share of the dataset's own rows
	next func() (Chat, error, bool)
	stop func()
}

func newBlend(m Mix, all []Mix) *blend {
	b := &blend{Mix: m, Mixed: Mixed{Share: m.Share}, ours: 1 - shares(all)}
	b.next, b.stop = iter.Pull2(chats(m.File))
	return b
}

// after calls use with what is due once there are so many own rows.
func (b *blend) after(rows int, use func(Chat) error) error {
	for b.Wanted = int(float64(rows) * b.Mix.Share / b.ours); b.Rows < b.Wanted; b.Rows++ {
		c, err, ok := b.next()
		if !ok {
			return nil
		}
		if err == nil {
			err = use(c)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// chats reads a mix-in file, in constant memory. Errors name file and line.
func chats(path string) iter.Seq2[Chat, error] {
	return func(yield func(Chat, error) bool) {
		for line, err := range dataset.ReadLines(path) {
			var c Chat
			if err == nil {
				if err = c.parse(line.Text); err != nil {
					err = &dataset.LineError{File: path, Line: line.Number, Err: err}
				}
			}
			if !yield(c, err) {
				return
			}
		}
	}
}

var roles = []string{"system", "user", "assistant"}

func (c *Chat) parse(line []byte) error {
	d := json.NewDecoder(bytes.NewReader(line))
	if err := d.Decode(c); err != nil {
		return fmt.Errorf(`no chat, want {"messages": [{"role": …, "content": …}]}: %w`, err)
	}
	for i, m := range c.Messages {
		if !slices.Contains(roles, m.Role) {
			return fmt.Errorf("message %d: role %q, want system, user or assistant", i, m.Role)
		}
		if m.Content == "" {
			return fmt.Errorf("message %d: content is empty", i)
		}
	}
	if _, _, ok := c.last(); !ok {
		return errors.New(`"messages" does not end with an answer of the assistant to something`)
	}
	return nil
}
