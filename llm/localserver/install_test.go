package localserver

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// cache gives the test a cache folder of its own.
func cache(t *testing.T) string {
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	folder, err := os.UserCacheDir()
	require.NoError(t, err)
	return filepath.Join(folder, "fmsop")
}

func write(folder string) error {
	return os.WriteFile(filepath.Join(folder, "tool"), []byte("tool"), 0o777)
}

func TestInstallOnce(t *testing.T) {
	root := cache(t)
	var builds, notes atomic.Int32
	p := Program{Name: "tool-1", File: "tool", Build: func(folder string) error {
		builds.Add(1)
		assert.NoFileExists(t, filepath.Join(root, "tool-1"))
		return write(folder)
	}}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			assert.NoError(t, p.Install(func(folder string) {
				notes.Add(1)
				assert.Equal(t, filepath.Join(root, "tool-1"), folder)
			}))
			assert.FileExists(t, filepath.Join(root, "tool-1", "tool"))
		})
	}
	all.Wait()
	assert.EqualValues(t, 1, builds.Load())
	assert.EqualValues(t, 1, notes.Load())
	assert.Equal(t, filepath.Join(root, "tool-1", "tool"), p.Path(t))
}

func TestInstallLeavesNothingHalf(t *testing.T) {
	root := cache(t)
	p := Program{Name: "tool-1", File: "tool", Build: func(folder string) error {
		return errors.Join(write(folder), errors.New("no compiler"))
	}}
	require.EqualError(t, p.Install(func(string) {}), "tool-1: no compiler")
	left, err := filepath.Glob(filepath.Join(root, "tool-1*"))
	require.NoError(t, err)
	assert.Equal(t, []string{filepath.Join(root, "tool-1.lock")}, left)

	// One that was killed left its folder.
	require.NoError(t, os.MkdirAll(filepath.Join(root, "tool-1.tmp", "old"), 0o777))
	p.Build = func(folder string) error {
		assert.NoDirExists(t, filepath.Join(folder, "old"))
		return write(folder)
	}
	require.NoError(t, p.Install(func(string) {}))
	assert.Equal(t, filepath.Join(root, "tool-1", "tool"), p.Path(t))
}

func TestInstallWhereItIsNotWanted(t *testing.T) {
	root := cache(t)
	t.Setenv("FMSOP_NO_TOOL", "1")
	p := Program{Name: "tool-1", File: "tool", Without: "FMSOP_NO_TOOL", Build: write}
	t.Setenv("CI", "")
	require.NoError(t, p.Install(func(string) { t.Error("installs") }))
	assert.NoDirExists(t, root)
	t.Setenv("CI", "true")
	require.NoError(t, p.Install(func(string) {}))
	assert.FileExists(t, p.Path(t))
}

// stopped is what a test would have ended with.
type stopped string

// recorder stands for a test where it may fail.
type recorder struct{ testing.TB }

func (recorder) Helper()                      {}
func (recorder) Cleanup(func())               {}
func (recorder) Fatalf(f string, args ...any) { panic(stopped("fatal: " + fmt.Sprintf(f, args...))) }
func (recorder) Skipf(f string, args ...any)  { panic(stopped("skip: " + fmt.Sprintf(f, args...))) }

func TestMissingProgram(t *testing.T) {
	path := filepath.Join(cache(t), "tool-1", "tool")
	p := Program{Name: "tool-1", File: "tool", Without: "FMSOP_NO_TOOL"}
	fatal := stopped("fatal: " + path + " is missing: run go run ./llm/localserver/install, or set FMSOP_NO_TOOL=1 to do without these tests")
	for _, test := range []struct {
		ci, without string
		want        stopped
	}{
		{"", "", fatal},
		{"true", "", fatal},
		{"true", "1", fatal},
		{"", "1", stopped("skip: " + path + " is missing, and FMSOP_NO_TOOL is set")},
	} {
		t.Setenv("CI", test.ci)
		t.Setenv("FMSOP_NO_TOOL", test.without)
		assert.PanicsWithValue(t, test.want, func() { p.Path(recorder{}) })
	}
}

func TestRunTellsTheLastLine(t *testing.T) {
	out, err := Run(exec.Command("sh", "-c", "echo out; echo err >&2"))
	require.NoError(t, err)
	assert.Equal(t, "out\n", string(out))
	_, err = Run(exec.Command("sh", "-c", "echo first >&2; echo last >&2; exit 3"))
	assert.EqualError(t, err, "sh -c echo first >&2; echo last >&2; exit 3: exit status 3: last")
}
