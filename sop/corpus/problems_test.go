package corpus

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the wanted problems in testdata")

func parseArchive(t *testing.T, name string) *txtar.Archive {
	t.Helper()
	a, err := txtar.ParseFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// writePack writes the pack of pack.txtar, edited, into a folder named pack.
func writePack(t *testing.T, edits []string) {
	t.Helper()
	files := map[string]string{}
	for _, f := range parseArchive(t, "pack.txtar").Files {
		files[f.Name] = string(f.Data)
	}
	escapes := strings.NewReplacer(`\n`, "\n", `\xff`, "\xff")
	for _, line := range edits {
		parts := strings.Split(line, " | ")
		if len(parts) != 3 {
			t.Fatalf("edit %q, want FILE | OLD | NEW", line)
		}
		name, from, to := parts[0], escapes.Replace(parts[1]), escapes.Replace(parts[2])
		switch {
		case from == "*" && to == "-":
			delete(files, name)
		case from == "*":
			files[name] = to
		case !strings.Contains(files[name], from):
			t.Fatalf("edit %q: the file has no such text", line)
		default:
			files[name] = strings.Replace(files[name], from, to, 1)
		}
	}
	t.Chdir(t.TempDir())
	for name, text := range files {
		path := filepath.Join("pack", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func TestProblems(t *testing.T) {
	archive := parseArchive(t, "problems.txtar")
	for i := range archive.Files {
		f := &archive.Files[i]
		edits, wanted, ok := strings.Cut(string(f.Data), "want:\n")
		if !ok {
			t.Fatalf("case %q has no line want:", f.Name)
		}
		t.Run(f.Name, func(t *testing.T) {
			writePack(t, strings.Split(strings.TrimSpace(edits), "\n"))
			_, err := Load("pack")
			if err == nil {
				t.Fatal("the pack was accepted")
			}
			got := err.Error() + "\n"
			if *update {
				f.Data = []byte(edits + "want:\n" + got)
			} else if got != wanted {
				t.Errorf("problems (-want +got)\n-%s+%s", wanted, got)
			}
		})
	}
	if *update {
		if err := os.WriteFile(filepath.Join("testdata", "problems.txtar"), bytes.TrimSpace(txtar.Format(archive)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFolder(t *testing.T) {
	writePack(t, nil)
	c, err := Load("pack")
	if err != nil {
		t.Fatal(err)
	}
	if c.Source != "pack" || c.Split != "scenario" || len(c.Domain.Procedures) != 2 || len(c.Notes) != 0 {
		t.Errorf("loaded %+v", c)
	}
}

func TestNoCorpus(t *testing.T) {
	writePack(t, nil)
	for path, text := range map[string]string{"notes.txt": "x", "empty_tasks.json": ""} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll("hollow/procedures", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("bare", 0o777); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"bnak":             `corpus "bnak" is neither a file nor a built-in domain, did you mean "bank"`,
		"":                 `corpus "" is neither a file nor a built-in domain, want one of ` + strings.Join(Builtin(), ", "),
		"notes.txt":        `corpus "notes.txt" is a file of no known kind, want a pack folder or a SOPBench task file *_tasks.json`,
		"empty_tasks.json": `empty_tasks.json:1: the file is empty, want an object {goal: [task, …]}`,
		"bare":             "bare: the folder is empty, want domain.yaml and procedures/<goal>.yaml",
		"hollow": "hollow/domain.yaml: cannot be read: file does not exist\n" +
			"hollow/procedures: the folder is empty, want a file <goal>.yaml for each procedure",
		"pack/procedures": "pack/procedures/domain.yaml: cannot be read: file does not exist\n" +
			"pack/procedures/procedures: cannot be read: file does not exist, want a folder with a file <goal>.yaml for each procedure",
	} {
		_, err := Load(name)
		if err == nil || strings.ReplaceAll(err.Error(), "no such file or directory", "file does not exist") != want {
			t.Errorf("Load(%q): %v\nwant %s", name, err, want)
		}
	}
}
