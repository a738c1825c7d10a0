package resumetest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/seed-a2b66b4f/agentgraph"
)

// ending is how a flow ended, and what it did on the way.
type ending struct {
	text     []byte // the result as JSON
	value    any    // and read back
	err      string
	appends  []int
	calls    int
	recorded map[string]int // how often each step ran whose outcome is in
}

// ending reads what a life returned.
func (l *life) ending(o outcome) (*ending, error) {
	text, err := json.Marshal(o.result)
	if err != nil {
		return nil, fmt.Errorf("the result is not JSON: %w", err)
	}
	e := &ending{text: text, err: errorText(o.err), appends: l.appends, calls: l.calls, recorded: l.recorded}
	in := json.NewDecoder(bytes.NewReader(text))
	in.UseNumber()
	if err := in.Decode(&e.value); err != nil {
		return nil, fmt.Errorf("the result is not JSON: %w", err)
	}
	return e, nil
}

// errorText is what is compared of an error: it does not say which attempt it was.
func errorText(err error) string {
	if err == nil {
		return ""
	}
	var step *agentgraph.StepError
	if !errors.As(err, &step) {
		return err.Error()
	}
	anyAttempt := *step
	anyAttempt.Attempt = 0
	return strings.Replace(err.Error(), step.Error(), anyAttempt.Error(), 1)
}

// differs tells where an ending is not as it should be.
func (e *ending) differs(want *ending) string {
	switch {
	case e.err != want.err:
		return fmt.Sprintf("the error is not that of a run without crashes\n got %q\nwant %q", e.err, want.err)
	case !reflect.DeepEqual(e.value, want.value):
		return fmt.Sprintf("the result is not that of a run without crashes\n got %s\nwant %s", e.text, want.text)
	}
	return ""
}

// repeats names the first step that ran too often.
func (e *ending) repeats(want *ending) string {
	for _, step := range slices.Sorted(maps.Keys(e.recorded)) {
		if got, most := e.recorded[step], want.recorded[step]; got > most {
			return fmt.Sprintf("step %q ran again though its outcome was in the journal\n got %d times\nwant %d", step, got, most)
		}
	}
	return ""
}
