// Command fmsop generates contrastive data from Standard Operating Procedures,
// proves it, shows it, and judges answers against it.
//
// main builds an app and runs it; each command is a file of its own: it
// parses, calls one function of a package, and prints. Only this package
// prints and exits.
package main

import (
	"context"
	"os"
)

func main() {
	a := &app{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr}
	os.Exit(a.run(context.Background(), os.Args[1:]))
}
