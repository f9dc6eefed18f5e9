package tokens

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/nikolalohinski/gonja/v2/builtins"
	"github.com/nikolalohinski/gonja/v2/config"
	"github.com/nikolalohinski/gonja/v2/exec"
	"github.com/nikolalohinski/gonja/v2/loaders"
)

// template is one in Jinja, with what the transformers library adds. It can
// reach no file.
type template struct{ *exec.Template }

func parseTemplate(source string) (template, error) {
	c := config.New()
	c.TrimBlocks, c.LeftStripBlocks = true, true
	const root = "/template"
	loader, err := loaders.NewMemoryLoader(map[string]string{root: plainJinja(source)})
	if err != nil {
		return template{}, err
	}
	t, err := exec.NewTemplate(root, c, loader, environment)
	if err != nil {
		return template{}, reason(err)
	}
	return template{t}, nil
}

var environment = &exec.Environment{
	Context: exec.EmptyContext().Update(builtins.GlobalFunctions).Update(builtins.GlobalVariables).Update(exec.NewContext(map[string]any{
		"raise_exception": func(message string) (string, error) { return "", errors.New(message) },
		"strftime_now":    strftime,
	})),
	Filters:           exec.NewFilterSet(map[string]exec.FilterFunction{}).Update(builtins.Filters).Update(exec.NewFilterSet(map[string]exec.FilterFunction{"tojson": toJSON, "items": items})),
	Tests:             builtins.Tests,
	ControlStructures: builtins.ControlStructures,
	Methods:           methods(),
}

// textMethods are the methods of texts that the library has.
var textMethods = strings.Fields(`capitalize casefold center count encode endswith expandtabs find format formatmap format_map
	index isalnum isalpha isascii isdecimal isdigit isidentifier islower isnumeric isprintable isspace istitle isupper join ljust
	lower lstrip maketrans partition removeprefix removesuffix rfind rindex rjust rpartition rsplit rstrip split splitlines
	startswith strip swapcase title translate upper zfill`)

// methods are those of the library, but for replace: it demands to know how
// many, what Python lets out.
func methods() exec.Methods {
	all, library := builtins.Methods, builtins.Methods.Str
	replace, _ := library.Get("replace")
	texts := map[string]exec.Method[string]{
		"replace": func(self string, value *exec.Value, arguments *exec.VarArgs) (any, error) {
			if len(arguments.Args) == 2 && len(arguments.KwArgs) == 0 {
				return strings.ReplaceAll(self, arguments.Args[0].String(), arguments.Args[1].String()), nil
			}
			return replace(self, value, arguments)
		},
	}
	for _, name := range textMethods {
		if m, ok := library.Get(name); ok {
			texts[name] = m
		}
	}
	all.Str = exec.NewMethodSet(texts)
	return all
}

// render executes the template. A panic of the library, on a template that
// divides by zero, is an error.
func (t template) render(data map[string]any) (text string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	if text, err = t.ExecuteToString(exec.NewContext(data)); err != nil {
		return "", reason(err)
	}
	return text, nil
}

// reason is the end of an error: before it the library repeats the template.
func reason(err error) error {
	const enough = 160
	text := []rune(strings.Join(strings.Fields(err.Error()), " "))
	if len(text) > enough {
		return errors.New("… " + string(text[len(text)-enough:]))
	}
	return errors.New(string(text))
}

// strftime tells the time that templates show. It stands still: the length of
// a text must not depend on the day, and that of a date hardly does.
func strftime(format string) string {
	return strings.NewReplacer("%d", "26", "%b", "Jul", "%B", "July", "%Y", "2024", "%y", "24", "%m", "07", "%A", "Friday", "%a", "Fri",
		"%H", "12", "%I", "12", "%M", "00", "%S", "00", "%p", "PM", "%%", "%").Replace(format)
}

// Tags that mark what a model generates: for training masks, not for the text.
var generation = regexp.MustCompile(`\{%(-?)\s*(end)?generation\s*(-?)%\}`)

