package report

import (
	"encoding/json"
	"io"
)

// JSON writes the summary as one indented object.
func JSON(w io.Writer, s *Summary) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(s)
}
