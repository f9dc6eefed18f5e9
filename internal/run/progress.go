package run

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// Progress draws one line with a bar, the rate and the time left. It is drawn
// only on a terminal, so that logs and pipes stay clean. A nil Progress draws
// nothing; the methods may be called from any goroutine.
type Progress struct {
	label string
	tail  func() string
	out   io.Writer // nil: draw nothing
	width func() int
	color bool
	now   func() time.Time

	mutex       sync.Mutex
	done, total int
	start, last time.Time
}

// ProgressOptions of NewProgress.
type ProgressOptions struct {
	Label string
	Quiet bool          // draw nothing, even on a terminal
	Tail  func() string // more to show after the time left; may be nil
}

const redraw = 100 * time.Millisecond

// NewProgress draws on out, usually os.Stderr. It has no colour where NO_COLOR
// is set, and draws nothing on a terminal that cannot go back in a line.
func NewProgress(out *os.File, o ProgressOptions) *Progress {
	p := &Progress{label: o.Label, tail: o.Tail, color: os.Getenv("NO_COLOR") == "", now: time.Now}
	fd := int(out.Fd())
	if o.Quiet || os.Getenv("TERM") == "dumb" || !term.IsTerminal(fd) {
		return p
	}
	p.out = out
	p.width = func() int {
		if w, _, err := term.GetSize(fd); err == nil && w > 0 {
			return w
		}
		return 80
	}
	return p
}

// Start sets the number of steps and begins to measure time.
func (p *Progress) Start(total int) {
	p.locked(func() {
		p.done, p.total, p.start, p.last = 0, total, p.now(), time.Time{}
		p.draw()
	})
}

// Add counts steps that are done.
func (p *Progress) Add(steps int) {
	p.locked(func() {
		p.done += steps
		if p.now().Sub(p.last) >= redraw {
			p.draw()
		}
	})
}

// Finish draws the last state and ends the line.
func (p *Progress) Finish() {
	p.locked(func() {
		p.draw()
		io.WriteString(p.out, "\n")
	})
}

func (p *Progress) locked(f func()) {
	if p == nil || p.out == nil {
		return
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	f()
}

func (p *Progress) draw() {
	p.last = p.now()
	// Back to the start of the line, and clear what is right of it.
	io.WriteString(p.out, "\r\x1b[K"+p.line())
}

// line is never wider than the terminal: a wrapped line could not be redrawn.
func (p *Progress) line() string {
	elapsed := p.last.Sub(p.start).Seconds()
	share := 1.0
	if p.total > 0 {
		share = min(1, float64(p.done)/float64(p.total))
	}
	tail := fmt.Sprintf(" %3.0f%% %d/%d", 100*share, p.done, p.total)
	if p.done > 0 && elapsed > 0 {
		rate := float64(p.done) / elapsed
		tail += fmt.Sprintf(" %.3g/s", rate)
		if left := float64(p.total-p.done) / rate; left > 0 {
			tail += " ETA " + clock(time.Duration(left*float64(time.Second)))
		} else {
			tail += " in " + clock(p.last.Sub(p.start))
		}
	}
	if p.tail != nil {
		if more := p.tail(); more != "" {
			tail += " " + more
		}
	}
	room := p.width() - 1 - len([]rune(p.label)) - 1 - len([]rune(tail))
	if room < 10 { // no place for a bar
		line := []rune(p.label + tail)
		return string(line[:min(len(line), max(0, p.width()-1))])
	}
	room = min(room, 30)
	full := int(share * float64(room))
	filled := strings.Repeat("=", full)
	if p.color {
		filled = "\x1b[32m" + filled + "\x1b[0m"
	}
	return p.label + " " + filled + strings.Repeat("-", room-full) + tail
}

// clock writes 75 s as 1:15 and an hour as 1:00:00.
func clock(d time.Duration) string {
	s := int(d.Round(time.Second).Seconds())
	if s < 3600 {
		return fmt.Sprintf("%d:%02d", s/60, s%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}
