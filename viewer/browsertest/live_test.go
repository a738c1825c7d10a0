package browsertest

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/viewer"
	"github.com/seed-a2b66b4f/agentgraph/viewer/internal/sample"
)

// TestLive: an open page follows a run, and the list of runs, without being loaded
// again.
func TestLive(t *testing.T) {
	store := agentgraph.NewMemStore()
	b := open(t, viewer.New(store, nil))
	if b == nil {
		return
	}
	b.visit("")
	require.Contains(t, b.text("#main"), "There is no run in this store yet.")
	eval[any](b, "window.loaded = 1")
	proceed, ended := make(chan bool), make(chan error)
	go func() {
		_, err := agentgraph.NewResumable("slow", func(s *agentgraph.Step) error {
			for _, name := range []string{"a", "b", "c"} {
				if err := s.Step(name, func(*agentgraph.Step) error { return nil }); err != nil {
					return err
				}
				<-proceed
			}
			return nil
		}, &agentgraph.ResumableOptions{Store: store}).Run(context.Background(), "slow", nil)
		ended <- err
	}()
	b.until(`document.querySelector("table.runs .status.running") !== null`)
	require.Equal(t, 1, eval[int](b, "window.loaded"))
	b.visit(link("run", "id", "slow"))
	eval[any](b, "window.loaded = 2")
	b.until(`document.querySelectorAll("table.fall tbody tr").length === 1`)
	proceed <- true
	b.until(`document.querySelectorAll("table.fall tbody tr").length === 2`)
	proceed <- true
	b.until(`document.querySelectorAll("table.fall tbody tr").length === 3`)
	require.Equal(t, "running", b.text("#head .status"))
	proceed <- true
	b.until(`document.querySelector("#head .status").innerText === "finished"`)
	require.Equal(t, 2, eval[int](b, "window.loaded"))
	require.NoError(t, <-ended)
}

// TestAnswer: the form answers a seat's posts, and the open page of the meeting
// follows when it goes on.
func TestAnswer(t *testing.T) {
	store := filled(t)
	b := open(t, viewer.New(store, &viewer.Options{Answer: true}))
	if b == nil {
		return
	}
	b.visit("waiting")
	b.write(`article:has(a[href="run?id=desk"]) textarea`, "It fell in 1911.")
	b.click(`article:has(a[href="run?id=desk"]) button`)
	b.see(".notice")
	require.Equal(t, "Answered talk of desk. It goes on when the run is run again.", b.text(".notice"))
	open, err := agentgraph.Questions(context.Background(), store, "desk")
	require.NoError(t, err)
	require.Empty(t, open)
	b.visit("?status=answered")
	require.Equal(t, 1, b.count("table.runs tbody tr"))
	b.visit(link("meeting", "id", "desk", "step", "0", "attempt", "2"))
	require.Equal(t, "Not Found", b.text("h1"))
	require.Contains(t, b.taken(), "404")

	require.NoError(t, sample.Desk(context.Background(), store))
	b.visit(link("meeting", "id", "desk", "step", "0"))
	b.until(`document.querySelector("#posts") && document.querySelector("#posts").innerText.includes("It fell in 1911.")`)
}

// TestAnswerInJSON: what is written as JSON reaches the step as that.
func TestAnswerInJSON(t *testing.T) {
	ctx, store := context.Background(), agentgraph.NewMemStore()
	ask := func() (got json.RawMessage, err error) {
		_, err = agentgraph.NewResumable("r", func(s *agentgraph.Step) error {
			got, err = agentgraph.Ask[json.RawMessage](s, "limits", "Which limits?")
			return err
		}, &agentgraph.ResumableOptions{Store: store}).Run(ctx, "r", nil)
		return got, err
	}
	_, err := ask()
	require.ErrorIs(t, err, agentgraph.ErrWaiting)
	b := open(t, viewer.New(store, &viewer.Options{Answer: true}))
	if b == nil {
		return
	}
	b.visit("waiting")
	b.write("textarea", `{"low": 1}`)
	b.click("input[value=json]")
	b.click("form button")
	b.see(".notice")
	got, err := ask()
	require.NoError(t, err)
	require.JSONEq(t, `{"low":1}`, string(got))
}

// TestAnswerOfTheKindThatIsWanted: what is typed in the form as it comes reaches a step
// that asks for a boolean as one, and a text does not.
func TestAnswerOfTheKindThatIsWanted(t *testing.T) {
	ctx, store := context.Background(), agentgraph.NewMemStore()
	ask := func() (got bool, err error) {
		_, err = agentgraph.NewResumable("r", func(s *agentgraph.Step) error {
			got, err = agentgraph.Ask[bool](s, "ship", "Ship it?")
			return err
		}, &agentgraph.ResumableOptions{Store: store}).Run(ctx, "r", nil)
		return got, err
	}
	_, err := ask()
	require.ErrorIs(t, err, agentgraph.ErrWaiting)
	b := open(t, viewer.New(store, &viewer.Options{Answer: true}))
	if b == nil {
		return
	}
	b.visit("waiting")
	require.Equal(t, "Wanted: a boolean (true or false), in JSON", b.text("#w0"))
	b.write("textarea", "true")
	b.click("input[value=text]")
	b.click("form button")
	b.see(".alert")
	require.Equal(t, "No text can answer this: a boolean (true or false) is wanted. Write it in JSON, and choose JSON.", b.text(".alert"))
	require.Contains(t, b.taken(), "400")
	require.Equal(t, "true", eval[string](b, `document.querySelector("textarea").value`))
	require.True(t, eval[bool](b, `document.querySelector("input[value=json]").checked`))
	b.click("form button")
	b.see(".notice")
	got, err := ask()
	require.NoError(t, err)
	require.True(t, got)
}
