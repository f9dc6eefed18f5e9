package run

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

func key(t testing.TB, v any) Key {
	t.Helper()
	k, err := KeyOf(v)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func open(t testing.TB, path string) *Ledger {
	t.Helper()
	l, err := OpenLedger(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func keep(t testing.TB, l *Ledger, name, value string) {
	t.Helper()
	if err := l.Put(key(t, name), value); err != nil {
		t.Fatal(err)
	}
}

// get returns what the ledger holds under a name, or "none".
func get(t testing.TB, l *Ledger, name string) string {
	t.Helper()
	var value string
	switch ok, err := l.Get(key(t, name), &value); {
	case err != nil:
		t.Fatal(err)
	case !ok:
		return "none"
	}
	return value
}

func TestKeyOf(t *testing.T) {
	same := key(t, map[string]any{"b": 1, "a": []int{1, 2}})
	if again := key(t, map[string]any{"a": []int{1, 2}, "b": 1}); again != same {
		t.Errorf("the order of a map changes its key: %v, %v", same, again)
	}
	if other := key(t, map[string]any{"a": []int{2, 1}, "b": 1}); other == same {
		t.Error("two values have one key")
	}
	if _, err := KeyOf(func() {}); err == nil {
		t.Error("a function has a key")
	}
}

func TestLedgerFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.jsonl")
	l := open(t, path)
	keep(t, l, "a", "1 < 2\n")
	l.Close()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"key":"` + key(t, "a").String() + `","value":"1 \u003c 2\n"}` + "\n"; string(text) != want {
		t.Errorf("the file holds %q, want %q", text, want)
	}
}

// TestLedgerIsAMap closes, cuts and opens the ledger at random.
func TestLedgerIsAMap(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		path := filepath.Join(dir, fmt.Sprint(n))
		l := open(t, path)
		want := map[string]string{}
		for range rapid.IntRange(1, 15).Draw(rt, "steps") {
			name := rapid.StringMatching(`[a-d]`).Draw(rt, "name")
			switch rapid.IntRange(0, 5).Draw(rt, "step") {
			case 0, 1, 2:
				value := strings.Repeat(name, rapid.SampledFrom([]int{0, 1, 300, 70_000}).Draw(rt, "length")) + rapid.String().Draw(rt, "value")
				keep(t, l, name, value)
				want[name] = value
			case 3:
				l.Close()
				l = open(t, path)
			case 4: // killed in the middle of a line
				l.Close()
				whole, _ := os.ReadFile(path)
				torn := append(whole, `{"key":"`+key(t, name).String()+`","value":"never finis`...)
				if err := os.WriteFile(path, torn, 0o666); err != nil {
					t.Fatal(err)
				}
				if l = open(t, path); l.Dropped() != 1 {
					t.Fatalf("%d lines were dropped, want 1", l.Dropped())
				}
				if again, _ := os.ReadFile(path); !bytes.Equal(again, whole) {
					t.Fatal("the cut line is still in the file, or others are not")
				}
			}
			for _, name := range []string{"a", "b", "c", "d"} {
				value, ok := want[name]
				if !ok {
					value = "none"
				}
				if got := get(t, l, name); got != value {
					t.Fatalf("%s is %.40q, want %.40q", name, got, value)
				}
			}
		}
		l.Close()
	})
}

func TestLedgerEveryCutOfTheLastLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.jsonl")
	l := open(t, path)
	keep(t, l, "a", "one")
	keep(t, l, "b", "two")
	l.Close()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	first := bytes.IndexByte(whole, '\n') + 1
	for cut := first; cut < len(whole); cut++ {
		if err := os.WriteFile(path, whole[:cut], 0o666); err != nil {
			t.Fatal(err)
		}
		l := open(t, path)
		if a, b := get(t, l, "a"), get(t, l, "b"); a != "one" || b != "none" {
			t.Fatalf("cut at %d: a is %q and b %q, want one and none", cut, a, b)
		}
		if want := min(1, cut-first); l.Dropped() != want {
			t.Fatalf("cut at %d: %d lines dropped, want %d", cut, l.Dropped(), want)
		}
		keep(t, l, "b", "three")
		l.Close()
		if l = open(t, path); get(t, l, "b") != "three" || l.Dropped() != 0 {
			t.Fatalf("cut at %d: what was added then is lost", cut)
		}
		l.Close()
	}
}

