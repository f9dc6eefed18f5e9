package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/fmsop/fmsop/export/trainertest"
)

// TestTrainers puts exports into the hands of those who read them.
func TestTrainers(t *testing.T) {
	packages, readers := trainertest.Path(t), trainertest.ReadersPath(t)
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/trainers",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			for name, value := range map[string]string{
				"PYTHONPATH": packages, "READERS": readers, "PYTHONDONTWRITEBYTECODE": "1", "HOME": env.WorkDir,
				"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false", "OMP_NUM_THREADS": "1",
			} {
				env.Setenv(name, value)
			}
			return nil
		},
	})
}
