package llm

import "context"

type Check struct{}

func (o *ollama) check(ctx context.Context, c *Check) {}
func (o *openai) check(ctx context.Context, c *Check) {}
