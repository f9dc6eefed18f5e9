// Package configs reads the settings of a run. Config is the Options of the
// packages by name; Load takes the embedded default.yaml, then a file over it.
// Flags are the business of the command.
package configs

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/parser"

	"github.com/fmsop/fmsop/llm"
	"github.com/fmsop/fmsop/stages"
)

// Config is the settings of a run.
type Config struct {
	Corpora  []string       `yaml:"corpora"` // none: every built-in domain
	Workers  int            `yaml:"workers"` // 0: one for each processor
	Generate stages.Options `yaml:"generate"`
	Runs     Runs           `yaml:"runs"`
	Train    Train          `yaml:"train"`
	Dataset  Dataset        `yaml:"dataset"`
	LLM      llm.Options    `yaml:"llm"`
}

// Dataset is how a folder is written.
type Dataset struct {
	Compression string `yaml:"compression"` // one of Compressions
}

// Compressions are the levels that a dataset can be written with.
var Compressions = []string{"fastest", "default", "better", "best"}

//go:embed default.yaml
var defaultYAML []byte

// Default returns the settings of the embedded default.yaml.
func Default() Config {
	var c Config
	if err := c.read("default.yaml", defaultYAML); err != nil {
		panic(err) // a test loads it
	}
	return c
}

// Load returns the defaults with the file's settings over them; an empty path
// means the defaults alone. The error joins everything that is wrong with the
// file, a line each.
func Load(path string) (Config, error) {
	c := Default()
	if path == "" {
		return c, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return Config{}, fmt.Errorf("config: %w", err)
	}
	if err := c.read(path, text); err != nil {
		return Config{}, err
	}
	if err := c.Validate(); err != nil {
		return Config{}, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// Validate reports every setting that is out of range in one line.
func (c Config) Validate() error {
	var bad []string
	if c.Workers < 0 {
		bad = append(bad, fmt.Sprintf("workers is %d, want 0 (one for each processor) or more", c.Workers))
	}
	if err := c.Generate.Validate(); err != nil {
		bad = append(bad, err.Error())
	}
	for _, r := range c.Runs {
		if err := r.Generate.Validate(); err != nil {
			bad = append(bad, fmt.Sprintf("run %s: %v", r.Name, err))
		}
	}
	if err := c.Train.validate(); err != nil {
		bad = append(bad, err.Error())
	}
	if !slices.Contains(Compressions, c.Dataset.Compression) {
		bad = append(bad, fmt.Sprintf("compression is %q, want one of %s", c.Dataset.Compression, strings.Join(Compressions, ", ")))
	}
	if err := c.LLM.Validate(); err != nil {
		bad = append(bad, err.Error())
	}
	if len(bad) > 0 {
		return errors.New(strings.Join(bad, "; "))
	}
	return nil
}

// read decodes a file over what c holds.
func (c *Config) read(file string, text []byte) error {
	if !utf8.Valid(text) {
		return fmt.Errorf("%s: the text is not UTF-8, want UTF-8", file)
	}
	tree, err := parser.ParseBytes(text, 0)
	if err != nil {
		return located(file, err)
	}
	if !slices.ContainsFunc(tree.Docs, hasBody) {
		return nil // Unmarshal would set everything to zero
	}
	if err := unknownKeys(file, tree, c); err != nil {
		return err
	}
	if err := yaml.UnmarshalWithOptions(text, c, yaml.CustomUnmarshaler(readDuration)); err != nil {
		return located(file, err)
	}
	return c.readRuns(file, tree)
}

// readDuration takes 0 and 10m, and tells what it wants instead of 600.
func readDuration(d *time.Duration, text []byte) (err error) {
	value := strings.Trim(strings.TrimSpace(string(text)), `"'`)
	if *d, err = time.ParseDuration(value); err != nil {
		return fmt.Errorf("a time is %q, want such as 90s or 10m", value)
	}
	return nil
}

// located turns an error of the YAML library, which prints an excerpt, into
// one line.
func located(file string, err error) error {
	var e yaml.Error
	if errors.As(err, &e) && e.GetToken() != nil {
		return fmt.Errorf("%s:%d: %s", file, e.GetToken().Position.Line, oneLine(e.GetMessage()))
	}
	return fmt.Errorf("%s: %s", file, oneLine(err.Error()))
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
