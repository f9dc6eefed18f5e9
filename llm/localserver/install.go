// Package localserver is for tests that talk to real model servers, or to
// another implementation of what we compute: it keeps the programs in the user's
// cache folder, and runs servers no longer than a test.
package localserver

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gofrs/flock"
)

// Program is what a test runs and this module does not hold.
type Program struct {
	Name string // of its folder, with the version
	File string // that runs, within the folder

	// Without is the environment variable that, if it is not empty, lets a
	// machine do without the program. CI has to have it.
	Without string
	// Build puts it into an empty folder.
	Build func(folder string) error
}

// folder is fmsop/NAME in the user's cache folder.
func (p Program) folder() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(cache, "fmsop", p.Name), nil
}

// spared says that this machine does without the program.
func (p Program) spared() bool { return os.Getenv(p.Without) != "" && os.Getenv("CI") == "" }

// Path of the program for a test, which is skipped where the machine does
// without it, and fails where it is missing otherwise.
func (p Program) Path(t testing.TB) string {
	t.Helper()
	folder, err := p.folder()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, p.File)
	_, err = os.Stat(path)
	switch {
	case err != nil && p.spared():
		t.Skipf("%s is missing, and %s is set", path, p.Without)
	case err != nil:
		t.Fatalf("%s is missing: run go run ./llm/localserver/install, or set %s=1 to do without these tests", path, p.Without)
	}
	return path
}

// Install builds the program where it is missing and the machine is not to do
// without it, in a folder that is renamed when all is there. Of several that
// install at a time one does, and the others wait for it. Note is called before
// the work begins.
func (p Program) Install(note func(folder string)) error {
	if p.spared() {
		return nil
	}
	folder, err := p.folder()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(folder), 0o777); err != nil {
		return err
	}
	lock := flock.New(folder + ".lock")
	if err := lock.Lock(); err != nil {
		return err
	}
	defer lock.Close() // and so unlocks it
	if _, err := os.Stat(folder); err == nil {
		return nil
	}
	note(folder)
	temporary := folder + ".tmp"
	if err := os.RemoveAll(temporary); err != nil { // of one that was killed
		return err
	}
	if err := os.Mkdir(temporary, 0o777); err != nil {
		return err
	}
	if err := p.Build(temporary); err != nil {
		return errors.Join(fmt.Errorf("%s: %w", p.Name, err), os.RemoveAll(temporary))
	}
	return os.Rename(temporary, folder)
}

// Run runs a command for Build and returns what it prints. The error is one
// line, with the last of its complaint.
func Run(command *exec.Cmd) ([]byte, error) {
	var complaint bytes.Buffer
	command.Stderr = &complaint
	out, err := command.Output()
	if err == nil {
		return out, nil
	}
	lines := strings.Split(strings.TrimSpace(complaint.String()), "\n")
	return out, fmt.Errorf("%s: %w: %s", strings.Join(command.Args, " "), err, lines[len(lines)-1])
}
