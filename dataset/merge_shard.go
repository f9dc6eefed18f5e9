package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// ParseShard reads which part of a run a folder holds: "2/4" is the second of
// four.
func ParseShard(s string) (i, n int, err error) {
	first, second, _ := strings.Cut(s, "/")
	i, err = strconv.Atoi(first)
	if err == nil {
		n, err = strconv.Atoi(second)
	}
	if err != nil || i < 1 || i > n || s != fmt.Sprintf("%d/%d", i, n) {
		return 0, 0, fmt.Errorf("shard %s, want i/n with 1 ≤ i ≤ n", quote(s))
	}
	return i, n, nil
}

// shard is a folder to merge.
type shard struct {
	dir   string
	i, n  int
	files map[string]File

	paraphrased map[string]*Proposals
	tokens      splitTokens
}

// readShards reads the manifests of all shards of one run. It returns the
// shards in their order, and the manifest of one of them for what they have in
// common.
func readShards(dirs []string) ([]shard, Manifest, error) {
	var shards []shard
	var common Manifest
	var first map[string]json.RawMessage
	given := map[int]string{}
	for k, dir := range dirs {
		s, m, keys, err := readShard(dir)
		if err != nil {
			return nil, Manifest{}, err
		}
		if k == 0 {
			common, first = m, keys
		} else if err := sameRun(shards[0], s, first, keys); err != nil {
			return nil, Manifest{}, err
		}
		if other, twice := given[s.i]; twice {
			return nil, Manifest{}, fmt.Errorf("%s and %s are both shard %d/%d", other, dir, s.i, s.n)
		}
		given[s.i] = dir
		shards = append(shards, s)
	}
	if len(shards) == 0 {
		return nil, Manifest{}, errors.New("no shards to merge")
	}
	if err := complete(given, shards[0].n); err != nil {
		return nil, Manifest{}, err
	}
	slices.SortFunc(shards, func(a, b shard) int { return a.i - b.i })
	return shards, common, nil
}

// temporary is the name of a folder that Create has begun.
var temporary = regexp.MustCompile(`\.tmp-[0-9]+$`)

// readShard reads a manifest, also key by key, as it is written. Config and
// Lexicon keep the order of their keys: what encoding/json decodes them to
// would be written otherwise.
func readShard(dir string) (s shard, m Manifest, keys map[string]json.RawMessage, err error) {
	if temporary.MatchString(filepath.Base(dir)) {
		return s, m, nil, fmt.Errorf("%s is what a killed run left, no shard: remove it", dir)
	}
	m, data, err := readManifest(dir)
	if err != nil {
		return s, m, nil, err
	}
	path := filepath.Join(dir, ManifestFile)
	if m.Shard == "" {
		return s, m, nil, fmt.Errorf("%s: no shard, want a folder that was generated as one", path)
	}
	s = shard{dir: dir, files: m.Files, paraphrased: m.Paraphrased, tokens: m.TokenCounts}
	if s.i, s.n, err = ParseShard(m.Shard); err != nil {
		return s, m, nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, f := range outFiles(m.Stages) {
		if _, listed := m.Files[f.name]; !listed && !f.optional {
			return s, m, nil, fmt.Errorf("%s does not list %s", path, f.name)
		}
	}
	if m.Tokenizer != nil && !reflect.DeepEqual(splitTokens(m.TokenCounts).files(m.Stages), m.Tokens) {
		return s, m, nil, fmt.Errorf("%s: token_counts and tokens differ", path)
	}
	if err := sameTexts(&m); err != nil {
		return s, m, nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := json.Unmarshal(data, &keys); err != nil {
		return s, m, nil, fmt.Errorf("%s: %w", path, jsonError(err))
	}
	m.Config = keys["config"]
	if lexicon, there := keys["lexicon"]; there {
		m.Lexicon = lexicon
	}
	return s, m, keys, nil
}

// complete wants every shard of n.
func complete(given map[int]string, n int) error {
	missing := n - len(given)
	if missing == 0 {
		return nil
	}
	const spelt = 5
	var names []string
	for i := 1; len(names) < min(missing, spelt); i++ {
		if _, there := given[i]; !there {
			names = append(names, fmt.Sprintf("%d/%d", i, n))
		}
	}
	list := strings.Join(names, ", ")
	switch {
	case missing > spelt:
		return fmt.Errorf("shards %s and %d more are missing", list, missing-spelt)
	case missing > 1:
		return fmt.Errorf("shards %s are missing", list)
	}
	return fmt.Errorf("shard %s is missing", list)
}

// perShard are the keys of a manifest that shards of one run do not share.
var perShard = []string{"shard", "files", "counts", "lengths", "distinct", "overlap", "drops", "paraphrased", "tokens", "token_counts"}

// sameRun names the first difference between two shards that those of one run
// do not have.
func sameRun(a, b shard, first, other map[string]json.RawMessage) error {
	if a.n != b.n {
		return fmt.Errorf("%s is shard %d/%d, %s is %d/%d, want shards of one run", b.dir, b.i, b.n, a.dir, a.i, a.n)
	}
	for f := range reflect.TypeFor[Manifest]().Fields() {
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if slices.Contains(perShard, key) || bytes.Equal(first[key], other[key]) {
			continue
		}
		where, x, y := difference(key, decoded(first[key]), decoded(other[key]))
		if where != "" {
			return fmt.Errorf("%s has %s %s, %s has %s, want shards of one run", b.dir, where, shown(y), a.dir, shown(x))
		}
	}
	return nil
}

// absent stands for a value that is not there.
type absent struct{}

func decoded(raw json.RawMessage) any {
	v, err := decodeJSON(string(raw))
	if err != nil {
		return absent{}
	}
	return v
}

// difference returns the path of the first place where two JSON values differ
// and what is there; the path is empty where they do not.
func difference(path string, a, b any) (where string, x, y any) {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok {
			break
		}
		for _, key := range sortedUnion(a, b) {
			if where, x, y := difference(path+"."+key, valueOf(a, key), valueOf(b, key)); where != "" {
				return where, x, y
			}
		}
		return "", nil, nil
	case []any:
		b, ok := b.([]any)
		if !ok {
			break
		}
		for i := range max(len(a), len(b)) {
			if where, x, y := difference(fmt.Sprintf("%s[%d]", path, i), at(a, i), at(b, i)); where != "" {
				return where, x, y
			}
		}
		return "", nil, nil
	}
	if reflect.DeepEqual(a, b) {
		return "", nil, nil
	}
	return path, a, b
}

func sortedUnion(a, b map[string]any) []string {
	var keys []string
	for key := range a {
		keys = append(keys, key)
	}
	for key := range b {
		if _, both := a[key]; !both {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

func valueOf(m map[string]any, key string) any {
	if v, ok := m[key]; ok {
		return v
	}
	return absent{}
}

func at(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return absent{}
}

// shown writes a value for an error.
func shown(v any) string {
	switch v := v.(type) {
	case absent:
		return "none"
	case string:
		return quote(v)
	case map[string]any:
		return "an object"
	case []any:
		return "a list"
	case nil:
		return "null"
	}
	return fmt.Sprint(v)
}
