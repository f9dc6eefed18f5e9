package corpus

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"

	"github.com/fmsop/fmsop/data"
	"github.com/fmsop/fmsop/sop"
)

// pack is a domain as authored, with where everything stands in its files.
type pack struct {
	domain     *sop.Domain
	source     *source
	procedures map[*sop.Procedure]*source
	records    *records // nil where the pack has no records.star
}

func loadBuiltin(name string) (*Corpus, error) {
	p, notes, err := readPack(data.FS, name, "data/"+name)
	if err != nil {
		return nil, err
	}
	return &Corpus{Domain: p.domain, Source: "builtin:" + name, Notes: notes, Split: "procedure", records: p.records}, nil
}

func loadFolder(dir string) (*Corpus, error) {
	p, notes, err := readPack(os.DirFS(dir), ".", dir)
	if err != nil {
		return nil, err
	}
	return &Corpus{Domain: p.domain, Source: dir, Notes: notes, Split: "scenario", records: p.records}, nil
}

// readPack reads and validates the pack in a folder of fsys; shown is the
// name of that folder in problems.
func readPack(fsys fs.FS, dir, shown string) (*pack, []string, error) {
	r := packReader{fsys: fsys, dir: dir, shown: shown, pack: &pack{procedures: map[*sop.Procedure]*source{}}}
	r.read()
	var notes []string
	if r.source != nil && !r.source.broken[""] {
		v := newValidator(r.pack)
		v.words()
		if r.problems = append(r.problems, v.problems...); len(r.problems) == 0 {
			v.meanings()
			notes, r.problems = v.notes, v.problems
		}
	}
	if len(r.problems) > 0 {
		r.problems.sort()
		return nil, nil, r.problems
	}
	return r.pack, notes, nil
}

const (
	domainFile      = "domain.yaml"
	procedureFolder = "procedures"
	recordsFile     = "records.star"
)

type packReader struct {
	*pack
	fsys       fs.FS
	dir, shown string
	problems   Problems
}

func (r *packReader) show(name string) string { return filepath.ToSlash(filepath.Join(r.shown, name)) }

func (r *packReader) problem(name, text string) {
	r.problems = append(r.problems, Problem{File: r.show(name), Text: text})
}

// text reads a file of the pack; ok is false where it cannot be read, which
// is a problem unless it is optional and not there.
func (r *packReader) text(name string, optional bool) (text []byte, ok bool) {
	text, err := fs.ReadFile(r.fsys, path.Join(r.dir, name))
	switch {
	case err == nil:
		return text, true
	case !optional || !errors.Is(err, fs.ErrNotExist):
		r.problem(name, "cannot be read: "+withoutPath(err).Error())
	}
	return nil, false
}

func (r *packReader) read() {
	entries, err := fs.ReadDir(r.fsys, r.dir)
	if err != nil {
		r.problem("", "cannot be read: "+withoutPath(err).Error())
		return
	}
	if len(entries) == 0 {
		r.problem("", "the folder is empty, want "+domainFile+" and "+procedureFolder+"/<goal>.yaml")
		return
	}
	r.readDomain()
	r.readProcedures()
	r.readRecords()
}

func (r *packReader) readDomain() {
	r.domain = &sop.Domain{}
	text, ok := r.text(domainFile, false)
	if !ok {
		return
	}
	source, problems := decodeYAML(r.show(domainFile), text, r.domain)
	r.source = source
	r.problems = append(r.problems, problems...)
}

func (r *packReader) readProcedures() {
	entries, err := fs.ReadDir(r.fsys, path.Join(r.dir, procedureFolder))
	if err != nil {
		r.problem(procedureFolder, "cannot be read: "+withoutPath(err).Error()+", want a folder with a file <goal>.yaml for each procedure")
		return
	}
	goals := map[string]string{} // goal -> file
	for _, e := range entries {
		name := path.Join(procedureFolder, e.Name())
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if e.IsDir() || path.Ext(name) != ".yaml" {
			r.problem(name, "is no procedure file, want <goal>.yaml")
			continue
		}
		if text, ok := r.text(name, false); ok {
			r.readProcedure(name, text, goals)
		}
	}
	sort.Slice(r.domain.Procedures, func(i, j int) bool { return r.domain.Procedures[i].Goal < r.domain.Procedures[j].Goal })
	if len(entries) == 0 {
		r.problem(procedureFolder, "the folder is empty, want a file <goal>.yaml for each procedure")
	}
}

func (r *packReader) readProcedure(name string, text []byte, goals map[string]string) {
	p := &sop.Procedure{}
	source, problems := decodeYAML(r.show(name), text, p)
	r.problems = append(r.problems, problems...)
	if p.Goal == "" && len(problems) > 0 {
		p.Goal = strings.TrimSuffix(path.Base(name), ".yaml") // so that nothing else complains that it is missing
	}
	if first, twice := goals[p.Goal]; twice {
		r.problems = append(r.problems, Problem{source.file, source.at("procedure"), "the goal " + quote(p.Goal) + " already has the file " + first})
		return
	}
	goals[p.Goal] = source.file
	r.pack.procedures[p] = source
	r.domain.Procedures = append(r.domain.Procedures, p)
}

func (r *packReader) readRecords() {
	text, ok := r.text(recordsFile, true)
	if !ok {
		return
	}
	records, problems := readRecords(r.show(recordsFile), text)
	r.problems = append(r.problems, problems...)
	r.records = records
}
