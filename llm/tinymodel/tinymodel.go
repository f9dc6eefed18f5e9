// Package tinymodel makes language models of a few hundred kilobytes, for tests
// that talk to a real model server: Random says nonsense, a Script says what a
// test wants to hear. Both are GGUF files that llama.cpp and Ollama load in a
// fraction of a second, and both read any text, byte by byte.
package tinymodel

// contextLength is the longest prompt with its reply, in tokens.
const contextLength = 32768
