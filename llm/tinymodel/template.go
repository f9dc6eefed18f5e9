package tinymodel

import (
	"encoding/json"
	"fmt"
)

// Template lays out a chat, in the languages of two servers: as ChatML, with
// the tools in a message of their own at the front, and calls of tools between
// <tool_call> tags.
type Template struct {
	Ollama string // text/template
	Jinja  string // of llama.cpp and others
}

// By its template a server takes a model for one that just replies, or for one
// that may think before, between <think> tags.
var (
	Plain = Template{
		Ollama: ollamaHead + `{{ .Content }}` + ollamaTail,
		Jinja:  jinjaHead + `{{ message.content }}` + jinjaTail,
	}
	Thinking = Template{
		Ollama: ollamaHead + `{{ if .Thinking }}<think>{{ .Thinking }}</think>{{ end }}{{ .Content }}` + ollamaTail,
		Jinja:  jinjaHead + `{% if message.reasoning_content %}<think>{{ message.reasoning_content }}</think>{% endif %}{{ message.content }}` + jinjaTail,
	}
)

const (
	ollamaHead = `{{- if .Tools }}<|im_start|>system
Tools:{{ range .Tools }}
{{ . }}{{ end }}<|im_end|>
{{ end }}
{{- range .Messages }}<|im_start|>{{ .Role }}
`
	ollamaTail = `
{{- if .ToolCalls }}{{ range .ToolCalls }}
<tool_call>
{"name": "{{ .Function.Name }}", "arguments": {{ .Function.Arguments }}}
</tool_call>{{ end }}{{ end }}<|im_end|>
{{ end }}<|im_start|>assistant
`
	jinjaHead = `{%- if tools %}<|im_start|>system
Tools:{% for tool in tools %}
{{ tool | tojson }}{% endfor %}<|im_end|>
{% endif %}
{%- for message in messages %}<|im_start|>{{ message.role }}
`
	jinjaTail = `
{%- for call in message.tool_calls %}
<tool_call>
{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}
</tool_call>
{%- endfor %}<|im_end|>
{% endfor %}
{%- if add_generation_prompt %}<|im_start|>assistant
{% endif %}`
)

// Call is the text by which a model calls a tool. Arguments are an object that
// can be put into JSON; a reply may make several calls.
func Call(name string, arguments any) string {
	object, err := json.Marshal(struct {
		Name      string `json:"name"` // grammars want it first
		Arguments any    `json:"arguments"`
	}{name, arguments})
	if err != nil {
		panic(fmt.Sprintf("tinymodel: arguments of %s: %v", name, err))
	}
	return fmt.Sprintf("<tool_call>\n%s\n</tool_call>", object)
}
