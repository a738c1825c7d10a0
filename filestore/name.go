package filestore

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

const (
	ending     = ".jsonl"
	tornEnding = ".torn"

	maxEscaped = 200 // leaves room for the endings in a file name of 255 bytes
	keptOfLong = 100
)

// fileName is the name of the file of a run. Small letters, digits, - and _ stand
// for themselves, every other byte is a percent sign and two digits: so no name
// has a dot or a slash, capitals meet no small letters, and no file system has two
// forms for one. A name that Windows takes for a device has its first letter
// escaped. A name too long is cut, and ends in a tilde, which no other has, and the
// SHA-256 of the ID.
func fileName(runID string) string {
	name := escape(runID)
	if len(name) > maxEscaped {
		sum := sha256.Sum256([]byte(runID))
		return name[:keptOfLong] + "~" + hex.EncodeToString(sum[:]) + ending
	}
	return name + ending
}

func escape(runID string) string {
	const digits = "0123456789abcdef"
	var b strings.Builder
	device := isDevice(runID)
	for i := range len(runID) {
		c := runID[i]
		if plain(c) && (i > 0 || !device) {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(digits[c>>4])
		b.WriteByte(digits[c&15])
	}
	return b.String()
}

func plain(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_'
}

// isDevice knows the devices of Windows that are made of plain bytes.
func isDevice(name string) bool {
	switch name {
	case "con", "prn", "aux", "nul":
		return true
	}
	port, found := strings.CutPrefix(name, "com")
	if !found {
		port, found = strings.CutPrefix(name, "lpt")
	}
	return found && len(port) == 1 && '0' <= port[0] && port[0] <= '9'
}
