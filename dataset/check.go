package dataset

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The kinds of problems that CheckFolder finds.
const (
	ProblemFile       = "file"       // missing, not of the folder, unreadable, other lines than the manifest says
	ProblemRow        = "row"        // a line that is no valid row, or stands in the wrong file
	ProblemCounts     = "counts"     // the manifest's counts, lengths or drops are others
	ProblemCumulative = "cumulative" // train_K lacks a row of a smaller one, or the other way round
	ProblemDuplicate  = "duplicate"  // two rows with one id, or with one context, query and positive
	ProblemLeakage    = "leakage"    // two splits share a unit, or a context and query
)

// MaxProblems is how many problems of a kind a Report spells out.
const MaxProblems = 20

// Report is what CheckFolder found.
type Report struct {
	Rows     int             // distinct rows
	Files    map[string]File // as read, without those that cannot be read
	Counts   Counts
	Lengths  Lengths
	Problems []string       // one line each, MaxProblems of a kind at most
	Found    map[string]int // kind → how many there are
}

// OK reports that nothing was found.
func (r Report) OK() bool { return len(r.Found) == 0 }

func (r *Report) add(kind, format string, args ...any) {
	if r.Found[kind]++; r.Found[kind] <= MaxProblems {
		r.Problems = append(r.Problems, fmt.Sprintf("%s: ", kind)+fmt.Sprintf(format, args...))
	}
}

// CheckFolder reads everything in the folder again and holds it against the
// manifest and against what DIR promises: valid rows, cumulative training
// files, no duplicates, nothing shared between the splits. It does not judge
// answers. Memory is about 200 bytes a row.
func CheckFolder(dir string) Report {
	c := &checker{
		dir: dir, tally: newTally(), rows: map[uint64]*seenRow{}, triples: map[uint64]place{},
		prompts: map[uint64]place{}, units: map[uint64]place{}, stageRows: map[int]int{},
		Report: Report{Files: map[string]File{}, Found: map[string]int{}},
	}
	reader, err := Open(dir)
	if err != nil {
		c.add(ProblemFile, "%v", err)
		return c.Report
	}
	c.Reader = reader
	c.check()
	return c.Report
}

type checker struct {
	Report
	*Reader
	dir   string
	tally *tally
	names []string // files by number
	// All keys are hashes: the folder may be larger than memory.
	rows      map[uint64]*seenRow // by id
	triples   map[uint64]place    // by context, query and positive
	prompts   map[uint64]place    // by context and query
	units     map[uint64]place    // by split unit
	stageRows map[int]int         // training rows by stage
}

// seenRow is a row of the largest training file or of another split.
type seenRow struct {
	line  uint64 // hash
	place place
	stage uint8
	in    uint8 // bit n: file n, a smaller training file, has it too
}

// place is where a row was first seen. Files have fewer than 2³² lines.
type place struct {
	file  uint8
	split uint8 // index in Splits
	line  uint32
}

func (c *checker) at(p place) string { return fmt.Sprintf("%s:%d", c.names[p.file], p.line) }

func (c *checker) check() {
	c.checkListing()
	if c.Manifest.Split.Unit != "" && !slices.Contains(Units, c.Manifest.Split.Unit) {
		c.add(ProblemCounts, "%s: unknown split unit %s, want %s", ManifestFile, quote(c.Manifest.Split.Unit), oneOf(Units))
		c.Manifest.Split.Unit = ""
	}
	var copies []string
	for _, name := range c.Names() {
		if c.smaller(name) {
			copies = append(copies, name)
		} else {
			c.readRows(name)
		}
	}
	for _, name := range copies {
		c.readRows(name)
	}
	c.checkMissing()
	c.readDrops()
	c.checkCounts()
}

// checkListing holds the names in the folder against the manifest's.
func (c *checker) checkListing() {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		c.add(ProblemFile, "%v", err)
		return
	}
	there := map[string]bool{}
	for _, e := range entries {
		there[e.Name()] = true
		if _, listed := c.Manifest.Files[e.Name()]; !listed && strings.Contains(e.Name(), ".jsonl") {
			c.add(ProblemFile, "%s is in the folder but not in %s", e.Name(), ManifestFile)
		}
	}
	known := append(c.Names(), DropsFile)
	for _, name := range slices.Sorted(maps.Keys(c.Manifest.Files)) {
		switch {
		case !slices.Contains(known, name):
			c.add(ProblemFile, "%s lists %s, which is no file of stages %v", ManifestFile, quote(name), c.Manifest.Stages)
		case !there[name]:
			c.add(ProblemFile, "%s is missing", name)
		}
	}
	for _, f := range outFiles(c.Manifest.Stages) {
		if _, listed := c.Manifest.Files[f.name]; !listed && !f.optional {
			c.add(ProblemFile, "%s does not list %s", ManifestFile, f.name)
		}
	}
}

