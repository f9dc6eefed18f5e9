// Install puts what tests run and this module does not hold, model servers and
// packages of Python, into the user's cache folder, where it is missing.
package main

import (
	"fmt"
	"os"

	"github.com/fmsop/fmsop/llm/llamacpptest"
	"github.com/fmsop/fmsop/llm/localserver"
	"github.com/fmsop/fmsop/llm/ollamatest"
	"github.com/fmsop/fmsop/rubric/scipytest"
)

func main() {
	for _, p := range []localserver.Program{scipytest.Program, llamacpptest.Program, ollamatest.Program} {
		err := p.Install(func(folder string) {
			fmt.Fprintf(os.Stderr, "installing %s, once, into %s\n", p.Name, folder)
		})
		if err != nil {
			fmt.Fprintf(os.Stderr, "error: %v\n", err)
			os.Exit(1)
		}
	}
}
