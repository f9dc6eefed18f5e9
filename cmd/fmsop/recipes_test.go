package main

import (
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// recipe FILE N runs the commands with which a recipe opens, generate with N
// groups a stage.
func recipe(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: recipe FILE N")
	}
	opening, _, _ := strings.Cut(ts.ReadFile(args[0]), "\n\n")
	commands := regexp.MustCompile(`(?m)^#   (.*)$`).FindAllStringSubmatch(opening, -1)
	if len(commands) == 0 || !strings.Contains(opening, "fmsop generate --config "+args[0]+" ") {
		ts.Fatalf("%s opens without the command that runs it", args[0])
	}
	for _, c := range commands {
		line := c[1]
		if strings.HasPrefix(line, "fmsop generate ") {
			line += " -q --groups " + args[1]
		}
		ts.Check(ts.Exec("sh", "-c", line))
	}
}
