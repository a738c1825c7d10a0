package shop

import "testing"

func TestSave(t *testing.T) {
	new(Cart).Save()
}