// smaller reports a training file that is not the largest.
func (c *checker) smaller(name string) bool {
	return strings.HasPrefix(name, "train_") && name != c.Largest()
}

// readFile hands every line to use and compares the whole with the manifest.
func (c *checker) readFile(name string, use func(Line)) {
	f, err := os.Open(filepath.Join(c.dir, name))
	if err != nil {
		if !os.IsNotExist(err) { // a missing one is reported already
			c.add(ProblemFile, "%v", err)
		}
		return
	}
	defer f.Close()
	sum := sha256.New()
	got := File{}
	counted := writerFunc(func(p []byte) { got.Bytes += int64(len(p)); sum.Write(p) })
	for line, err := range lines(f, name, counted) {
		if err != nil {
			c.add(ProblemFile, "%v", err)
			continue
		}
		got.Rows++
		use(line)
	}
	got.SHA256 = hex.EncodeToString(sum.Sum(nil))
	c.Files[name] = got
	want := c.Manifest.Files[name]
	if got.Rows != want.Rows || got.Bytes != want.Bytes {
		c.add(ProblemFile, "%s has %d rows in %d bytes, %s says %d in %d", name, got.Rows, got.Bytes, ManifestFile, want.Rows, want.Bytes)
	} else if got.SHA256 != want.SHA256 {
		c.add(ProblemFile, "%s has sha256 %s, %s says %s", name, got.SHA256, ManifestFile, quote(want.SHA256))
	}
}

type writerFunc func([]byte)

func (w writerFunc) Write(p []byte) (int, error) { w(p); return len(p), nil }

func (c *checker) readRows(name string) {
	c.names = append(c.names, name)
	number := uint8(len(c.names) - 1)
	c.readFile(name, func(line Line) {
		if c.smaller(name) && c.knownCopy(name, number, line.Text) {
			return
		}
		row, err := ParseRow(line.Text)
		if err == nil {
			err = row.Validate()
		}
		if err == nil {
			err = c.belongs(name, &row)
		}
		if err != nil {
			c.add(ProblemRow, "%s:%d: %v", name, line.Number, err)
			return
		}
		here := place{number, uint8(slices.Index(Splits, row.Split)), uint32(line.Number)}
		if c.smaller(name) {
			c.checkCopy(&row, line.Text, here)
		} else {
			c.checkNew(&row, line.Text, here)
		}
	})
}

// belongs says whether the row may stand in the file of that name.
func (c *checker) belongs(name string, r *Row) error {
	if c.takes(name, slotOf(r)) {
		return nil
	}
	return fmt.Errorf("row %s: split %q, stage %d does not belong in %s", quote(r.ID), r.Split, r.Stage, name)
}

func (c *checker) takes(name string, s slot) bool {
	return slices.ContainsFunc(outFiles(c.Manifest.Stages), func(f *outFile) bool { return f.name == name && slices.Contains(f.slots, s) })
}

// knownCopy takes a line of a smaller training file that is a row of the
// largest, byte for byte, without reading the row again. Whatever else it is, it
// is left to be read and told.
func (c *checker) knownCopy(name string, file uint8, line []byte) bool {
	const begin = `{"id":"`
	if !bytes.HasPrefix(line, []byte(begin)) {
		return false
	}
	id, _, _ := bytes.Cut(line[len(begin):], []byte{'"'}) // one with an escape is not found
	row, ok := c.rows[hashOf(string(id))]
	if !ok || Splits[row.place.split] != Train || row.line != hashOf(string(line)) || row.in>>file&1 == 1 ||
		!c.takes(name, slotTrain1+slot(row.stage-1)) {
		return false
	}
	row.in |= 1 << file
	return true
}

func (c *checker) checkNew(r *Row, line []byte, here place) {
	id := hashOf(r.ID)
	if first, taken := c.rows[id]; taken {
		c.add(ProblemDuplicate, "%s: id %s is also that of %s", c.at(here), quote(r.ID), c.at(first.place))
		return
	}
	c.rows[id] = &seenRow{line: hashOf(string(line)), place: here, stage: uint8(r.Stage)}
	c.Report.Rows++
	c.tally.add(r)
	if r.Split == Train {
		c.stageRows[r.Stage]++
	}
	triple := hashOf(r.Context, r.Query, r.Positive.Text)
	if first, taken := c.triples[triple]; taken {
		c.add(ProblemDuplicate, "%s: row %s has the context, query and positive of %s", c.at(here), quote(r.ID), c.at(first))
	} else {
		c.triples[triple] = here
	}
	if r.Split != Unreviewed && r.Split != Unproven {
		c.checkLeakage(r, here)
	}
}

