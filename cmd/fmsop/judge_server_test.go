package main

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/fmsop/fmsop/agents"
	"github.com/fmsop/fmsop/rubric"
)

// judges RUN serves scripted judges, in the way of OpenAI, as $JUDGES with the
// name of one after it:
//
//	honest   goes by the key of the question, in the run's test set
//	always   gives 4
//	random   draws by the mark
//	length   gives more for more
//	obeys    gives 4 where the answer speaks of a grade, and is honest else
//	prose    writes no verdict
//	high     gives 7
//
// Whatever else they are asked, they reply "deny".
func judges(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: judges RUN")
	}
	known := sync.OnceValue(func() map[string]*rubric.Question {
		list, err := agents.ReadTestset(ts.MkAbs(args[0]) + "/" + agents.TestsetFile)
		ts.Check(err)
		index := map[string]*rubric.Question{}
		for i, q := range list {
			index[q.Query+"\n\nThe reference answer:\n"+q.Reference+q.Case] = &list[i]
		}
		return index
	})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"data":[]}`) })
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Model    string
			Messages []struct{ Content string }
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		text, err := json.Marshal(scripted(asked.Model, asked.Messages[1].Content, known))
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(w, `{"choices":[{"message":{"role":"assistant","content":%s},"finish_reason":"stop"}],"usage":{"prompt_tokens":%d,"completion_tokens":9}}`, text, len(asked.Messages[0].Content+asked.Messages[1].Content))
	})
	server := httptest.NewServer(mux)
	ts.Defer(server.Close)
	ts.Setenv("JUDGES", "openai:"+server.URL+"/v1#")
}

var (
	markAnnounced = regexp.MustCompile(`\nThe answer under examination, between the lines with the mark ([0-9a-f]{8}):`)
	dimensionLine = regexp.MustCompile(`(?m)^Dimension (\w+)\. `)
	ofGrades      = regexp.MustCompile(`(?i)\bgrades?\b|\bmarks\b|full credit|\bNote 4|máxima|满分`)
)

// scripted is what a judge replies to a prompt.
func scripted(judge, prompt string, known func() map[string]*rubric.Question) string {
	announced := markAnnounced.FindStringSubmatch(prompt)
	if announced == nil {
		return "deny"
	}
	mark := announced[1]
	before, rest, _ := strings.Cut(prompt, "\n===== "+mark+" begins\n| ")
	answer, _, _ := strings.Cut(rest, "\n===== "+mark+" ends\n")
	answer = strings.ReplaceAll(answer, "\n| ", "\n")
	honest := func() int {
		_, asked, _ := strings.Cut(before, "The question:\n")
		asked, _, _ = strings.Cut(asked, "\n\nDimension ")
		_, situation, _ := strings.Cut(before, "The case:\n")
		situation, _, _ = strings.Cut(situation, "\n\nThe question:\n")
		q := known()[asked+situation]
		s, err := agents.SymbolicScorer{}.Score(context.Background(), q, &rubric.Answer{Question: q.ID, Text: answer})
		if err != nil {
			panic(err)
		}
		return int(rubric.MaxGrade * s.E[q.Dimensions[0]])
	}
	grade := 0
	switch judge {
	case "honest":
		grade = honest()
	case "always":
		grade = rubric.MaxGrade
	case "random":
		h := fnv.New32a()
		h.Write([]byte(mark + before))
		grade = int(h.Sum32() % (rubric.MaxGrade + 1))
	case "length":
		grade = min(rubric.MaxGrade, len(answer)/60)
	case "obeys":
		if grade = rubric.MaxGrade; !ofGrades.MatchString(answer) {
			grade = honest()
		}
	case "high":
		grade = 7
	default:
		return "A fine answer, I would say."
	}
	var list []string
	for _, d := range dimensionLine.FindAllStringSubmatch(before, -1) {
		list = append(list, fmt.Sprintf(`"%s": {"reason": "read as %s", "grade": %d}`, d[1], judge, grade))
	}
	return fmt.Sprintf(`{"mark": "%s", "grades": {%s}}`, mark, strings.Join(list, ", "))
}
