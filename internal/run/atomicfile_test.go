package run

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func put(text string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, text); return err }
}

func wantFile(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("%s holds %q, error %v, want %q", path, got, err, want)
	}
}

func wantNames(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if strings.Join(names, " ") != strings.Join(want, " ") {
		t.Errorf("the folder holds %q, want %q", names, want)
	}
}

func TestAtomicFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "report.html")
	for _, text := range []string{"one", "two"} {
		if err := AtomicFile(path, put(text)); err != nil {
			t.Fatal(err)
		}
		wantFile(t, path, text)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm()&0o444 == 0o400 {
		t.Errorf("mode is %v, error %v, want that of an ordinary file", info.Mode(), err)
	}
	wantNames(t, dir, "report.html")
}

func TestAtomicFileErrorLeavesTheOld(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x")
	if err := AtomicFile(path, put("old")); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("no more rows")
	err := AtomicFile(path, func(w io.Writer) error { io.WriteString(w, "half"); return broken })
	if err != broken {
		t.Errorf("AtomicFile = %v, want %v", err, broken)
	}
	func() {
		defer func() { recover() }()
		AtomicFile(path, func(io.Writer) error { panic("bug") })
	}()
	wantFile(t, path, "old")
	wantNames(t, dir, "x")
}

func TestAtomicFileKeepsLinks(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "real"), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := AtomicFile(filepath.Join(dir, "link"), put("new")); err != nil {
		t.Fatal(err)
	}
	wantFile(t, filepath.Join(dir, "real"), "new")
	if info, err := os.Lstat(filepath.Join(dir, "link")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is now %v, error %v", info.Mode(), err)
	}
	if info, err := os.Stat(filepath.Join(dir, "real")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode is %v, error %v, want that of the old file", info.Mode(), err)
	}
}

func TestAtomicFileBadPlaces(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, path string
		want       error
		names      string
	}{
		{"a full disk", "/dev/full", syscall.ENOSPC, "/dev/full"},
		{"under a file", filepath.Join(file, "x"), syscall.ENOTDIR, "file/x"},
		{"no such folder", filepath.Join(dir, "none", "x"), os.ErrNotExist, "none/x"},
		{"a folder", dir, nil, "is a folder, want the name of a file"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := AtomicFile(test.path, put("text"))
			if err == nil || test.want != nil && !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.names) {
				t.Errorf("AtomicFile(%q) = %v, want %v naming %q", test.path, err, test.want, test.names)
			}
		})
	}
	wantNames(t, dir, "file")
	if err := AtomicFile(os.DevNull, put("text")); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Errorf("%s is now %v, error %v", os.DevNull, info.Mode(), err)
	}
}