// expressions are what stands in a template between its marks.
var expressions = regexp.MustCompile(`(?s)\{\{.*?\}\}|\{%.*?%\}`)

// plainJinja rewrites what the library does not know, or gets wrong. A condition
// in brackets, (A if C else B), becomes ((C) and [A] or [B])[0], which evaluates
// no more than it. An index from the end, x[-1], becomes x[-1:][0], since the
// library does not find the first item by it. The method items becomes a filter,
// which keeps the keys in their order.
func plainJinja(source string) string {
	source = generation.ReplaceAllStringFunc(source, func(tag string) string {
		m := generation.FindStringSubmatch(tag)
		if m[2] == "" {
			return "{%" + m[1] + " if true " + m[3] + "%}"
		}
		return "{%" + m[1] + " endif " + m[3] + "%}"
	})
	return expressions.ReplaceAllStringFunc(source, func(e string) string { return e[:2] + inBrackets(e[2:len(e)-2]) + e[len(e)-2:] })
}

var fromEnd = regexp.MustCompile(`^\[\s*-\d+\s*\]$`)

// inBrackets rewrites what stands in the brackets of an expression.
func inBrackets(e string) string {
	var b strings.Builder
	for i := 0; i < len(e); {
		switch e[i] {
		case '\'', '"':
			n := quoted(e[i:])
			b.WriteString(e[i : i+n])
			i += n
		case '(', '[', '{':
			n := bracketed(e[i:])
			inner := e[i+1 : i+n-1]
			if i > 0 && fromEnd.MatchString(e[i:i+n]) && strings.IndexByte(" ,(+~=<>|", e[i-1]) < 0 {
				b.WriteString("[" + inner + ":][0]")
				i += n
				continue
			}
			var parts []string
			for _, part := range splitTop(inner, ",") {
				parts = append(parts, condition(inBrackets(part)))
			}
			b.WriteString(e[i:i+1] + strings.Join(parts, ",") + e[i+n-1:i+n])
			i += n
		default:
			if method := ".items()"; strings.HasPrefix(e[i:], method) {
				b.WriteString("|items")
				i += len(method)
				continue
			}
			b.WriteByte(e[i])
			i++
		}
	}
	return b.String()
}

// condition rewrites A if C else B.
func condition(e string) string {
	parts := splitTop(e, " if ")
	if len(parts) < 2 {
		return e
	}
	rest := strings.Join(parts[1:], " if ")
	test, otherwise, ok := strings.Cut(rest, " else ")
	if cuts := splitTop(rest, " else "); ok {
		test, otherwise = cuts[0], strings.Join(cuts[1:], " else ")
	}
	if otherwise == "" {
		return e
	}
	return fmt.Sprintf("((%s) and [%s] or [%s])[0]", test, parts[0], condition(otherwise))
}

// splitTop splits where no quotes or brackets are open.
func splitTop(e, mark string) (parts []string) {
	start := 0
	for i := 0; i < len(e); {
		switch c := e[i]; {
		case c == '\'' || c == '"':
			i += quoted(e[i:])
		case strings.IndexByte("([{", c) >= 0:
			i += bracketed(e[i:])
		case strings.HasPrefix(e[i:], mark):
			parts = append(parts, e[start:i])
			i += len(mark)
			start = i
		default:
			i++
		}
	}
	return append(parts, e[start:])
}

// quoted is the length of the text in quotes that e begins with.
func quoted(e string) int {
	for i := 1; i < len(e); i++ {
		switch e[i] {
		case '\\':
			i++
		case e[0]:
			return i + 1
		}
	}
	return len(e)
}

// bracketed is the length of the brackets that e begins with. What is not
// closed is left to the library to complain about.
func bracketed(e string) int {
	depth := 0
	for i := 0; i < len(e); {
		switch c := e[i]; {
		case c == '\'' || c == '"':
			i += quoted(e[i:])
			continue
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0:
			depth--
		}
		if i++; depth == 0 {
			return i
		}
	}
	return len(e)
}
