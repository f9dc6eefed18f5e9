package fmsop_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/fmsop/fmsop"

// direction lists for each package which others of this module it may import.
// A package that is not listed fails the test: put it where it belongs.
var direction = map[string][]string{
	"":             {},
	"data":         {},
	"sop":          {},
	"dataset":      {},
	"rubric":       {},
	"internal/run": {},
	"sop/text":     {"sop"},
	"augment":      {"sop"},
	"sop/corpus":   {"sop", "data"},
	"sop/document": {},
	"sop/picture":  {"sop"},
	"sop/reading":  {"sop", "sop/document"},
	"stages":       {"sop", "sop/text", "sop/corpus", "augment", "dataset", "internal/run"},
	"export":       {"dataset", "tokens"},
	"tokens":       {},
	"llm":          {"internal/run"},
	"train":        {},
	"agents":       {"sop", "sop/text", "sop/corpus", "sop/reading", "augment", "stages", "rubric", "dataset", "llm", "internal/run"},
	"bench/python": {},
	"bench/world":  {"sop", "sop/corpus", "data", "bench/python"},
	"bench":        {"sop", "sop/text", "sop/corpus", "llm", "internal/run", "bench/world", "bench/python"},
	"report":       {"rubric", "dataset"},
	"configs":      {"stages", "dataset", "export", "llm", "agents", "bench", "rubric", "report"},
	"cmd/fmsop":    {"*"},

	// Only tests import these.
	"sop/soptest":             {"sop"},
	"internal/recheck":        {},
	"llm/tinymodel":           {},
	"llm/localserver":         {},
	"llm/localserver/install": {"llm/localserver", "llm/ollamatest", "llm/llamacpptest", "rubric/scipytest", "tokens/hftest", "export/trainertest"},
	"export/trainertest":      {"llm/localserver"},
	"llm/ollamatest":          {"llm/localserver", "llm/tinymodel"},
	"llm/llamacpptest":        {"llm/localserver", "llm/tinymodel"},
	"rubric/scipytest":        {"llm/localserver"},
	"tokens/hftest":           {"llm/localserver"},
}

// testsOnly are packages that no other package but a test may import.
var testsOnly = []string{
	"sop/soptest", "internal/recheck",
	"llm/tinymodel", "llm/localserver", "llm/localserver/install", "llm/ollamatest", "llm/llamacpptest",
	"rubric/scipytest", "tokens/hftest", "export/trainertest",
}

type listed struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

func TestImportsFollowTheDirection(t *testing.T) {
	packages := goList(t)
	require.NotEmpty(t, packages)
	for _, p := range packages {
		name := short(p.ImportPath)
		allowed, ok := direction[name]
		if !assert.True(t, ok, "package %q is not in the table of directions", name) {
			continue
		}
		for _, imported := range p.Imports {
			if !ours(imported) {
				continue
			}
			to := short(imported)
			free := slices.Contains(allowed, "*") && to != "" && !slices.Contains(testsOnly, to)
			assert.True(t, free || slices.Contains(allowed, to), "%s imports %s, want at most %v", name, to, allowed)
		}
		for _, imported := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
			assert.False(t, strings.HasPrefix(short(imported), "cmd/"), "%s imports %s: nothing imports a command", name, imported)
			assert.False(t, name != "cmd/fmsop" && name != "configs" && imported == module+"/configs", "%s imports configs: only the command does", name)
		}
	}
}

// goList asks the go command for the packages of this module.
func goList(t *testing.T) (packages []listed) {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", "./...").Output()
	require.NoError(t, err)
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else {
			require.NoError(t, err)
		}
		packages = append(packages, p)
	}
}

func ours(path string) bool { return path == module || strings.HasPrefix(path, module+"/") }

func short(path string) string {
	return strings.TrimPrefix(strings.TrimPrefix(path, module), "/")
}
