package browsertest

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph/viewer"
)

// lit lists the agents that have a role in the drawing.
func (b *tab) lit(role string) []string {
	b.t.Helper()
	return eval[[]string](b, `[...document.querySelectorAll("#drawing .node.`+role+`")].map(n => n.querySelector("text").textContent)`)
}

// posts lists those that have a mark in the log.
func (b *tab) posts(mark string) []string {
	b.t.Helper()
	return eval[[]string](b, `[...document.querySelectorAll("#posts li.`+mark+` .id")].map(n => n.textContent)`)
}

// TestSlider: at each turn those who speak and hear light up, and the post shows.
func TestSlider(t *testing.T) {
	b := open(t, viewer.New(filled(t), nil))
	if b == nil {
		return
	}
	b.visit(link("meeting", "id", "panel", "step", "0"))
	b.see("#drawing svg")
	b.click("#first")
	require.Equal(t, "0", eval[string](b, `document.getElementById("turn").value`))
	require.Contains(t, b.text("#saying"), "1 post from outside")
	b.click("#next")
	require.Equal(t, []string{"chair"}, b.lit("speaks"))
	require.Equal(t, []string{"biologist", "chemist"}, b.lit("hears"))
	require.Equal(t, []string{"reader#0"}, b.posts("took"))
	require.Equal(t, []string{"chair#0", "chair#1"}, b.posts("made"))
	require.Equal(t, []string{"topics"}, eval[[]string](b, `[...document.querySelectorAll("#drawing .channel.lit text")].map(n => n.textContent)`))
	require.Contains(t, b.text("#saying"), "Turn 1 of")
	require.False(t, eval[bool](b, `document.getElementById("clear").checkVisibility()`), "nothing is chosen")
	b.press(kb.ArrowRight)
	require.NotEqual(t, []string{"chair"}, b.lit("speaks"))
	b.press(kb.ArrowLeft)
	b.focus("#turn")
	b.press(kb.End)
	require.True(t, eval[bool](b, `document.getElementById("next").disabled`))
	require.Equal(t, eval[string](b, `"#turn=" + document.getElementById("turn").max`), eval[string](b, "location.hash"))
}

// TestPost: a click on a post lights what it descends from and what it led to.
func TestPost(t *testing.T) {
	b := open(t, viewer.New(filled(t), nil))
	if b == nil {
		return
	}
	b.wear(looks()[0])
	b.visit(link("meeting", "id", "panel", "step", "0"))
	b.see("#drawing svg")
	b.click("#posts li:nth-child(2) button")
	require.Equal(t, []string{"chair#0"}, b.posts("picked"))
	require.Equal(t, []string{"reader#0"}, b.posts("cone"))
	require.Contains(t, b.posts("led"), "experts/biologist#1")
	require.NotContains(t, b.posts("led"), "chair#1")
	require.Contains(t, b.text("#detail"), "does yeast sleep at night")
	b.shoot("post light")
	b.press(kb.Escape)
	require.Empty(t, b.posts("picked"))
}

// TestAgent: a click on an agent shows what it heard and said.
func TestAgent(t *testing.T) {
	b := open(t, viewer.New(filled(t), nil))
	if b == nil {
		return
	}
	b.visit(link("meeting", "id", "panel", "step", "0"))
	b.see("#drawing svg")
	b.focus(`#drawing [aria-label="Agent chair"]`)
	b.press(kb.Enter)
	require.Equal(t, []string{"chair#0", "chair#1"}, b.posts("made"))
	require.Equal(t, []string{"reader#0"}, b.posts("led"))
	require.Contains(t, b.text("#detail"), "posts to topics")
}

// TestFirstSight: what the last turn took is in sight as soon as the page is there,
// though the log is longer than the screen.
func TestFirstSight(t *testing.T) {
	b := open(t, viewer.New(filled(t), nil))
	if b == nil {
		return
	}
	b.wear(looks()[0])
	b.visit(link("meeting", "id", "panel", "step", "0"))
	b.see("#drawing svg")
	require.True(t, eval[bool](b, `document.getElementById("posts").scrollHeight > document.getElementById("posts").clientHeight`))
	b.until(`(() => {
		const all = document.getElementById("posts").getBoundingClientRect(), one = document.querySelector("#posts .took").getBoundingClientRect();
		return one.top >= all.top && one.bottom <= all.bottom;
	})()`)
}

// TestDrawingIsWhole: no part of a drawing is outside of its frame.
func TestDrawingIsWhole(t *testing.T) {
	b := open(t, viewer.New(filled(t), nil))
	if b == nil {
		return
	}
	for _, l := range looks() {
		b.wear(l)
		for _, id := range []string{"panel", "desk"} {
			b.visit(link("meeting", "id", id, "step", "0"))
			b.see("#drawing svg")
			require.True(t, eval[bool](b, `(() => {
				const svg = document.querySelector("#drawing svg"), all = svg.viewBox.baseVal, own = svg.getBBox();
				return own.x >= all.x && own.y >= all.y && own.x + own.width <= all.x + all.width && own.y + own.height <= all.y + all.height;
			})()`), "%s, %s", id, l.name)
		}
	}
}

// TestMeetingOnAPhone: at each turn its speaker and its posts are in sight of the
// slider, though the drawing is higher than its frame and the log is far below.
func TestMeetingOnAPhone(t *testing.T) {
	b := open(t, viewer.New(filled(t), nil))
	if b == nil {
		return
	}
	b.wear(looks()[2])
	b.visit(link("meeting", "id", "panel", "step", "0"))
	b.see("#drawing svg")
	require.True(t, eval[bool](b, `document.getElementById("drawing").scrollHeight > document.getElementById("drawing").clientHeight`))
	within := `(() => {
		const all = document.getElementById("drawing").getBoundingClientRect(), one = document.querySelector("#drawing .node.speaks").getBoundingClientRect();
		return one.top >= all.top && one.bottom <= all.bottom;
	})()`
	b.focus("#turn")
	for _, key := range []string{kb.Home, kb.ArrowRight, kb.End} {
		b.press(key)
		if key != kb.Home {
			require.True(t, eval[bool](b, within), key)
		}
		want := append(b.posts("took"), b.posts("made")...)
		require.ElementsMatch(t, want, eval[[]string](b, `[...document.querySelectorAll("#now .id")].map(n => n.textContent)`))
		require.NotEmpty(t, want)
		require.True(t, eval[bool](b, `document.querySelector("#now li").checkVisibility()`))
	}
	b.shoot("meeting phone end")
	b.click("#now li:last-child button")
	require.Len(t, b.posts("picked"), 1)
	require.Zero(t, b.count("#now li"))
	require.Contains(t, b.text("#detail"), b.posts("picked")[0])
	require.Equal(t, "detail", eval[string](b, "document.activeElement.id"))
	b.wear(looks()[0])
	b.press(kb.Escape)
	require.False(t, eval[bool](b, `document.querySelector("#now li").checkVisibility()`), "the log is beside the drawing")
}
