//go:build unix

package main

import (
	"os"
	"os/exec"
	"syscall"
)

// inOwnGroup keeps a terminal's signals from a child, so that it gets each once:
// from us.
func inOwnGroup(child *exec.Cmd) { child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// signalGroup signals a child and what it has started. One that has just ended
// is none to signal.
func signalGroup(child *os.Process, s os.Signal) { _ = syscall.Kill(-child.Pid, s.(syscall.Signal)) }
