package dataset

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Merge makes out from the folders of all shards of one run, given in any
// order: byte for byte the folder that the run makes without shards, if these
// were written with one compression. The shards are read, hashed and counted
// line by line, so that memory does not grow with them, and stay as they are.
// Shards that are missing, given twice, damaged or of different runs are
// refused; on any error, and when ctx ends, nothing is left behind. Of the
// options only Force counts.
func Merge(ctx context.Context, dirs []string, out string, o Options) (Manifest, error) {
	shards, common, err := readShards(dirs)
	if err != nil {
		return Manifest{}, err
	}
	for _, s := range shards {
		if sameFolder(s.dir, out) {
			return Manifest{}, fmt.Errorf("%s is one of the shards, want another folder for the whole", out)
		}
	}
	w, err := Create(out, Options{Force: o.Force, Stages: common.Stages})
	if err != nil {
		return Manifest{}, err
	}
	defer w.Abort()
	w.tokenizer = common.Tokenizer
	for _, s := range shards {
		w.tally.tokens.merge(s.tokens)
	}
	for _, f := range w.files {
		for _, s := range shards {
			if err := w.appendShard(ctx, f, s); err != nil {
				return Manifest{}, err
			}
		}
	}
	var paraphrased map[string]*Proposals
	if common.Paraphrase != nil {
		paraphrased = map[string]*Proposals{}
		for _, s := range shards {
			AddProposals(paraphrased, s.paraphrased)
		}
	}
	return w.Close(Info{
		Generator: common.Generator, Seed: common.Seed, Split: common.Split, Exposure: common.Exposure,
		Notes: common.Notes, Config: common.Config, Lexicon: common.Lexicon,
		Paraphrase: common.Paraphrase, Paraphrased: paraphrased, Author: common.Author, Authored: common.Authored,
	})
}

func sameFolder(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// appendShard appends the frames of the shard's file as they are, and counts
// what is in them.
func (w *Writer) appendShard(ctx context.Context, f *outFile, s shard) error {
	want, listed := s.files[f.name]
	if !listed {
		return nil // no rows of a kind that is rare
	}
	path := filepath.Join(s.dir, f.name)
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	var frames io.Reader = in
	if want.Rows > 0 { // the empty frame of a file without rows is left out, as in Batch.Seal
		if err := f.create(w.tmp); err != nil {
			return err
		}
		frames = io.TeeReader(in, f.buffered)
	}
	got, sum := File{}, sha256.New()
	plain := writerFunc(func(p []byte) {
		got.Bytes += int64(len(p))
		sum.Write(p)
		f.sum.Write(p)
	})
	for line, err := range lines(frames, path, plain) {
		if err == nil {
			got.Rows++
			err = w.count(f, path, line)
		}
		if err == nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			if writing := writeError(f); writing != nil {
				return writing
			}
			return err
		}
	}
	got.SHA256 = hex.EncodeToString(sum.Sum(nil))
	if got != want {
		return fmt.Errorf("%s has %d rows, %d bytes and sha256 %s, %s says %d, %d and %s",
			path, got.Rows, got.Bytes, got.SHA256, ManifestFile, want.Rows, want.Bytes, quote(want.SHA256))
	}
	f.rows += got.Rows
	f.bytes += got.Bytes
	return nil
}

// writeError is the error that an earlier write to the file met. The reader
// from which the writes were copied takes it for one of its own.
func writeError(f *outFile) error {
	if f.buffered == nil {
		return nil
	}
	_, err := f.buffered.Write(nil)
	return err
}

// count adds a line to the manifest's counts. Training rows are counted in
// the largest file, which has them all.
func (w *Writer) count(f *outFile, path string, line Line) (err error) {
	largest := trainFile(w.stages[len(w.stages)-1])
	switch {
	case f.name == DropsFile:
		var d Drop
		if d, err = ParseDrop(line.Text); err == nil {
			w.drops[d.Reason] += d.Count
		}
	case f.name == largest || !strings.HasPrefix(f.name, "train_"):
		var r Row
		if r, err = ParseRow(line.Text); err == nil {
			w.tally.add(&r)
		}
	}
	if err != nil {
		return &LineError{path, line.Number, err}
	}
	return nil
}
