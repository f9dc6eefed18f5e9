// Package scipytest has statistics computed by a second implementation, the
// scientific packages of Python, for tests that hold our own against it. They
// are installed by go run ./llm/localserver/install.
package scipytest

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/fmsop/fmsop/llm/localserver"
)

// Program is the packages: the file is the folder of one of them.
var Program = localserver.Program{
	Name:    "scipy-1.17.1",
	File:    "scipy",
	Without: "FMSOP_NO_SCIPY",
	Build: localserver.Wheels("numpy==2.4.6", "scipy==1.17.1", "krippendorff==0.9.0",
		"scikit-learn==1.9.1", "cloudpickle==3.1.2", "joblib==1.6.0", "threadpoolctl==3.8.0", "narwhals==2.29.0"),
}

// Compute runs a Python script that reads in as JSON from its standard input
// and writes to its standard output what is decoded into out. A script that
// fails, fails the test.
func Compute(t testing.TB, script string, in, out any) {
	t.Helper()
	question, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	var complaint bytes.Buffer
	python := exec.Command("python3", "-c", script)
	python.Env = append(os.Environ(), "PYTHONPATH="+filepath.Dir(Program.Path(t)), "OPENBLAS_NUM_THREADS=1")
	python.Stdin, python.Stderr = bytes.NewReader(question), &complaint
	answer, err := python.Output()
	if err != nil {
		t.Fatalf("python3: %v\n%s", err, complaint.String())
	}
	if err := json.Unmarshal(answer, out); err != nil {
		t.Fatalf("python3 printed %.200q: %v", answer, err)
	}
}