func TestLedgerSkipsWhatIsNoEntry(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.jsonl")
	good := func(name string) string { return `{"key":"` + key(t, name).String() + `","value":"x"}` + "\n" }
	lines := "\n" + good("a") + "garbage\n" + strings.Replace(good("b"), `"x"`, `x`, 1) +
		strings.Replace(good("c"), "value", "valeu", 1) + strings.Repeat("long", 50_000) + "\n" + good("d")
	if err := os.WriteFile(path, []byte(lines), 0o666); err != nil {
		t.Fatal(err)
	}
	l := open(t, path)
	if l.Dropped() != 5-1 { // b looks like an entry until it is read
		t.Errorf("%d lines dropped, want 4", l.Dropped())
	}
	if got := get(t, l, "a") + get(t, l, "b") + get(t, l, "c") + get(t, l, "d"); got != "xnonenonex" {
		t.Errorf("the ledger holds %s", got)
	}
	if l.Dropped() != 5 {
		t.Errorf("%d lines dropped after reading, want 5", l.Dropped())
	}
}

func TestLedgerIsOfOneProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.jsonl")
	l := open(t, path)
	if _, err := OpenLedger(path); err == nil || err.Error() != path+" is in use by another run" {
		t.Errorf("a second OpenLedger = %v", err)
	}
	l.Close()
	open(t, path)
}

func TestLedgerNilKeepsNothing(t *testing.T) {
	var l *Ledger
	keep(t, l, "a", "1")
	if get(t, l, "a") != "none" || l.Len()+l.Dropped() != 0 || l.Close() != nil {
		t.Error("a nil ledger holds something")
	}
}

// TestLedgerSurvivesKill9 kills a process that writes without pause, and wants
// every entry that it said it had written.
func TestLedgerSurvivesKill9(t *testing.T) {
	if path := os.Getenv("FMSOP_LEDGER"); path != "" {
		l := open(t, path)
		for i := l.Len(); ; i++ {
			keep(t, l, fmt.Sprint(i), strings.Repeat("x", i%5000))
			fmt.Println(i)
		}
	}
	path := filepath.Join(t.TempDir(), "ledger.jsonl")
	said := 0
	for round := range 5 {
		child := exec.Command(os.Args[0], "-test.run=^TestLedgerSurvivesKill9$")
		child.Env = append(os.Environ(), "FMSOP_LEDGER="+path)
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for range 100 * (1 + round) {
			if !lines.Scan() {
				t.Fatalf("the writer ended by itself: %v", child.Wait())
			}
			if n, err := fmt.Sscan(lines.Text(), &said); n != 1 {
				t.Fatal(err)
			}
		}
		child.Process.Kill()
		child.Wait()
		l := open(t, path)
		for i := range said + 1 {
			if got := get(t, l, fmt.Sprint(i)); got != strings.Repeat("x", i%5000) {
				t.Fatalf("entry %d of %d is %.20q after the kill", i, said, got)
			}
		}
		l.Close()
	}
	if said < 1500-1 {
		t.Errorf("%d entries were written, want at least 1500", said+1)
	}
}

func TestLedgerFromManyGoroutines(t *testing.T) {
	l := open(t, filepath.Join(t.TempDir(), "ledger.jsonl"))
	var writers sync.WaitGroup
	for w := range 8 {
		writers.Go(func() {
			for i := range 100 {
				name := fmt.Sprint(w, i)
				keep(t, l, name, name)
				if got := get(t, l, name); got != name {
					t.Errorf("%s is %q", name, got)
				}
			}
		})
	}
	writers.Wait()
	if l.Len() != 800 {
		t.Errorf("the ledger holds %d keys, want 800", l.Len())
	}
}

// BenchmarkLedgerOpen reports the memory that a key takes.
func BenchmarkLedgerOpen(b *testing.B) {
	const n = 500_000
	path := filepath.Join(b.TempDir(), "ledger.jsonl")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	for i := range n {
		io.WriteString(f, `{"key":"`+key(b, i).String()+`","value":"`+strings.Repeat("x", 200)+"\"}\n")
	}
	f.Close()
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	for b.Loop() {
		before := heap()
		l, err := OpenLedger(path)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(heap()-before)/n, "B/key")
		l.Close()
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "keys/s")
}

// The lock is on the file itself: nothing is left beside it.
func TestLedgerLeavesNoOtherFile(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		l, err := OpenLedger(filepath.Join(dir, "ledger.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := OpenLedger(filepath.Join(dir, "ledger.jsonl")); err == nil {
			t.Error("a ledger that is open can be opened again")
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
		t.Errorf("beside the ledger there is something else: %v, %v", list, err)
	}
}
