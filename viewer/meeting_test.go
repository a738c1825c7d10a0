package viewer

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/viewer/internal/sample"
)

func meetingOf(t *testing.T, h http.Handler, target string) meetingData {
	var d meetingData
	require.NoError(t, json.Unmarshal([]byte(body(t, h, target)), &d))
	return d
}

func TestMeeting(t *testing.T) {
	h := New(filled(t), nil)
	page := body(t, h, "/run?id=panel")
	links := hrefs(page, "meeting?")
	require.NotEmpty(t, links)
	page = body(t, h, "/"+links[0])
	d := meetingOf(t, h, "/"+hrefs(page, "meeting.json?")[0])
	var names, labels []string
	for _, n := range d.Nodes {
		names, labels = append(names, n.Name), append(labels, n.Label)
	}
	require.Equal(t, []string{"chair", "critic", "editor", "experts", "experts/biologist", "experts/chemist", "experts/lead"}, names)
	require.Equal(t, []string{"chair", "critic", "editor", "experts", "biologist", "chemist", "lead"}, labels)
	require.Equal(t, 3, d.Nodes[4].Parent)
	require.Equal(t, -1, d.Nodes[3].Parent)
	require.Equal(t, 1, d.Inputs)
	require.Equal(t, "reader#0", d.Posts[0].ID)
	require.Equal(t, -1, d.Posts[0].Author)
	require.Equal(t, []int{0, 1, 2, 4, 5, 6}, d.Posts[0].Heard)
	require.Equal(t, turnData{Agent: 0, Took: 0, Made: []int{1, 2}, End: 3, At: d.Turns[0].At}, d.Turns[0])
	require.Equal(t, "chair#0", d.Posts[1].ID)
	require.Equal(t, []int{4, 5}, d.Posts[1].Heard)
	require.Equal(t, []int{0}, d.Posts[1].Thread)
	require.Equal(t, 0, d.Posts[1].Turn)
	require.Equal(t, len(d.Posts), d.Turns[len(d.Turns)-1].End)
	require.Empty(t, d.Waiting)
}

func TestMeetingWithSeat(t *testing.T) {
	store := filled(t)
	h := New(store, nil)
	d := meetingOf(t, h, "/meeting.json?id=desk&step=0")
	require.Len(t, d.Waiting, 1)
	require.Equal(t, "anna", d.Nodes[d.Waiting[0].Seat].Name)
	for _, p := range d.Waiting[0].Posts {
		require.Contains(t, d.Posts[p].Heard, d.Waiting[0].Seat)
	}
	before := len(d.Posts)
	require.NoError(t, agentgraph.AnswerSeat(context.Background(), store, "desk", "talk", "anna", agentgraph.Post[string]{Body: "It fell in 1911."}))
	require.NoError(t, sample.Desk(context.Background(), store))
	seat := d.Waiting[0].Seat
	d = meetingOf(t, h, "/meeting.json?id=desk&step=0")
	require.Equal(t, seat, d.Posts[before].Author)
	require.Equal(t, turnData{Agent: seat, Seat: true, Took: -1, Made: []int{before}, End: before + 1}, d.Turns[d.Posts[before].Turn])
	require.Equal(t, "It fell in 1911.", d.Posts[before].Text)
}

func TestMeetingMissing(t *testing.T) {
	h := New(filled(t), nil)
	for _, target := range []string{"/meeting?id=order&step=0", "/meeting?id=panel&step=7", "/meeting?id=panel&step=0&attempt=2", "/meeting?id=nobody&step=0", "/post?id=panel&step=0&n=999", "/post?id=panel&step=0"} {
		require.Equal(t, http.StatusNotFound, get(h, target).Code, target)
	}
}

func TestPost(t *testing.T) {
	h := New(filled(t), nil)
	w := get(h, "/post?id=panel&step=0&n=1")
	require.Equal(t, `"does yeast sleep at night"`, w.Body.String())
	require.Equal(t, `attachment; filename=reader_0.json`, w.Header().Get("Content-Disposition"))
	require.JSONEq(t, `{"text":"\"does yeast sleep at night\"","cut":false,"size":"27 bytes"}`, body(t, h, "/post?id=panel&step=0&n=1&show=1"))
}

// TestTextOf: the beginning of a long text is that of all of it, wherever it is cut.
func TestTextOf(t *testing.T) {
	for _, c := range []string{"a", "ä", "日", `"`, "\\", "\n", "\u2028", "\U0001f600", `\u0041`, "\x00"} {
		for pad := range 20 {
			for _, n := range []int{1, preview, preview * 10, preview * 100} {
				text := strings.Repeat("x", pad) + strings.Repeat(c, n)
				raw, err := json.Marshal(text)
				require.NoError(t, err)
				got := textOf(raw)
				whole := cutText(text, preview)
				require.Equal(t, whole, cutText(got, preview))
				require.Equal(t, len(whole) < len(text), len(whole) < len(got))
				require.Less(t, len(got), 20*preview)
				escaped := strings.Repeat(`\ud83d\ude00`, n)
				got = textOf(json.RawMessage(`"` + strings.Repeat("x", pad) + escaped + `"`))
				require.Equal(t, cutText(strings.Repeat("x", pad)+strings.Repeat("\U0001f600", n), preview), cutText(got, preview))
			}
		}
	}
	require.Equal(t, "[1]", textOf(json.RawMessage("[1]")))
	require.Greater(t, len(textOf(json.RawMessage("["+strings.Repeat("1,", 99_999)+"1]"))), preview)
}
