package llm

import "unicode"

// leastTokens is a count that the prompt does not stay under with any common
// tokenizer: those of the byte-pair kind split the text into runs of letters,
// of digits and of other signs before they merge anything. A tenth is taken
// off for those that merge a sign with a letter. What an assistant said before
// is left out, as chat templates drop parts of it.
func leastTokens(r Request) int {
	runs := 0
	for _, m := range r.Messages {
		if m.Role != Assistant {
			runs += countRuns(m.Text)
		}
	}
	return runs - (runs+9)/10
}

func countRuns(s string) (runs int) {
	last := ' '
	for _, c := range s {
		class := c
		switch {
		case unicode.IsSpace(c):
			class = ' '
		case unicode.IsLetter(c) || unicode.IsMark(c):
			class = 'a'
		case unicode.IsNumber(c):
			class = '1'
		default:
			class = '.'
		}
		if class != last && class != ' ' {
			runs++
		}
		last = class
	}
	return runs
}

// likelyTokens is how many tokens to set aside for a prompt before a server
// has counted them.
func likelyTokens(r Request) int {
	size := 0
	for _, m := range r.Messages {
		size += len(m.Text)
	}
	for _, t := range r.Tools {
		size += len(t.Description) + len(t.Parameters)
	}
	return 1 + size/bytesPerToken
}

// LikelyTokens is about how many tokens a text is to a model. It is meant for
// planning: a server may count a quarter more, or fewer.
func LikelyTokens(text string) int { return 1 + len(text)/bytesPerToken }

// English and code have about four bytes a token.
const bytesPerToken = 4
