package review

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/seed-a2b66b4f/agentgraph"
)

// A durable meeting keeps posts as JSON, so nothing may be lost on the way. And
// everything that was said led to the report.
func TestLog(t *testing.T) {
	roster, err := newRoster(team(), 0)
	if err != nil {
		t.Fatal(err)
	}
	log, err := roster.Run(t.Context(), Ask(Request{Paths: []string{"../testdata"}, All: true}))
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(log)
	if err != nil {
		t.Fatal(err)
	}
	var again []Post
	if err := json.Unmarshal(data, &again); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(again, log) {
		t.Error("the log is another after JSON")
	}
	if cone := agentgraph.Cone(log, log[len(log)-1].ID); len(cone) != len(log) {
		t.Errorf("the report descends from %d of %d posts", len(cone), len(log))
	}
}
