//go:build !unix

package main

import (
	"os"
	"os/exec"
)

// The console itself signals all that run in it.
func inOwnGroup(*exec.Cmd) {}

func signalGroup(*os.Process, os.Signal) {}
