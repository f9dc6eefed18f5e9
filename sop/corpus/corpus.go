// Package corpus loads domains: the built-in ones, packs that a user keeps in
// a folder, and task files of SOPBench. Whatever the source, the result is the
// same sop.Domain, validated, with every problem of it reported at once.
package corpus

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/fmsop/fmsop/data"
	"github.com/fmsop/fmsop/sop"
)

// Corpus is a loaded domain.
type Corpus struct {
	Domain *sop.Domain
	// Source tells where it came from: "builtin:bank", or the path given.
	Source string
	// Notes says what of the source was left out and why.
	Notes []string
	// Split is the default unit of splits: procedure or scenario.
	Split string

	records *records // of a pack that has a records.star
}

// Problem is one fault of a file.
type Problem struct {
	File string
	Line int // 0 where the file as a whole is meant
	Text string
}

func (p Problem) String() string {
	if p.Line == 0 {
		return p.File + ": " + p.Text
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Text)
}

// Problems are all faults of a corpus, by file and line. As an error it
// prints one a line.
type Problems []Problem

func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

func (ps Problems) sort() {
	sort.Slice(ps, func(i, j int) bool {
		if ps[i].File != ps[j].File {
			return ps[i].File < ps[j].File
		}
		if ps[i].Line != ps[j].Line {
			return ps[i].Line < ps[j].Line
		}
		return ps[i].Text < ps[j].Text
	})
}

// loaders are the kinds of corpora that are read from the file system; the
// first that accepts a path loads it.
var loaders = []struct {
	accepts func(path string, info fs.FileInfo) bool
	load    func(path string) (*Corpus, error)
}{
	{isFolder, loadFolder},
	{isTaskFile, loadTaskFile},
}

// Builtin returns the names of the built-in domains, sorted.
func Builtin() []string {
	entries, err := data.FS.ReadDir(".")
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}

// Load returns the corpus of that name: a built-in domain, a pack folder, or
// a file that a loader knows. Where the corpus itself is at fault, the error
// is Problems.
func Load(name string) (*Corpus, error) {
	for _, b := range Builtin() {
		if name == b {
			return loadBuiltin(name)
		}
	}
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) || name == "" {
		return nil, fmt.Errorf("corpus %q is neither a file nor a built-in domain%s", name, want(path.Base(name), Builtin()))
	}
	if err != nil {
		return nil, fmt.Errorf("corpus %q cannot be read: %w", name, withoutPath(err))
	}
	for _, l := range loaders {
		if l.accepts(name, info) {
			return l.load(name)
		}
	}
	return nil, fmt.Errorf("corpus %q is a file of no known kind, want a pack folder or a SOPBench task file *_tasks.json", name)
}

func isFolder(_ string, info fs.FileInfo) bool { return info.IsDir() }

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// withoutPath drops the operation and the path that a file error repeats.
func withoutPath(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
