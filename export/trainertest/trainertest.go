// Package trainertest has the programs that read exports, for tests: TRL,
// datasets, pyarrow and DuckDB, and the loaders of LLaMA-Factory and Axolotl. They
// are installed by go run ./llm/localserver/install.
package trainertest

import (
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/fmsop/fmsop/llm/localserver"
)

// Program is a folder of Python packages, 6 GB: PyPI has PyTorch for Linux with
// all that it needs for GPUs only.
var Program = localserver.Program{
	Name:    "trainers-trl-1.16.0-llamafactory-0.9.5-axolotl-0.19.0",
	File:    "trl",
	Without: "FMSOP_NO_TRAINERS",
	Build: func(folder string) error {
		python, err := exec.LookPath("python3")
		if err != nil {
			return errors.New("no python3: install Python 3.10 or later with pip")
		}
		pip := []string{"-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile", "--no-cache-dir", "--target", folder}
		_, err = localserver.Run(exec.Command(python, slices.Concat(pip, trl)...))
		if err == nil {
			_, err = localserver.Run(exec.Command(python, slices.Concat(pip, loaders)...))
		}
		return err
	},
}

var trl = []string{"--only-binary", ":all:", "torch==2.15.0", "transformers==5.23.0", "trl==1.16.0", "datasets==5.2.0",
	"accelerate==1.15.0", "pyarrow==26.0.1", "duckdb==2.0.0", "zstandard==0.25.0"}

// loaders is what the loaders of LLaMA-Factory and Axolotl import. They say that
// they want older versions of TRL and datasets, of which their loaders use nothing
// that has changed.
var loaders = []string{"--no-deps", "axolotl==0.19.0", "addict==2.4.0", "llamafactory==0.9.5", "peft==0.21.2", "omegaconf==2.3.0", "antlr4-python3-runtime==4.9.3",
	"einops==0.8.1", "fire==0.7.1", "termcolor==3.1.0"}

// Readers is what verl's and ms-swift's own readers import beside, 260 MB.
var Readers = localserver.Program{
	Name:    "readers-verl-0.9.1-ms-swift-4.6.0",
	File:    "verl",
	Without: "FMSOP_NO_TRAINERS",
	Build: func(folder string) error {
		python, err := exec.LookPath("python3")
		if err != nil {
			return errors.New("no python3: install Python 3.10 or later with pip")
		}
		_, err = localserver.Run(exec.Command(python, slices.Concat([]string{"-m", "pip", "install", "--quiet", "--disable-pip-version-check",
			"--no-compile", "--no-cache-dir", "--only-binary", ":all:", "--no-deps", "--target", folder}, readers)...))
		return err
	},
}

// readers leave out what only serves to train: verl and ms-swift want vLLM,
// DeepSpeed and others.
var readers = []string{"verl==0.9.1", "hydra-core==1.3.8", "ray==2.60.0", "tensordict==0.15.3", "pyvers==0.2.3", "orjson==3.13.0", "cloudpickle==3.1.2",
	"importlib-metadata==10.2.0", "msgpack==1.2.4", "protobuf==7.36.2", "jsonschema==4.26.0", "jsonschema-specifications==2025.9.1", "referencing==0.37.0",
	"rpds-py==2026.9.1", "click==8.5.1", "codetiming==1.4.0", "pillow==13.0.0", "ms-swift==4.6.0", "modelscope==1.40.2", "modelscope-hub==0.5.1",
	"json-repair==0.64.5", "aiohttp==3.14.5", "multidict==7.2.1", "yarl==1.25.1", "propcache==0.5.4", "frozenlist==1.8.0", "aiosignal==1.4.0", "aiohappyeyeballs==2.7.1"}

// Bitsandbytes is what QLoRA's weights of 4 bits need, 43 MB to fetch.
var Bitsandbytes = localserver.Program{
	Name:    "bitsandbytes-0.50.2",
	File:    "bitsandbytes",
	Without: "FMSOP_NO_TRAINERS",
	Build:   localserver.Wheels("bitsandbytes==0.50.2"),
}

// ReadersPath is where Python finds these, for the end of PYTHONPATH.
func ReadersPath(t testing.TB) string {
	t.Helper()
	return filepath.Dir(Readers.Path(t))
}

// BitsandbytesPath is where Python finds this, for the end of PYTHONPATH.
func BitsandbytesPath(t testing.TB) string {
	t.Helper()
	return filepath.Dir(Bitsandbytes.Path(t))
}

// Path is where Python finds the packages, for PYTHONPATH. The test is skipped
// where the machine does without them.
func Path(t testing.TB) string {
	t.Helper()
	return filepath.Dir(Program.Path(t))
}
