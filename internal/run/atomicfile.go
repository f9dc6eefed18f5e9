package run

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"
)

// sequence keeps two files of one name that are written at a time apart.
var sequence atomic.Int64

// AtomicFile writes path through write, under a temporary name in the same
// folder that becomes path when all is on the disk. On an error, or a panic of
// write, path is as it was and nothing is left. What is there already and no
// regular file (a pipe, a terminal, /dev/null) is written to directly; a
// symbolic link stays, what it leads to is replaced.
func AtomicFile(path string, write func(io.Writer) error) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	mode := os.FileMode(0o666) // less the umask
	switch info, err := os.Stat(path); {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s is a folder, want the name of a file", path)
	case err == nil && !info.Mode().IsRegular():
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return writeTo(f, write)
	case err == nil:
		mode = info.Mode().Perm()
	}
	temporary := fmt.Sprintf("%s.tmp-%d-%d", path, os.Getpid(), sequence.Add(1))
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	defer os.Remove(temporary) // gone after the rename
	if err := writeTo(f, write); err != nil {
		return err
	}
	return os.Rename(temporary, path)
}

// writeTo closes f. The first error counts; a panic leaves f closed too.
func writeTo(f *os.File, write func(io.Writer) error) (err error) {
	defer func() {
		if closing := f.Close(); err == nil {
			err = closing
		}
	}()
	w := bufio.NewWriterSize(f, 64<<10)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return err // pipes cannot be synced
	}
	return f.Sync()
}
