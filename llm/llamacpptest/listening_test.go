package llamacpptest

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The address behind what the log has begun, on a line of its own, and not yet all
// there.
func TestListening(t *testing.T) {
	for _, printed := range []string{
		"0.00.035.070 address 127.0.0.1:38897\nI srv          init: model loaded\n",
		"0.00.029.550 I srv    load_model: initializing\naddress 127.0.0.1:38897\n",
	} {
		m := listening.FindStringSubmatch(printed)
		if assert.NotNil(t, m, printed) {
			assert.Equal(t, "127.0.0.1:38897", m[1])
		}
	}
	assert.Nil(t, listening.FindStringSubmatch("address 127.0.0.1:388"))
}
