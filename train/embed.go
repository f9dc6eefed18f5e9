// Package train carries the trainer, a Python package, in the program.
package train

import (
	"embed"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
)

// Patterns of files, since a folder's would leave __main__.py out and take caches in.
//
//go:embed fmsop_train/*.py fmsop_train/*.yaml fmsop_train/recipes/*.yaml requirements.txt
var files embed.FS

// Module is what Python runs.
const Module = "fmsop_train"

// Install writes the package into a folder, which PYTHONPATH then names.
func Install(folder string) error {
	return fs.WalkDir(files, Module, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			return os.MkdirAll(path.Join(folder, name), 0o777)
		}
		text, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(path.Join(folder, name), text, 0o666)
	})
}

var pinned = regexp.MustCompile(`(?m)^([A-Za-z0-9_-]+)==\S+`)

// Requirements maps the modules that the trainer imports to what pip installs
// them from, at the versions that it is tested with.
func Requirements() map[string]string {
	text, err := files.ReadFile("requirements.txt")
	if err != nil {
		panic(err) // it is embedded
	}
	modules := map[string]string{}
	for _, line := range pinned.FindAllStringSubmatch(string(text), -1) {
		name := strings.ReplaceAll(line[1], "-", "_")
		if name == "pyyaml" {
			name = "yaml"
		}
		modules[name] = line[0]
	}
	return modules
}
