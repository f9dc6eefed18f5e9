package world

import (
	"math"
	"testing"

	"github.com/fmsop/fmsop/bench/python"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"
)

func TestEncode(t *testing.T) {
	const text = `{"z":[1,1.0,-0.5,1e+20,123456789012345678901234567890],"a":{"<b>":"ü\"\n\u2028😀"},"t":true,"n":null,"e":[],"o":{}}`
	v, err := Decode([]byte(text))
	require.NoError(t, err)
	out, err := Encode(v)
	require.NoError(t, err)
	assert.Equal(t, text, string(out))
	again, err := Decode(out)
	require.NoError(t, err)
	assert.True(t, python.Equal(v, again))

	pair, err := Encode(starlark.Tuple{starlark.True, starlark.NewDict(0)})
	require.NoError(t, err)
	assert.Equal(t, `[true,{}]`, string(pair))
	keyed := starlark.NewDict(1)
	require.NoError(t, keyed.SetKey(starlark.MakeInt(7), starlark.None))
	out, err = Encode(keyed)
	require.NoError(t, err)
	assert.Equal(t, `{"7":null}`, string(out))
	_, err = Encode(starlark.Float(math.Inf(1)))
	assert.EqualError(t, err, "+Inf is no number of JSON")
	_, err = Encode(starlark.NewList([]starlark.Value{starlark.NewBuiltin("f", nil)}))
	assert.EqualError(t, err, "a builtin_function_or_method has no JSON")
}
