// Install puts what tests run and this module does not hold, model servers,
// packages of Python and tokenizers, into the user's cache folder, where it is missing.
package main

import (
	"fmt"
	"os"

	"github.com/fmsop/fmsop/export/trainertest"
	"github.com/fmsop/fmsop/llm/llamacpptest"
	"github.com/fmsop/fmsop/llm/localserver"
	"github.com/fmsop/fmsop/llm/ollamatest"
	"github.com/fmsop/fmsop/rubric/scipytest"
	"github.com/fmsop/fmsop/tokens/hftest"
)

func main() {
	for _, p := range []localserver.Program{scipytest.Program, hftest.Program, llamacpptest.Program, ollamatest.Program, trainertest.Program,
		trainertest.Readers, trainertest.Bitsandbytes} {
		err := p.Install(func(folder string) {
			fmt.Fprintf(os.Stderr, "installing %s, once, into %s\n", p.Name, folder)
		})
		if err != nil {
			fmt.Fprintf(os.Stderr, "error: %v\n", err)
			os.Exit(1)
		}
	}
}