func (c *checker) checkLeakage(r *Row, here place) {
	prompt := hashOf(r.Context, r.Query)
	if first, taken := c.prompts[prompt]; !taken {
		c.prompts[prompt] = here
	} else if first.split != here.split {
		c.add(ProblemLeakage, "%s: row %s, split %s, has the context and query of %s, split %s",
			c.at(here), quote(r.ID), r.Split, c.at(first), Splits[first.split])
	}
	if c.Manifest.Split.Unit == "" {
		return
	}
	unit, err := r.Unit(c.Manifest.Split.Unit)
	if err != nil {
		c.add(ProblemRow, "%s: %v", c.at(here), err)
		return
	}
	if unit == "" {
		return
	}
	if assigned, ok := c.Manifest.Split.Assignments[unit]; ok && assigned != r.Split {
		c.add(ProblemLeakage, "%s: row %s is in split %s, its %s %s is assigned to %s",
			c.at(here), quote(r.ID), r.Split, c.Manifest.Split.Unit, quote(unit), quote(assigned))
	}
	key := hashOf(unit)
	if first, taken := c.units[key]; !taken {
		c.units[key] = here
	} else if first.split != here.split {
		c.add(ProblemLeakage, "%s: row %s, split %s, has the %s of %s, split %s: %s",
			c.at(here), quote(r.ID), r.Split, c.Manifest.Split.Unit, c.at(first), Splits[first.split], quote(unit))
	}
}

// checkCopy looks for a row of a smaller training file in the largest.
func (c *checker) checkCopy(r *Row, line []byte, here place) {
	row, ok := c.rows[hashOf(r.ID)]
	switch {
	case !ok || Splits[row.place.split] != Train:
		c.add(ProblemCumulative, "%s: row %s is not in %s", c.at(here), quote(r.ID), c.Largest())
	case row.line != hashOf(string(line)):
		c.add(ProblemCumulative, "%s: row %s is different in %s", c.at(here), quote(r.ID), c.at(row.place))
	case row.in>>here.file&1 == 1:
		c.add(ProblemDuplicate, "%s: row %s stands in this file before", c.at(here), quote(r.ID))
	default:
		row.in |= 1 << here.file
	}
}

// checkMissing looks for rows of the largest training file that a smaller one
// should have: all those of its stages.
func (c *checker) checkMissing() {
	want := 0
	for _, stage := range c.Manifest.Stages[:max(0, len(c.Manifest.Stages)-1)] {
		want += c.stageRows[stage]
		name, got := trainFile(stage), 0
		file := slices.Index(c.names, name)
		if file < 0 {
			continue // not listed: reported already
		}
		for _, row := range c.rows {
			got += int(row.in >> file & 1)
		}
		if got < want {
			c.add(ProblemCumulative, "%s lacks %d of the %d rows of its stages that are in %s", name, want-got, want, c.Largest())
		}
	}
}

func (c *checker) readDrops() {
	drops := map[string]int{}
	c.readFile(DropsFile, func(line Line) {
		d, err := ParseDrop(line.Text)
		if err != nil {
			c.add(ProblemRow, "%s:%d: %v", DropsFile, line.Number, err)
			return
		}
		drops[d.Reason] += d.Count
	})
	c.compare("drops", drops, c.Manifest.Drops)
}

func (c *checker) checkCounts() {
	c.Counts, c.Lengths = c.tally.counts, c.tally.lengths()
	want := c.Manifest.Counts.groups()
	for i, g := range c.Counts.groups() {
		c.compare(g.name, g.counts, want[i].counts)
	}
	if c.Lengths != c.Manifest.Lengths {
		c.add(ProblemCounts, "lengths are %v, %s says %v", c.Lengths, ManifestFile, c.Manifest.Lengths)
	}
	if err := sameTexts(&c.Manifest); err != nil {
		c.add(ProblemCounts, "%v", err)
	}
	if got := c.tally.distinct(); !maps.Equal(got, c.Manifest.Distinct) {
		c.add(ProblemCounts, "distinct is %v, %s says %v", got, ManifestFile, c.Manifest.Distinct)
	}
	if got := c.tally.overlap(); !maps.Equal(got, c.Manifest.Overlap) {
		c.add(ProblemCounts, "overlap is %v, %s says %v", got, ManifestFile, c.Manifest.Overlap)
	}
}

func (c *checker) compare(what string, got, want map[string]int) {
	all := map[string]bool{}
	for key := range got {
		all[key] = true
	}
	for key := range want {
		all[key] = true
	}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if got[key] != want[key] {
			c.add(ProblemCounts, "%s %s: %d, %s says %d", what, quote(key), got[key], ManifestFile, want[key])
		}
	}
}

// hashOf is 64 bits of SHA-256 over the parts and their lengths: among ten
// million rows two collide once in 300,000 folders.
func hashOf(parts ...string) uint64 {
	h := sha256.New()
	var length [8]byte
	for _, p := range parts {
		binary.LittleEndian.PutUint64(length[:], uint64(len(p)))
		h.Write(length[:])
		h.Write([]byte(p))
	}
	return binary.LittleEndian.Uint64(h.Sum(nil))
}
