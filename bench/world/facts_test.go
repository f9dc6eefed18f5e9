package world

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fmsop/fmsop/sop/corpus"
	"github.com/goccy/go-yaml"
)

var update = flag.Bool("update", false, "rewrite the sopbench.json of every pack from the facts")

// shared reads a file of the facts that stand beside the checkout. They are
// not part of the project: without them the test fails, unless a user says
// that they are not to be had.
func shared(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../../shared/sopbench", name))
	if errors.Is(err, fs.ErrNotExist) && os.Getenv("FMSOP_NO_SHARED") != "" && os.Getenv("CI") == "" {
		t.Skipf("%s is not there", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// officialTool and officialFacts are the shape of a sopbench.json.
type officialTool struct {
	Offered bool            `json:"offered"`
	Absent  bool            `json:"absent,omitempty"`
	Innate  json.RawMessage `json:"innate"`
	Guard   json.RawMessage `json:"guard"`
}

type officialFacts struct {
	Parameters      json.RawMessage          `json:"parameters"`
	FixedArguments  bool                     `json:"fixed_arguments,omitempty"`
	Tools           map[string]officialTool  `json:"tools"`
	PlainAttributes []string                 `json:"plain_attributes"`
	OtherAttributes []string                 `json:"other_attributes"`
	Graphs          map[string]officialGraph `json:"graphs"`
	Implied         map[string]json.RawMessage
}

type officialGraph struct {
	Nodes       []json.RawMessage `json:"nodes"`
	Connections json.RawMessage   `json:"connections"`
}

// TestOfficialFacts holds the sopbench.json of every pack against the facts.
func TestOfficialFacts(t *testing.T) {
	var tables map[string]struct {
		Functions       map[string][]string        `json:"functions"`
		DefaultGraph    map[string]officialGraph   `json:"default_graph"`
		InnateImplied   map[string]json.RawMessage `json:"innate_implied"`
		SystemAttrs     []string                   `json:"system_attrs"`
		StrictAttrs     []string                   `json:"strict_attrs"`
		ToolsOffered    []string                   `json:"tools_offered"`
		MissingInStrict []string                   `json:"missing_in_strict"`
	}
	if err := json.Unmarshal(shared(t, "tables.json"), &tables); err != nil {
		t.Fatal(err)
	}
	for _, name := range corpus.Builtin() {
		table := tables[name]
		facts := officialFacts{
			FixedArguments: name == "university", Tools: map[string]officialTool{},
			Graphs: table.DefaultGraph, Implied: map[string]json.RawMessage{},
			PlainAttributes: []string{}, OtherAttributes: []string{},
		}
		for f, implied := range table.InnateImplied {
			if string(implied) != "{}" {
				facts.Implied[f] = implied
			}
		}
		for _, a := range table.SystemAttrs {
			switch {
			case table.Functions[a] != nil:
			case slices.Contains(table.StrictAttrs, a):
				facts.OtherAttributes = append(facts.OtherAttributes, a)
			default:
				facts.PlainAttributes = append(facts.PlainAttributes, a)
			}
		}
		parameters, trees := readFacts(t, name)
		facts.Parameters = parameters
		for tool := range table.Functions {
			entry := trees[tool]
			entry.Offered = slices.Contains(table.ToolsOffered, tool) && tool != "internal_get_database"
			entry.Absent = slices.Contains(table.MissingInStrict, tool)
			facts.Tools[tool] = entry
		}
		if len(facts.Tools) != len(trees) {
			t.Errorf("%s: %d tools in the tables, %d in the facts", name, len(facts.Tools), len(trees))
		}
		want := lay(t, facts)
		path := filepath.Join("../../data", name, officialFile)
		if *update {
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what the facts say (%v); rewrite it with go test ./bench/world -run Facts -update", path, err)
		}
	}
}

// lay writes the facts with a line for each tool and graph.
func lay(t *testing.T, facts officialFacts) []byte {
	t.Helper()
	var b bytes.Buffer
	line := func(key string, v any) {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString(" " + `"` + key + `": ` + string(text) + ",\n")
	}
	b.WriteString("{\n")
	line("parameters", facts.Parameters)
	line("fixed_arguments", facts.FixedArguments)
	line("plain_attributes", facts.PlainAttributes)
	line("other_attributes", facts.OtherAttributes)
	b.WriteString(` "tools": {` + "\n")
	section(t, &b, facts.Tools)
	b.WriteString(` "graphs": {` + "\n")
	section(t, &b, facts.Graphs)
	b.WriteString(` "implied": {` + "\n")
	section(t, &b, facts.Implied)
	return append(bytes.TrimSuffix(b.Bytes(), []byte(",\n")), "\n}\n"...)
}

func section[V any](t *testing.T, b *bytes.Buffer, m map[string]V) {
	t.Helper()
	var lines []string
	for _, key := range slices.Sorted(mapKeys(m)) {
		text, err := json.Marshal(m[key])
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, `  "`+key+`": `+string(text))
	}
	b.WriteString(strings.Join(lines, ",\n") + "\n },\n")
}

// readFacts returns the thresholds and the tools' trees of a domain's facts.
func readFacts(t *testing.T, name string) (parameters json.RawMessage, tools map[string]officialTool) {
	t.Helper()
	var facts struct {
		Parameters any `yaml:"parameters"`
		Tools      []struct {
			Name     string `yaml:"name"`
			Innate   any    `yaml:"innate"`
			Composed any    `yaml:"composed_full"`
		} `yaml:"tools"`
	}
	d := yaml.NewDecoder(bytes.NewReader(shared(t, "facts/"+name+".facts.yaml")), yaml.UseOrderedMap())
	if err := d.Decode(&facts); err != nil {
		t.Fatal(err)
	}
	tools = map[string]officialTool{}
	for _, tool := range facts.Tools {
		tools[tool.Name] = officialTool{Innate: plain(t, tool.Innate), Guard: plain(t, tool.Composed)}
	}
	if list, ok := facts.Parameters.([]any); ok {
		var m yaml.MapSlice
		for _, x := range list {
			entry := x.(yaml.MapSlice).ToMap()
			m = append(m, yaml.MapItem{Key: entry["name"], Value: entry["default"]})
		}
		facts.Parameters = m
	}
	return plain(t, facts.Parameters), tools
}

// plain writes what the YAML decoder gives as JSON, keys in their order.
func plain(t *testing.T, v any) json.RawMessage {
	t.Helper()
	switch v := v.(type) {
	case yaml.MapSlice:
		var parts []string
		for _, item := range v {
			parts = append(parts, string(plain(t, item.Key))+":"+string(plain(t, item.Value)))
		}
		return json.RawMessage("{" + strings.Join(parts, ",") + "}")
	case []any:
		var parts []string
		for _, x := range v {
			parts = append(parts, string(plain(t, x)))
		}
		return json.RawMessage("[" + strings.Join(parts, ",") + "]")
	case float64:
		if v == float64(int64(v)) {
			text, _ := json.Marshal(v)
			return json.RawMessage(string(text) + ".0")
		}
	}
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestSignatures holds the parameters of every tool against those of the
// original, and the thresholds against the facts.
func TestSignatures(t *testing.T) {
	var signatures map[string]map[string]struct {
		Required []string `json:"required"`
		All      []string `json:"all"`
		Surplus  bool     `json:"varkw"`
	}
	if err := json.Unmarshal(shared(t, "signatures.json"), &signatures); err != nil {
		t.Fatal(err)
	}
	for _, name := range corpus.Builtin() {
		d, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(d.Tools) != len(signatures[name]) {
			t.Errorf("%s has %d tools, want %d", name, len(d.Tools), len(signatures[name]))
		}
		for _, tool := range d.Tools {
			want := signatures[name][tool.Name]
			names, required := tool.Parameters()
			got := slices.Clone(names[:required])
			slices.Sort(got)
			slices.Sort(want.Required)
			slices.Sort(names)
			slices.Sort(want.All)
			if !slices.Equal(got, want.Required) || !slices.Equal(names, want.All) || tool.run.HasKwargs() != want.Surplus {
				t.Errorf("%s: %s takes %v of %v, surplus %v; want %+v", name, tool.Name, got, names, tool.run.HasKwargs(), want)
			}
		}
	}
}
