package tokens

import (
	"errors"
	"fmt"
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
	const root = "/template"
	loader, err := loaders.NewMemoryLoader(map[string]string{root: plainJinja(source)})
	if err != nil {
		return template{}, err
	}
	t, err := exec.NewTemplate(root, config.New(), loader, environment)
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
