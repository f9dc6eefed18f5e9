package run

import (
	"os"
	"strings"
	"testing"
	"time"
)

// drawn returns a Progress on a terminal of that width, and its clock.
func drawn(out *strings.Builder, label string, width int, color bool) (*Progress, *time.Time) {
	now := time.Unix(0, 0)
	return &Progress{label: label, out: out, color: color, width: func() int { return width }, now: func() time.Time { return now }}, &now
}

func TestProgressLine(t *testing.T) {
	tests := []struct {
		name    string
		label   string
		width   int
		color   bool
		done    int
		elapsed time.Duration
		want    string
	}{
		{"begin", "generate", 60, false, 0, 0, "generate ------------------------------   0% 0/8"},
		{"half", "generate", 60, false, 4, 2 * time.Second, "generate ==============--------------  50% 4/8 2/s ETA 0:02"},
		{"end", "generate", 60, false, 8, 75 * time.Second, "generate ========================= 100% 8/8 0.107/s in 1:15"},
		{"hours", "answer", 60, false, 1, time.Hour, "answer ==------------------  12% 1/8 0.000278/s ETA 7:00:00"},
		{"colour", "generate", 60, true, 4, 2 * time.Second, "generate \x1b[32m==============\x1b[0m--------------  50% 4/8 2/s ETA 0:02"},
		{"no place for a bar", "generate", 30, false, 4, 2 * time.Second, "generate  50% 4/8 2/s ETA 0:0"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var out strings.Builder
			p, now := drawn(&out, test.label, test.width, test.color)
			p.Start(8)
			out.Reset()
			*now = now.Add(test.elapsed)
			p.Add(test.done)
			p.Finish()
			lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\r\x1b[K")
			if got := lines[len(lines)-1]; got != test.want {
				t.Errorf("line after %d of 8 in %v:\n got %q\nwant %q", test.done, test.elapsed, got, test.want)
			}
		})
	}
}

func TestProgressTail(t *testing.T) {
	var out strings.Builder
	p, now := drawn(&out, "answer", 80, false)
	p.tail = func() string { return "120 tok/s 3.1 €" }
	p.Start(8)
	out.Reset()
	*now = now.Add(2 * time.Second)
	p.Add(4)
	p.Finish()
	if want := "answer ===============---------------  50% 4/8 2/s ETA 0:02 120 tok/s 3.1 €\n"; !strings.HasSuffix(out.String(), want) {
		t.Errorf("line is %q, want it to end in %q", out.String(), want)
	}
}

func TestProgressLineFits(t *testing.T) {
	for width := range 100 {
		var out strings.Builder
		p, now := drawn(&out, "générer", width, false)
		p.Start(7)
		*now = now.Add(time.Minute)
		p.Add(3)
		for _, line := range strings.Split(out.String(), "\r\x1b[K") {
			if n := len([]rune(line)); n > max(0, width-1) {
				t.Errorf("a line of %d characters on a terminal of %d: %q", n, width, line)
			}
		}
	}
}

func TestProgressRedrawsSeldom(t *testing.T) {
	var out strings.Builder
	p, now := drawn(&out, "x", 80, false)
	p.Start(1000)
	for range 1000 {
		*now = now.Add(time.Millisecond)
		p.Add(1)
	}
	p.Finish()
	if n := strings.Count(out.String(), "\r"); n != 12 {
		t.Errorf("1000 steps in a second drew %d lines, want 12", n)
	}
}

func TestProgressOnlyOnATerminal(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p := NewProgress(w, ProgressOptions{Label: "x"})
	p.Start(2)
	p.Add(1)
	p.Finish()
	w.Close()
	if n, _ := r.Read(make([]byte, 1)); n != 0 {
		t.Error("the bar is drawn in a pipe")
	}
	var none *Progress
	none.Start(1)
	none.Add(1)
	none.Finish()
}

func TestProgressHonoursNoColor(t *testing.T) {
	for value, want := range map[string]bool{"": true, "1": false} {
		t.Setenv("NO_COLOR", value)
		if got := NewProgress(os.Stderr, ProgressOptions{}).color; got != want {
			t.Errorf("colour is %v with NO_COLOR=%q, want %v", got, value, want)
		}
	}
}
