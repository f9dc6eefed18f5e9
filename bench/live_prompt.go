package bench

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"text/template"

	"github.com/fmsop/fmsop/bench/world"
	"github.com/fmsop/fmsop/llm"
	"github.com/fmsop/fmsop/sop"
	"github.com/fmsop/fmsop/sop/corpus"
	soptext "github.com/fmsop/fmsop/sop/text"
	"go.starlark.net/starlark"
)

//go:embed prompts
var promptFiles embed.FS

var prompts = template.Must(template.ParseFS(promptFiles, "prompts/*.txt"))

// PromptsVersion names the wording of all prompts: replies to another wording
// are not comparable.
var PromptsVersion = func() string {
	h := sha256.New()
	err := fs.WalkDir(promptFiles, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := promptFiles.ReadFile(path)
		h.Write(append([]byte(path+"\x00"), text...))
		return err
	})
	if err != nil {
		panic(err) // they are part of the program
	}
	return hex.EncodeToString(h.Sum(nil))[:8]
}()

func prompt(name string, data any) string {
	var b strings.Builder
	if err := prompts.ExecuteTemplate(&b, name+".txt", data); err != nil {
		panic(fmt.Sprintf("prompt %s: %v", name, err)) // wrong for any data
	}
	return strings.TrimSpace(b.String())
}

// Desk words an executable domain for agents.
type Desk struct {
	world  *world.Domain
	formal *sop.Domain
	types  map[string][]string // JSON Schemas of what a parameter was seen to be
	rules  map[string]string   // of a tool, with the domain's own thresholds
}

// NewDesk takes a domain by its name or folder. The types of parameters are
// those of the pack's examples and of what the users of the tasks know.
func NewDesk(name string, tasks []*Task) (*Desk, error) {
	w, err := world.Load(name)
	if err != nil {
		return nil, err
	}
	c, err := corpus.Load(name)
	if err != nil {
		return nil, err
	}
	d := &Desk{world: w, formal: c.Domain, types: map[string][]string{}, rules: map[string]string{}}
	for parameter, p := range c.Domain.Parameters {
		for _, example := range p.Examples {
			d.saw(parameter, schemaOf(example))
		}
		if v := c.Domain.Values[parameter]; v != nil && v.Stated {
			d.saw(parameter, `{"type":"number"}`)
		}
	}
	_, known := w.Example()
	d.sawAll(known)
	for _, t := range tasks {
		d.sawAll(t.known())
	}
	for _, t := range w.Tools {
		p := c.Domain.Procedure(t.Name)
		if action := c.Domain.Actions[t.Name]; p == nil && action != nil {
			p = &sop.Procedure{Goal: t.Name}
			if action.Requires != nil {
				p.Required = []*sop.Tree{action.Requires}
			}
		}
		if p == nil {
			continue // a tool that the pack says nothing about
		}
		v, err := c.Domain.Variant(p, sop.Choice{})
		if err != nil {
			return nil, err
		}
		d.rules[t.Name] = soptext.RenderRequirement(v)
	}
	return d, nil
}

func (d *Desk) saw(parameter, schema string) {
	if schema != "" && !slices.Contains(d.types[parameter], schema) {
		d.types[parameter] = append(d.types[parameter], schema)
		slices.Sort(d.types[parameter])
	}
}

func (d *Desk) sawAll(known *starlark.Dict) {
	if known == nil {
		return
	}
	for _, item := range known.Items() {
		name, _ := starlark.AsString(item[0])
		d.saw(name, schemaOf(goValue(item[1])))
	}
}

// schemaOf is the JSON Schema of the type of a value as YAML or JSON give it.
func schemaOf(v any) string {
	switch v := v.(type) {
	case string:
		return `{"type":"string"}`
	case bool:
		return `{"type":"boolean"}`
	case json.Number, int, int64, uint64, float64:
		return `{"type":"number"}`
	case []any:
		if len(v) == 0 {
			return "" // nobody knows of what
		}
		return `{"type":"array","items":` + schemaOf(v[0]) + `}`
	case map[string]any:
		var parts []string
		for _, key := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, inJSON(key)+":"+schemaOf(v[key]))
		}
		return `{"type":"object","properties":{` + strings.Join(parts, ",") + `}}`
	}
	return ""
}

func inJSON(s string) string {
	text, err := world.Encode(starlark.String(s))
	if err != nil {
		panic(err) // a text has JSON
	}
	return string(text)
}

// Open begins the conversation of a task: the prompt and the tools of one of
// ToolLists, without turns. Where the agent is to end it, Exit is offered.
func (d *Desk) Open(t *Task, list string, exits bool) (*Conversation, error) {
	c := &Conversation{Domain: d.world, Task: t}
	type ruled struct{ Tool, Text string }
	var rules []ruled
	var free []string
	for _, tool := range d.world.Tools {
		if !tool.Offered || d.formal.Actions[tool.Name] == nil || list == "oracle" && !t.mentions(tool.Name) {
			continue
		}
		offered, err := d.tool(tool)
		if err != nil {
			return nil, err
		}
		c.Tools = append(c.Tools, offered)
		text := d.rules[tool.Name]
		if tool.Name == t.Goal {
			v, err := t.variant(d.formal)
			if err != nil {
				return nil, err
			}
			text = soptext.RenderRequirement(v)
		}
		if text == "" {
			free = append(free, "`"+tool.Name+"`")
		} else {
			rules = append(rules, ruled{tool.Name, text})
		}
	}
	exit := ""
	if exits {
		exit = Exit
		c.Tools = append(c.Tools, llm.Tool{Name: Exit, Description: "End the conversation.", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)})
	}
	c.Prompt = prompt("agent", map[string]any{
		"Title": d.formal.Title, "Summary": strings.TrimSpace(d.formal.Summary), "Exit": exit, "Rules": rules, "Free": strings.Join(free, ", "),
	})
	return c, nil
}

// tool is how a tool is offered. What the pack does not declare of its
// arguments is left out.
func (d *Desk) tool(t *world.Tool) (llm.Tool, error) {
	names, least := t.Parameters()
	var properties, required []string
	for i, name := range names {
		p := d.formal.Parameters[name]
		if p == nil && i >= least {
			continue
		}
		properties = append(properties, inJSON(name)+":"+d.parameter(name))
		if i < least {
			required = append(required, inJSON(name))
		}
	}
	schema := `{"type":"object","properties":{` + strings.Join(properties, ",") + `}`
	if len(required) > 0 {
		schema += `,"required":[` + strings.Join(required, ",") + `]`
	}
	says := soptext.CallWords(d.formal, t.Name)
	if says != "" {
		says = strings.ToUpper(says[:1]) + says[1:] + "."
	}
	return llm.Tool{Name: t.Name, Description: says, Parameters: json.RawMessage(schema + "}")}, nil
}

// parameter is the JSON Schema of an argument.
func (d *Desk) parameter(name string) string {
	schema := ""
	switch types := d.types[name]; len(types) {
	case 0:
	case 1:
		schema = strings.TrimSuffix(strings.TrimPrefix(types[0], "{"), "}")
	default:
		schema = `"anyOf":[` + strings.Join(types, ",") + `]`
	}
	if p := d.formal.Parameters[name]; p != nil {
		if schema != "" {
			schema += ","
		}
		schema += `"description":` + inJSON(p.Label+": "+p.Noun)
	}
	return "{" + schema + "}"
}
