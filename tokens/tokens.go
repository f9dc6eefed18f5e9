// Package tokens counts the tokens of a text, and of a conversation under a
// model's chat template, exactly as the model's own tokenizer does.
//
// It reads the tokenizer.json of Hugging Face's tokenizers library as far as
// models that chat use it: byte-pair encoding over bytes (GPT-2, Llama 3, Qwen,
// DeepSeek, Mistral Nemo) or over characters with a fall-back to bytes (Llama 2,
// Gemma). What it does not know it refuses by name: there is no nearly right
// count. Built with -tags hftokenizers it asks that library itself, through
// daulet/tokenizers.
package tokens

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Tokenizer of one model. Its methods may be called from any goroutine.
type Tokenizer struct {
	Chat    *ChatTemplate
	SHA256  string // of the tokenizer.json
	encoder encoder
}

// encoder gives the tokens of a text, in which the names of special tokens
// stand for them. It adds none at the beginning or the end.
type encoder interface {
	encode(text string) ([]int, error)
}

// File names in a model's folder.
const (
	tokenizerFile = "tokenizer.json"
	configFile    = "tokenizer_config.json"
	templateFile  = "chat_template.jinja"
)

// Open reads a tokenizer.json, or the folder of a model that has one. The chat
// template is that of the folder; without one it is ChatML.
func Open(path string) (*Tokenizer, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	file, folder := path, filepath.Dir(path)
	if info.IsDir() {
		file, folder = filepath.Join(path, tokenizerFile), path
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s has no %s, want a tokenizer of Hugging Face's tokenizers library", path, tokenizerFile)
		}
	}
	e, err := openEncoder(file)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	chat, err := readChatTemplate(folder)
	if err != nil {
		return nil, err
	}
	return &Tokenizer{chat, hash(text), e}, nil
}

func hash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Encode returns the numbers of the tokens of a text, without those that a
// model puts around it.
func (t *Tokenizer) Encode(text string) ([]int, error) { return t.encoder.encode(text) }

// Count is the number of tokens of a text.
func (t *Tokenizer) Count(text string) (int, error) {
	ids, err := t.encoder.encode(text)
	return len(ids), err
}

// Asked is the number of tokens of a question, up to where the model begins to
// answer.
func (t *Tokenizer) Asked(question string) (int, error) {
	return t.Conversation(Conversation{Messages: []Message{{Role: "user", Content: question}}, Prompt: true})
}

// Answered is the number of tokens of a question with the longest of the
// answers.
func (t *Tokenizer) Answered(question string, answers ...string) (longest int, err error) {
	for _, text := range answers {
		n, err := t.Conversation(Conversation{Messages: []Message{{Role: "user", Content: question}, {Role: "assistant", Content: text}}})
		if err != nil {
			return 0, err
		}
		longest = max(longest, n)
	}
	return longest, nil
}

// Conversation is the number of tokens of a conversation under the model's chat
// template.
func (t *Tokenizer) Conversation(c Conversation) (int, error) {
	text, err := t.Chat.Render(c)
	if err != nil {
		return 0, err
	}
	return t.Count(text)
}
