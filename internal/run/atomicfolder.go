package run

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// AtomicFolder makes the folder dir through write, which fills one under a
// temporary name beside it that becomes dir when write returns. On an error
// nothing is left and dir is as it was. A dir that exists is refused, an empty
// one apart; with force it is replaced if mine finds nothing strange about it,
// so that a mistyped name costs nothing.
func AtomicFolder(dir string, force bool, mine func(dir string) error, write func(folder string) error) error {
	path, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // the link stays, what it leads to is replaced
	}
	if err := replaceable(path, dir, force, mine); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	temporary := fmt.Sprintf("%s.tmp-%d-%d", path, os.Getpid(), sequence.Add(1))
	if err := os.RemoveAll(temporary); err != nil { // of a killed run whose process had the same number
		return err
	}
	defer os.RemoveAll(temporary) // gone after the rename
	if err := os.Mkdir(temporary, 0o777); err != nil {
		return err
	}
	if err := write(temporary); err != nil {
		return err
	}
	if err := replaceable(path, dir, force, mine); err != nil {
		return err // it came into being meanwhile
	}
	return swap(temporary, path)
}

func replaceable(path, name string, force bool, mine func(string) error) error {
	entries, err := os.ReadDir(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("%s is not a folder that can be replaced: %w", name, err)
	case len(entries) == 0:
		return nil
	case !force:
		return fmt.Errorf("%s exists, use --force to replace it", name)
	}
	if err := mine(path); err != nil {
		return fmt.Errorf("%s is not replaced, even with --force: %w", name, err)
	}
	return nil
}

// swap moves the old folder aside, and back should the new one not take its
// place.
func swap(temporary, path string) error {
	old := temporary + ".old"
	err := os.Rename(path, old)
	if errors.Is(err, os.ErrNotExist) {
		return os.Rename(temporary, path)
	}
	if err != nil {
		return err
	}
	if err := os.Rename(temporary, path); err != nil {
		return errors.Join(err, os.Rename(old, path))
	}
	return os.RemoveAll(old)
}
