package train_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/fmsop/fmsop/export/trainertest"
	"github.com/fmsop/fmsop/train"
)

// The program carries every file of the package, as it lies here.
func TestInstall(t *testing.T) {
	folder := t.TempDir()
	require.NoError(t, train.Install(folder))
	for _, pattern := range []string{"*.py", "*.yaml", "recipes/*"} {
		here, err := filepath.Glob(filepath.Join(train.Module, pattern))
		require.NoError(t, err)
		require.NotEmpty(t, here, pattern)
		for _, name := range here {
			want, err := os.ReadFile(name)
			require.NoError(t, err)
			got, err := os.ReadFile(filepath.Join(folder, name))
			require.NoError(t, err)
			assert.Equal(t, string(want), string(got), name)
		}
	}
}

func TestRequirements(t *testing.T) {
	modules := train.Requirements()
	assert.Equal(t, "torch==2.15.0", modules["torch"])
	assert.Regexp(t, `^pyyaml==`, modules["yaml"])
	assert.NotContains(t, modules, "pyyaml")
}

// The tests in Python, with PyTorch and the others as trainertest has them.
func TestPython(t *testing.T) {
	packages, quantiser := trainertest.Path(t), trainertest.BitsandbytesPath(t)
	here, err := filepath.Abs(".")
	require.NoError(t, err)
	c := exec.Command("python3", "-m", "unittest", "discover", "--start-directory", "tests", "--buffer")
	c.Env = append(os.Environ(), "PYTHONPATH="+strings.Join([]string{here, packages, quantiser}, string(os.PathListSeparator)), "PYTHONDONTWRITEBYTECODE=1", "OMP_NUM_THREADS=1", "TOKENIZERS_PARALLELISM=false", "HF_HUB_OFFLINE=1")
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s", out)
	assert.Regexp(t, `Ran [1-9][0-9]* tests`, string(out))
	assert.NotContains(t, string(out), "skipped")
}
