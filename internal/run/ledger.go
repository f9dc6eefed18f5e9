package run

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/gofrs/flock"
)

// Key names a piece of work by a hash of everything that its result depends on.
type Key [16]byte

// KeyOf hashes the JSON of v, in which the keys of a map are sorted.
func KeyOf(v any) (Key, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return Key{}, err
	}
	sum := sha256.Sum256(text)
	return Key(sum[:len(Key{})]), nil
}

func (k Key) String() string { return hex.EncodeToString(k[:]) }

// Ledger keeps results by their key in a file that only grows, so that a run
// that was killed does no work twice. The file has a line for each result,
//
//	{"key":"0f3c…","value":…}
//
// and the last line of a key counts. Memory holds 16 bytes a key and what a map
// adds to them. A nil Ledger keeps nothing. The methods may be called from any
// goroutine.
type Ledger struct {
	mutex  sync.Mutex
	file   *os.File
	lock   *flock.Flock
	index  map[uint64]int64 // the front of a key to where its line begins; Get compares the whole key
	end    int64
	faults int
	broken error
	synced time.Time
}

const (
	ledgerHead = `{"key":"`
	ledgerMid  = `","value":`
	headLength = len(ledgerHead) + 2*len(Key{}) + len(ledgerMid)
)

// syncEvery bounds what a power cut can take. A kill takes nothing that Put
// returned from.
const syncEvery = time.Second

// OpenLedger opens or creates the file. A last line that was cut is removed
// from it; that, and every line that is no entry, counts in Dropped. It fails
// where another process has the ledger open.
func OpenLedger(path string) (*Ledger, error) {
	lock := flock.New(path, flock.SetFlag(os.O_RDWR|os.O_CREATE), flock.SetPermissions(0o666))
	switch ok, err := lock.TryLock(); {
	case err != nil:
		return nil, err
	case !ok:
		return nil, fmt.Errorf("%s is in use by another run", path)
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, errors.Join(err, lock.Unlock())
	}
	l := &Ledger{file: file, lock: lock, index: map[uint64]int64{}, synced: time.Now()}
	if err := l.load(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, errors.Join(err, l.Close()))
	}
	return l, nil
}

// load reads the heads of all lines; a line may be longer than the buffer.
func (l *Ledger) load() error {
	r := bufio.NewReaderSize(l.file, 1<<16)
	var start int64 // of the line
	var key Key
	entry := false
	for at := int64(0); ; {
		part, err := r.ReadSlice('\n')
		if err != nil && err != bufio.ErrBufferFull && err != io.EOF {
			return err
		}
		if at == start {
			key, entry = parseHead(part)
		}
		at += int64(len(part))
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF:
			if l.end = start; at > start {
				l.faults++
			}
			return l.file.Truncate(l.end)
		case entry && bytes.HasSuffix(part, []byte("}\n")):
			l.index[front(key)] = start
		default:
			l.faults++
		}
		start = at
	}
}

func parseHead(line []byte) (k Key, ok bool) {
	if len(line) < headLength || string(line[:len(ledgerHead)]) != ledgerHead ||
		string(line[headLength-len(ledgerMid):headLength]) != ledgerMid {
		return k, false
	}
	_, err := hex.Decode(k[:], line[len(ledgerHead):headLength-len(ledgerMid)])
	return k, err == nil
}

func front(k Key) uint64 { return binary.BigEndian.Uint64(k[:]) }

// Get decodes the result of a key into v. It is false where there is none, or
// none that can be read, so that it has to be worked out again.
func (l *Ledger) Get(k Key, v any) (bool, error) {
	if l == nil {
		return false, nil
	}
	l.mutex.Lock()
	start, ok := l.index[front(k)]
	end := l.end
	l.mutex.Unlock()
	if !ok {
		return false, nil
	}
	line, err := bufio.NewReader(io.NewSectionReader(l.file, start, end-start)).ReadBytes('\n')
	if err != nil {
		return false, err
	}
	if found, ok := parseHead(line); !ok || found != k {
		return false, nil
	}
	if err := json.Unmarshal(line[headLength:len(line)-2], v); err != nil {
		l.mutex.Lock()
		defer l.mutex.Unlock()
		l.faults++
		delete(l.index, front(k))
		return false, nil
	}
	return true, nil
}

// Put adds a result. After an error the ledger takes no further ones.
func (l *Ledger) Put(k Key, v any) error {
	if l == nil {
		return nil
	}
	value, err := json.Marshal(v)
	if err != nil {
		return err
	}
	line := append([]byte(ledgerHead+k.String()+ledgerMid), value...)
	line = append(line, "}\n"...)

	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.broken != nil {
		return l.broken
	}
	if _, err := l.file.WriteAt(line, l.end); err != nil {
		l.broken = errors.Join(err, l.file.Truncate(l.end))
		return l.broken
	}
	l.index[front(k)] = l.end
	l.end += int64(len(line))
	if time.Since(l.synced) >= syncEvery {
		l.broken = l.file.Sync()
		l.synced = time.Now()
	}
	return l.broken
}

// Len is the number of keys that have a result.
func (l *Ledger) Len() int {
	if l == nil {
		return 0
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return len(l.index)
}

// Dropped counts the lines that could not be used.
func (l *Ledger) Dropped() int {
	if l == nil {
		return 0
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.faults
}

// Close makes sure that all is on the disk.
func (l *Ledger) Close() error {
	if l == nil {
		return nil
	}
	return errors.Join(l.file.Sync(), l.file.Close(), l.lock.Unlock())
}
