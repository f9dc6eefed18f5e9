//go:build unix

package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// wantNothing fails if anything is in the folder.
func wantNothing(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		t.Errorf("left behind: %s", e.Name())
	}
}

// A limit on the size of files stands in for a full disk: the write that goes
// beyond it fails.
func TestGenerateOnAFullDisk(t *testing.T) {
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var limit syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit))
	small := limit
	small.Cur = 16 << 10
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &small))
	defer syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit)

	dir := t.TempDir()
	status, stdout, stderr := start(t, "", "generate", "bank", "-o", filepath.Join(dir, "data"), "--groups", "500")
	assert.Equal(t, 1, status)
	assert.Empty(t, stdout)
	assert.Regexp(t, `^error: .*\.zst: file too large\n$`, stderr)
	wantNothing(t, dir)
}

func TestStandardOutputOnAFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		return // only Linux has it
	}
	defer full.Close()
	var stderr strings.Builder
	a := &app{stdin: strings.NewReader(right), stdout: full, stderr: &stderr}
	assert.Equal(t, 1, a.run(context.Background(), []string{"corpus", "list"}))
	assert.Equal(t, "error: standard output: no space left on device\n", stderr.String())
	stderr.Reset()
	assert.Equal(t, 1, a.run(context.Background(), []string{"check"}))
	assert.Regexp(t, `^error: .*no space left on device\n$`, stderr.String())
}

func TestInterruptedGenerateLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	var stderr strings.Builder
	a := &app{stdin: strings.NewReader(""), stdout: io.Discard, stderr: &stderr}
	done := make(chan int)
	go func() {
		done <- a.run(context.Background(), []string{"generate", "bank", "-o", data, "--groups", "500000"})
	}()
	begun := func() bool { // by then the signal is waited for
		found, err := filepath.Glob(data + ".tmp*")
		return err == nil && len(found) > 0
	}
	require.Eventually(t, begun, 20*time.Second, 5*time.Millisecond)
	require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGINT))
	select {
	case status := <-done:
		assert.Equal(t, 1, status)
	case <-time.After(30 * time.Second):
		t.Fatal("an interrupt does not stop it")
	}
	assert.Regexp(t, `error: stopped after [0-9]+ of [0-9]+ jobs; .*data was not written\n$`, stderr.String())
	wantNothing(t, dir)
}
