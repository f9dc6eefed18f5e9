package tokens

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Message of a conversation, with the fields that chat templates read.
type Message struct {
	Role       string            `json:"role"`
	Content    string            `json:"content"`
	ToolCalls  []json.RawMessage `json:"tool_calls,omitempty"`
	ToolCallID string            `json:"tool_call_id,omitempty"`
	Name       string            `json:"name,omitempty"`
}

// Conversation is what a template lays out as one text.
type Conversation struct {
	Messages []Message         `json:"messages"`
	Tools    []json.RawMessage `json:"tools,omitempty"`
	// Prompt ends the text where the model begins its answer.
	Prompt bool `json:"-"`
}

// ChatTemplate lays a conversation out as the text that a model reads.
type ChatTemplate struct {
	Name     string // where it comes from
	SHA256   string // of its source and the special tokens
	template template
	special  map[string]any // bos_token and so on
}

// chatML is the template of a model that has none.
const chatML = `{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\n' + m['content'] + '<|im_end|>' + '\n' }}{% endfor %}` +
	`{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}`

// ChatML is the layout <|im_start|>role … <|im_end|>.
func ChatML() *ChatTemplate {
	t, err := NewChatTemplate("ChatML", chatML, nil)
	if err != nil {
		panic(err) // a program error
	}
	return t
}

// readChatTemplate looks into a model's folder.
func readChatTemplate(folder string) (*ChatTemplate, error) {
	special, source := map[string]any{}, ""
	path := filepath.Join(folder, configFile)
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	default:
		if special, source, err = readConfig(data); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	switch own, err := os.ReadFile(filepath.Join(folder, templateFile)); {
	case err == nil:
		path, source = filepath.Join(folder, templateFile), string(own)
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	if source == "" {
		return ChatML(), nil
	}
	return NewChatTemplate(path, source, special)
}

// readConfig takes the special tokens and the template from a
// tokenizer_config.json. Of several templates it takes the default.
func readConfig(data []byte) (special map[string]any, template string, err error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return nil, "", fmt.Errorf("is no JSON object: %w", err)
	}
	special = map[string]any{}
	for name, raw := range fields {
		if !strings.HasSuffix(name, "_token") {
			continue
		}
		var text string
		var token struct{ Content string }
		if json.Unmarshal(raw, &text) == nil {
			special[name] = text
		} else if json.Unmarshal(raw, &token) == nil {
			special[name] = token.Content
		}
	}
	raw, ok := fields["chat_template"]
	if !ok {
		return special, "", nil
	}
	if json.Unmarshal(raw, &template) == nil {
		return special, template, nil
	}
	var named []struct{ Name, Template string }
	if err := json.Unmarshal(raw, &named); err != nil {
		return nil, "", fmt.Errorf("chat_template is neither a text nor a list of named ones")
	}
	i := slices.IndexFunc(named, func(n struct{ Name, Template string }) bool { return n.Name == "default" })
	if i < 0 {
		return nil, "", fmt.Errorf("none of the chat templates is named default")
	}
	return special, named[i].Template, nil
}

// NewChatTemplate parses a template in Jinja, as the transformers library reads
// it. special are the names that it may use for tokens, such as bos_token.
func NewChatTemplate(name, source string, special map[string]any) (*ChatTemplate, error) {
	t, err := parseTemplate(source)
	if err != nil {
		return nil, fmt.Errorf("chat template %s: %w", name, err)
	}
	// The special tokens are strings and dictionaries of a JSON.
	names, err := json.Marshal(special)
	if err != nil {
		return nil, fmt.Errorf("chat template %s: %w", name, err)
	}
	return &ChatTemplate{name, hash(append([]byte(source), names...)), t, special}, nil
}

// Render lays a conversation out. The error is the template's own where it
// refuses the conversation.
func (t *ChatTemplate) Render(c Conversation) (string, error) {
	data := map[string]any{"add_generation_prompt": c.Prompt}
	var messages []any
	for _, m := range c.Messages {
		d, err := m.dict()
		if err != nil {
			return "", err
		}
		messages = append(messages, d)
	}
	data["messages"] = messages
	if len(c.Tools) > 0 {
		tools, err := plain(c.Tools)
		if err != nil {
			return "", err
		}
		data["tools"] = tools
	}
	maps.Copy(data, t.special)
	text, err := t.template.render(data)
	if err != nil {
		return "", fmt.Errorf("chat template %s: %w", t.Name, err)
	}
	return text, nil
}
