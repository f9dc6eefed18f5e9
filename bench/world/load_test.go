package world

import "testing"

func TestLoad(t *testing.T) {
	for _, name := range []string{"bank", "dmv"} {
		if _, err := Load(name); err != nil {
			t.Error(err)
		}
	}
}
