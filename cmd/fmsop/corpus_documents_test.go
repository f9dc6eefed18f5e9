package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Three documents that nobody here wrote, with all doubts accepted, give
// proven data for stages 1 and 2 and a scored evaluation; before the review
// nothing of them is trained on.
func TestDocumentsToDataAndScore(t *testing.T) {
	for _, name := range []string{"customer_service", "know_your_business", "dangerous_goods"} {
		t.Run(name, func(t *testing.T) {
			document, err := filepath.Abs(filepath.Join("../../../shared/sops", name, "sop.txt"))
			require.NoError(t, err)
			if _, err := os.Stat(document); errors.Is(err, fs.ErrNotExist) && os.Getenv("CI") != "true" {
				t.Skipf("%s is not here", document)
			}
			t.Chdir(t.TempDir())
			out := fmsop(t, "", "corpus", "import", document, "-o", name)
			require.NotContains(t, out, "uncertain  0")
			out = fmsop(t, "", "generate", name, "-o", "apart", "--stages", "1,2", "--groups", "20")
			assert.Contains(t, out, "unreviewed 40 (")

			out = fmsop(t, strings.Repeat("y", 100), "corpus", "review", name)
			assert.Contains(t, out, ", 0 left\n")
			fmsop(t, "", "corpus", "validate", name)
			out = fmsop(t, "", "generate", name, "-o", "data", "--stages", "1,2", "--groups", "60")
			assert.NotContains(t, out, "unreviewed")
			assert.Contains(t, fmsop(t, "", "verify", "data"), "every positive proven right, every negative proven wrong")
			out = fmsop(t, "", "evaluate", name, "--model", "baseline:oracle", "-o", "run", "--allow-shortfall")
			assert.Regexp(t, `baseline:oracle +(0\.9\d\d|1\.000) `, out)
		})
	}
}

// fmsop runs the command, wants it to succeed and returns what it says.
func fmsop(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	a := &app{stdin: strings.NewReader(stdin), stdout: &out, stderr: &errs}
	require.Zero(t, a.run(context.Background(), args), "%v: %s", args, errs.String())
	return out.String()
}
