package corpus

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

//go:embed all:starter
var starter embed.FS

// Start writes a small commented pack that validates, with the JSON Schemas
// of its files for editors. The folder must not be there, or be empty.
func Start(dir string) error {
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s is not empty, want the name of a new folder", dir)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w, want the name of a new folder", dir, withoutPath(err))
	}
	domain, procedure, err := Schema()
	if err != nil {
		return err
	}
	tmp := fmt.Sprintf("%s.tmp-%d", filepath.Clean(dir), os.Getpid())
	defer os.RemoveAll(tmp)
	files, err := fs.Sub(starter, "starter")
	if err != nil {
		return err
	}
	if err := os.CopyFS(tmp, files); err != nil {
		return err
	}
	for name, text := range map[string][]byte{"domain.schema.json": domain, "procedure.schema.json": procedure} {
		if err := os.WriteFile(filepath.Join(tmp, name), append(text, '\n'), 0o666); err != nil {
			return err
		}
	}
	_ = os.Remove(dir) // an empty one makes place
	return os.Rename(tmp, dir)
}
