package llm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// openaiModel is an entry of the list of models, with what some servers add.
type openaiModel struct {
	ID            string `json:"id"`
	OwnedBy       string `json:"owned_by"`
	MaxModelLen   int    `json:"max_model_len"`  // vLLM
	ContextLength int    `json:"context_length"` // OpenRouter and others
	Meta          struct {
		Trained int `json:"n_ctx_train"` // llama.cpp
	} `json:"meta"`
}

func (o *openai) check(ctx context.Context, c *Check) {
	var list struct {
		Data []openaiModel `json:"data"`
	}
	err := o.get(ctx, "models", &list)
	if errors.Is(err, Unreachable) || errors.Is(err, Denied) || errors.Is(err, Timeout) {
		c.failed(err)
		c.Reachable = !errors.Is(err, Unreachable)
		c.Advice = o.advice(err)
		return
	}
	c.Reachable = true
	if i := slices.IndexFunc(list.Data, func(m openaiModel) bool { return m.ID == o.model }); i >= 0 {
		m := list.Data[i]
		c.Version = m.OwnedBy
		c.Context = max(m.MaxModelLen, m.ContextLength, m.Meta.Trained)
		c.ContextNow = max(m.MaxModelLen, m.ContextLength)
	}
	if err := c.probe(ctx, o, ""); c.failed(err) {
		c.Advice = o.advice(err)
		if errors.Is(err, NoModel) && len(list.Data) > 0 {
			var names []string
			for _, m := range list.Data {
				names = append(names, m.ID)
			}
			c.Problem = fmt.Sprintf("it does not have %s; %s", o.model, others(o.model, names))
			c.Advice = fmt.Sprintf("openai:%s#%s", o.base, names[0])
		}
		return
	}
	q := Request{Messages: []Message{{Role: User, Text: "What is the weather in Rome?"}}, Tools: []Tool{probeTool}, Sampling: Sampling{MaxTokens: 64}}
	if _, err := o.chat(ctx, q); err == nil || errors.Is(err, BadRequest) {
		c.Tools = able(err == nil)
	}
	_, _, err = o.embed(ctx, []string{"a"})
	c.Embeddings = able(err == nil)
}

// advice is what may help against an error.
func (o *openai) advice(err error) string {
	problem, ok := errors.AsType[*Error](err)
	switch {
	case !ok:
		return ""
	case problem.Kind == Unreachable:
		return "is the server started, and the address right?"
	case problem.Kind == Denied && o.key == "":
		return "put the key into an environment variable and name that under key_variable"
	case problem.Kind == Denied:
		return "is the key in the environment variable right, and the account in order?"
	case problem.Kind == NoModel && !strings.HasSuffix(strings.TrimSuffix(o.base.Path, "/"), "/v1"):
		return fmt.Sprintf("is the address right? most end in /v1: openai:%s/v1#%s", strings.TrimSuffix(o.base.String(), "/"), o.model)
	}
	return ""
}
