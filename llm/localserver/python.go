package localserver

import (
	"errors"
	"os/exec"
	"slices"
)

// Wheels is a Build that puts Python packages, each as NAME==VERSION and
// without what it depends on, into the folder, for PYTHONPATH to name.
func Wheels(packages ...string) func(folder string) error {
	return func(folder string) error {
		python, err := exec.LookPath("python3")
		if err != nil {
			return errors.New("no python3: install Python 3.11 or later with pip")
		}
		_, err = Run(exec.Command(python, slices.Concat([]string{"-m", "pip", "install", "--quiet", "--disable-pip-version-check",
			"--no-deps", "--only-binary", ":all:", "--target", folder}, packages)...))
		return err
	}
}
