package ollamatest

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/fmsop/fmsop/llm/localserver"
)

const version = "v0.17.4"

// Program is Ollama, built from its Go module: some minutes of a C++ compiler.
var Program = localserver.Program{
	Name:    "ollama-" + version,
	File:    "ollama",
	Without: "FMSOP_NO_OLLAMA",
	Build:   build,
}

// module is a Go module at a version, whose content has this sum.
type module struct{ path, version, sum string }

// A module leaves out folders named vendor, and Ollama's has in one the three
// headers that its C++ includes. Two of them lie elsewhere in an older one.
var (
	ollama = module{"github.com/ollama/ollama", version, "h1:X3KNm9x4BlHqk/AXMGtC7pBAFd46nmJmy8yDaBZLo9s="}
	older  = module{"github.com/ollama/ollama", "v0.5.13", "h1:URBx4e6nyAaVhEGXH6AWVqORhebcSQcJ7hLTS0xkAPg="}
	malgo  = module{"github.com/gen2brain/malgo", "v0.11.24", "h1:hHcIJVfzWcEDHFdPl5Dl/CUSOjzOleY0zzAV8Kx+imE="}
)

func build(folder string) error {
	for _, language := range []string{"CC", "CXX"} {
		if err := compiler(language); err != nil {
			return err
		}
	}
	if _, err := ollama.download(); err != nil {
		return err
	}
	common, err := older.download()
	if err != nil {
		return err
	}
	common = filepath.Join(common, "llama/llama.cpp/common")
	audio, err := malgo.download()
	if err != nil {
		return err
	}
	headers := filepath.Join(folder, "include")
	err = errors.Join(
		os.MkdirAll(filepath.Join(headers, "nlohmann"), 0o777),
		os.Symlink(filepath.Join(common, "json.hpp"), filepath.Join(headers, "nlohmann/json.hpp")),
		os.WriteFile(filepath.Join(headers, "nlohmann/json_fwd.hpp"), []byte("#include \"json.hpp\"\n"), 0o666),
		os.Symlink(common, filepath.Join(headers, "stb")),
		os.Symlink(audio, filepath.Join(headers, "miniaudio")),
	)
	if err != nil {
		return err
	}
	flags := "-O1 '-I" + headers + "'"
	linked := "-s -w -X " + ollama.path + "/version.Version=" + strings.TrimPrefix(version, "v")
	install := command("install", "-trimpath", "-ldflags", linked, ollama.path+"@"+version)
	install.Env = append(install.Env, "GOBIN="+folder, "CGO_ENABLED=1", "CGO_CFLAGS="+flags, "CGO_CXXFLAGS="+flags)
	_, err = localserver.Run(install)
	return errors.Join(err, os.RemoveAll(headers))
}

// command is one of the go command that knows of no module or work space.
func command(args ...string) *exec.Cmd {
	c := exec.Command("go", args...)
	c.Dir = os.TempDir()
	c.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	return c
}

// compiler is an error if the go command's compiler of a language, CC or CXX,
// is not there.
func compiler(language string) error {
	out, err := localserver.Run(command("env", language))
	if err != nil {
		return err
	}
	name, _, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	if _, err := exec.LookPath(name); err != nil {
		return fmt.Errorf("no compiler %q: install one, or name it in $%s", name, language)
	}
	return nil
}

// download returns the folder of the module's content.
func (m module) download() (string, error) {
	out, err := localserver.Run(command("mod", "download", "-json", m.path+"@"+m.version))
	var got struct{ Dir, Sum, Error string }
	if json.Unmarshal(out, &got) == nil && got.Error != "" {
		return "", errors.New(got.Error) // which is not in err
	}
	if err != nil {
		return "", err
	}
	if got.Sum != m.sum {
		return "", fmt.Errorf("%s@%s has the sum %q, want %q", m.path, m.version, got.Sum, m.sum)
	}
	return got.Dir, nil
}
