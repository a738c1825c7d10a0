package journal

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"

	"github.com/seed-a2b66b4f/agentgraph/internal/snapshot"
)

// Doing is a step with its input.
type Doing struct {
	Step  string // path
	Input snapshot.Map
	Also  []Digest
}

// Print is a key that is the same whenever the step is done again, and that of no
// turn: see [Taking.Print]. Sums of artifacts will not do, for each attempt has a key
// of its own for those. It costs O(artifacts).
func (d Doing) Print(runID string) string {
	hash := sha256.New() // writing to it does not fail
	text := func(s string) { _, _ = fmt.Fprintf(hash, "%d:%s", len(s), s) }
	text("step")
	text(runID)
	text(d.Step)
	_, _ = io.WriteString(hash, fmt.Sprintln(len(d.Also)))
	for _, a := range d.Also {
		text(a.Name)
		text(a.Text)
	}
	for name, value := range d.Input.All() {
		text(name)
		_, _ = hash.Write(value.Sum[:])
	}
	return base64.RawURLEncoding.EncodeToString(hash.Sum(nil)[:18])
}
