package dataset

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Difference is what differs between two folders.
type Difference struct {
	Manifest []Change `json:"manifest"` // settings and the like, by key
	Counts   []Change `json:"counts"`   // of rows and negatives
	Same     int      `json:"same"`     // rows
	Changed  int      `json:"changed"`  // rows of one id that differ
	OnlyA    int      `json:"only_a"`
	OnlyB    int      `json:"only_b"`
	Examples []Change `json:"examples"` // of rows, maxExamples of each kind
}

// Change is one thing that differs; a side that does not have it is empty.
type Change struct {
	What string `json:"what"`
	A    string `json:"a"`
	B    string `json:"b"`
}

// Empty is true of folders that hold the same.
func (d *Difference) Empty() bool {
	return len(d.Manifest) == 0 && d.Changed+d.OnlyA+d.OnlyB == 0
}

const maxExamples = 3

// Diff compares two folders: their manifests, and their rows by id. It needs
// memory for a hash of each row of one of them.
func Diff(dirA, dirB string) (*Difference, error) {
	a, err := Open(dirA)
	if err != nil {
		return nil, err
	}
	b, err := Open(dirB)
	if err != nil {
		return nil, err
	}
	d := &Difference{Manifest: []Change{}, Counts: []Change{}, Examples: []Change{}}
	if err := d.manifests(a.Manifest, b.Manifest); err != nil {
		return nil, err
	}
	return d, d.rows(a, b)
}

// manifests compares all but what follows from the rows.
func (d *Difference) manifests(a, b Manifest) error {
	settings := func(m Manifest) any {
		return map[string]any{"generator": m.Generator, "seed": m.Seed, "shard": m.Shard, "stages": m.Stages, "config": m.Config, "split.unit": m.Split.Unit}
	}
	var err error
	if d.Manifest, err = changes(settings(a), settings(b)); err != nil {
		return err
	}
	d.Counts, err = changes(a.Counts, b.Counts)
	return err
}

// changes compares two values key by key, as JSON has them.
func changes(a, b any) ([]Change, error) {
	flatA, err := flat(a)
	if err != nil {
		return nil, err
	}
	flatB, err := flat(b)
	if err != nil {
		return nil, err
	}
	keys := maps.Clone(flatA)
	maps.Copy(keys, flatB)
	found := []Change{}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if flatA[key] != flatB[key] {
			found = append(found, Change{key, flatA[key], flatB[key]})
		}
	}
	return found, nil
}

// flat writes every member of nested objects under its path.
func flat(v any) (map[string]string, error) {
	line, err := appendLine(nil, v)
	if err != nil {
		return nil, err
	}
	decoded, err := decodeJSON(string(line))
	if err != nil {
		return nil, err
	}
	members := map[string]string{}
	var walk func(path string, v any) error
	walk = func(path string, v any) error {
		if object, ok := v.(map[string]any); ok {
			for key, value := range object {
				if err := walk(strings.TrimPrefix(path+"."+key, "."), value); err != nil {
					return err
				}
			}
			return nil
		}
		line, err := appendLine(nil, normalize(v))
		members[path] = string(line)
		return err
	}
	return members, walk("", decoded)
}

// rows compares the rows by id: those of b with hashes of those of a.
func (d *Difference) rows(a, b *Reader) error {
	hashes := map[string]uint64{}
	for row, err := range a.each() {
		if err != nil {
			return err
		}
		h, err := fingerprint(&row)
		if err != nil {
			return err
		}
		hashes[row.ID] = h
	}
	var changed []Row
	for row, err := range b.each() {
		if err != nil {
			return err
		}
		h, err := fingerprint(&row)
		if err != nil {
			return err
		}
		was, known := hashes[row.ID]
		delete(hashes, row.ID)
		switch {
		case !known:
			if d.OnlyB++; d.OnlyB <= maxExamples {
				d.Examples = append(d.Examples, Change{"row", "", row.ID})
			}
		case was == h:
			d.Same++
		default:
			if d.Changed++; d.Changed <= maxExamples {
				changed = append(changed, row)
			}
		}
	}
	d.OnlyA = len(hashes)
	for i, id := range slices.Sorted(maps.Keys(hashes)) {
		if i == maxExamples {
			break
		}
		d.Examples = append(d.Examples, Change{"row", id, ""})
	}
	return d.fields(a, changed)
}

// fields adds what changed in some rows, of which these are b's.
func (d *Difference) fields(a *Reader, changed []Row) error {
	for row, err := range a.each() {
		if len(changed) == 0 {
			return nil
		}
		if err != nil {
			return err
		}
		i := slices.IndexFunc(changed, func(c Row) bool { return c.ID == row.ID })
		if i < 0 {
			continue
		}
		x, y := reflect.ValueOf(row), reflect.ValueOf(changed[i])
		for f := range x.NumField() {
			if was, is := fmt.Sprint(x.Field(f).Interface()), fmt.Sprint(y.Field(f).Interface()); was != is {
				d.Examples = append(d.Examples, Change{row.ID + " " + rowKeys[f], excerpt(was, is), excerpt(is, was)})
			}
		}
		changed = slices.Delete(changed, i, i+1)
	}
	return nil
}

// excerpt is where a text begins to differ from another, cut.
func excerpt(text, other string) string {
	at := 0
	for at < min(len(text), len(other)) && text[at] == other[at] {
		at++
	}
	const before, most = 20, 60
	start := max(0, at-before)
	return strings.ToValidUTF8(text[start:min(len(text), start+most)], "")
}

func fingerprint(r *Row) (uint64, error) {
	line, err := r.AppendJSON(nil)
	return hash64(0, string(line)), err
}

// each yields every row of the folder once.
func (r *Reader) each() func(yield func(Row, error) bool) {
	return func(yield func(Row, error) bool) {
		names := r.Names()
		for _, name := range names[max(0, slices.Index(names, r.Largest())):] {
			for row, err := range r.Rows(name) {
				if !yield(row, err) {
					return
				}
			}
		}
	}
}
