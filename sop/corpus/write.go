package corpus

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/goccy/go-yaml"

	"github.com/fmsop/fmsop/sop"
)

// WritePack writes the domain as a pack folder, with further files beside it,
// by their names. The folder is written under a temporary name, read back and
// validated, and only then gets its own; one that is there already is
// replaced, but what it holds besides the files of a pack is kept. Where the
// domain is no valid pack, the error is Problems and nothing is changed.
func WritePack(dir string, d *sop.Domain, beside map[string][]byte) error {
	files, err := packFiles(d)
	if err != nil {
		return err
	}
	for name, text := range beside {
		files[name] = text
	}
	path, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	tmp := fmt.Sprintf("%s.tmp-%d", path, os.Getpid())
	if err := os.Mkdir(tmp, 0o777); err != nil {
		return fmt.Errorf("%s is left from a killed run or still written to: %w", tmp, withoutPath(err))
	}
	defer os.RemoveAll(tmp)
	if err := keepOthers(path, tmp); err != nil {
		return err
	}
	for name, text := range files {
		file := filepath.Join(tmp, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(file, text, 0o666); err != nil {
			return err
		}
	}
	if _, _, err := readPack(os.DirFS(tmp), ".", dir); err != nil {
		return err
	}
	old := tmp + "-old"
	if err := os.Rename(path, old); err != nil && !os.IsNotExist(err) {
		return err
	}
	if err := os.Rename(tmp, path); err != nil {
		_ = os.Rename(old, path)
		return err
	}
	return os.RemoveAll(old)
}

// keepOthers copies what a folder holds besides domain.yaml and procedures.
func keepOthers(from, to string) error {
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		name, _ := filepath.Rel(from, path)
		switch {
		case os.IsNotExist(err) && name == ".":
			return nil
		case err != nil:
			return err
		case name == procedureFolder:
			return fs.SkipDir
		case e.IsDir():
			return os.MkdirAll(filepath.Join(to, name), 0o777)
		case name == domainFile:
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, name), text, 0o666)
	})
}

// packFiles returns the files of a pack by their names, keys in the order of
// the nouns.
func packFiles(d *sop.Domain) (map[string][]byte, error) {
	text, err := EncodeYAML(d)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{domainFile: text}
	for _, p := range d.Procedures {
		text, err := EncodeYAML(p)
		if err != nil {
			return nil, err
		}
		files[procedureFolder+"/"+p.Goal+".yaml"] = text
	}
	return files, nil
}

// EncodeYAML writes a value as YAML by its JSON form, which leaves out what is
// empty; keys stand in the order of the struct.
func EncodeYAML(v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return yaml.JSONToYAML(text)
}
