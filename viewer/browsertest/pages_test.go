package browsertest

import (
	"context"
	"fmt"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/seed-a2b66b4f/agentgraph"
	"github.com/seed-a2b66b4f/agentgraph/viewer"
	"github.com/seed-a2b66b4f/agentgraph/viewer/internal/sample"
)

func filled(t *testing.T) agentgraph.Store {
	store := agentgraph.NewMemStore()
	require.NoError(t, sample.Fill(context.Background(), store))
	return store
}

func link(page string, pairs ...string) string {
	query := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		query.Set(pairs[i], pairs[i+1])
	}
	return page + "?" + query.Encode()
}

// TestPages: each page in each look is whole, no wider than the screen, and has what
// a screen reader needs.
func TestPages(t *testing.T) {
	b := open(t, viewer.New(filled(t), &viewer.Options{Answer: true}))
	if b == nil {
		return
	}
	pages := []struct{ name, target, ready, heading string }{
		{"runs", "", "table.runs", "Runs"},
		{"run", link("run", "id", "order", "attempt", "2", "step", "1"), "pre.diff", "Runs / order"},
		{"failed", link("run", "id", "ill"), "table.fall", "Runs / ill"},
		{"meeting", link("meeting", "id", "panel", "step", "0"), "#drawing svg", "Runs / panel / talk"},
		{"seat", link("meeting", "id", "desk", "step", "0"), "#drawing svg .waits", "Runs / desk / talk"},
		{"waiting", "waiting", "form", "Waiting"},
		{"cached", link("run", "id", "order", "attempt", "3", "step", "0"), "tr[aria-selected] .cached", "Runs / order"},
		{"picked", link("meeting", "id", "panel", "step", "0") + "#turn=2", "#drawing svg", "Runs / panel / talk"},
	}
	for _, l := range looks() {
		b.wear(l)
		for _, p := range pages {
			b.visit(p.target)
			b.see(p.ready)
			b.see("#live")
			switch p.name {
			case "cached": // another such row is below the mouse
				b.hover(`tr[data-place="1"]`)
				require.Equal(t, 1, b.count("tr:hover .status.cached"))
			case "picked":
				eval[any](b, `document.querySelector("#posts li:nth-child(2) button").click()`)
				require.NotZero(t, b.count("li.aside:not(.later)"))
				require.NotZero(t, b.count("li.aside.later"))
			}
			require.Equal(t, p.heading, b.text("h1"))
			require.LessOrEqual(t, eval[int](b, "document.documentElement.scrollWidth"), int(l.width), "%s, %s", p.name, l.name)
			require.Zero(t, eval[int](b, `[...document.querySelectorAll("a, button, input:not([type=hidden]), textarea, [role=button]")]
				.filter(e => !e.textContent.trim() && !e.getAttribute("aria-label") && !(e.labels && e.labels.length)).length`), "nameless in %s", p.name)
			require.Empty(t, eval[[]string](b, pale), "%s, %s", p.name, l.name)
			require.Empty(t, eval[[]string](b, faint), "%s, %s", p.name, l.name)
			b.shoot(p.name + " " + l.name)
		}
	}
}

// colours are functions of what is to be seen: the colour behind an element, that of a
// paint on it, also where it is translucent, and the contrast of two.
const colours = `
	const rgb = c => c.match(/[\d.]+/g).map(Number);
	const clear = c => c === "none" || rgb(c)[3] === 0;
	const behind = e => {
		for (; e; e = e.parentElement) {
			const c = getComputedStyle(e).backgroundColor;
			if (!clear(c)) return rgb(c);
			const plate = e.closest("svg") && [...e.parentElement.children].find(r => r !== e && r.tagName === "rect");
			if (plate && !clear(getComputedStyle(plate).fill)) return rgb(getComputedStyle(plate).fill);
		}
		return [255, 255, 255];
	};
	const opacity = e => { let o = 1; for (; e; e = e.parentElement) o *= getComputedStyle(e).opacity; return o; };
	const over = (paint, ground, o) => paint.slice(0, 3).map((v, i) => v * o + ground[i] * (1 - o));
	const light = c => { const [r, g, b] = c.slice(0, 3).map(v => { v /= 255; return v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; }); return .2126 * r + .7152 * g + .0722 * b; };
	const contrast = (e, paint, o) => {
		const ground = behind(e), [a, b] = [light(over(rgb(paint), ground, opacity(e) * o)), light(ground)].sort((x, y) => y - x);
		return (a + .05) / (b + .05);
	};
`

// pale finds texts with a contrast below 4.5 to what is behind them, but for buttons
// that cannot be pressed.
const pale = `(() => {` + colours + `
	const found = new Set();
	const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	for (let n = walk.nextNode(); n; n = walk.nextNode()) {
		const e = n.parentElement;
		if (!n.data.trim() || e.closest("button:disabled, noscript, title") || !e.checkVisibility()) continue;
		const c = contrast(e, e.closest("svg") ? getComputedStyle(e).fill : getComputedStyle(e).color, 1);
		if (c < 4.5) found.add(n.data.trim().slice(0, 30) + " " + c.toFixed(2));
	}
	return [...found];
})()`

// faint finds arrows and bars with a contrast below 3 to what is behind them.
const faint = `(() => {` + colours + `
	const found = new Set();
	for (const e of document.querySelectorAll(".edge path, .fall rect, .node rect")) {
		const s = getComputedStyle(e), ground = e.closest("g.node") ? e.closest("svg") : e;
		const paints = [[s.fill, s.fillOpacity], [s.stroke, s.strokeOpacity]].filter(([paint]) => !clear(paint));
		const c = Math.max(0, ...paints.map(([paint, o]) => contrast(ground, paint, +o)));
		if (c < 3) found.add((e.parentElement.className.baseVal || e.className.baseVal) + " " + c.toFixed(2));
	}
	return [...found];
})()`

// TestStep: a step is chosen by the mouse or by keys, and its panel shows in place.
func TestStep(t *testing.T) {
	b := open(t, viewer.New(filled(t), nil))
	if b == nil {
		return
	}
	b.visit(link("run", "id", "order", "attempt", "1"))
	require.Equal(t, "Attempt 1", b.text("#panel h2"))
	b.click(`tr[data-place="1"] a.step`)
	b.see("#panel .error")
	require.Contains(t, b.text("#panel"), "the price service does not answer")
	require.Contains(t, eval[string](b, "location.search"), "step=1")
	b.focus(`tr[data-place="0"] a.step`)
	b.press(kb.ArrowLeft)
	require.True(t, eval[bool](b, `document.querySelector('tr[data-place="0.0"]').hidden`))
	b.press(kb.ArrowRight)
	b.press(kb.ArrowDown)
	b.press(kb.Enter)
	b.until(`document.querySelector("#panel h2").innerText.startsWith("check stock")`)
	require.Equal(t, "panel", eval[string](b, "document.activeElement.id"))
	b.press(kb.Escape)
	require.Equal(t, "check stock", eval[string](b, "document.activeElement.innerText"))
}

// TestSearch: the keyboard finds the search and the runs.
func TestSearch(t *testing.T) {
	b := open(t, viewer.New(filled(t), nil))
	if b == nil {
		return
	}
	b.visit("")
	b.press("/")
	b.until(`document.activeElement.id === "q"`)
	b.until(`(document.activeElement.value = "") === ""`) // the driver types the key though the page refuses it
	b.press("IMPORT")
	b.press(kb.Enter)
	b.until(`location.search.includes("IMPORT") && document.readyState === "complete"`) // else keys meet a page without its script
	b.until(`document.querySelectorAll("table.runs tbody tr").length === 2`)
	for row := range 2 {
		b.press("j")
		b.until(fmt.Sprintf(`document.querySelectorAll("table.runs tbody tr")[%d].contains(document.activeElement)`, row))
	}
	b.press(kb.Enter)
	b.until(`location.pathname === "/run"`)
}

// TestHostile: names that are markup, that quote and that turn the direction of
// writing show as text everywhere. The tab itself notes what scripts do.
func TestHostile(t *testing.T) {
	b := open(t, viewer.New(filled(t), &viewer.Options{Answer: true}))
	if b == nil {
		return
	}
	b.wear(looks()[0])
	const shown = `<script>alert(1)</script>"'` + "`" + `&\u202eevil\u2066 ?#%2f/../x`
	marks := func() {
		t.Helper()
		require.False(t, eval[bool](b, `/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(document.documentElement.textContent)`), "a mark turns the direction of writing")
	}
	b.visit("")
	require.Contains(t, b.text("table.runs"), shown)
	marks()
	b.visit(link("run", "id", sample.Hostile, "step", "0"))
	b.see("pre.diff, .change")
	require.Contains(t, b.text("h1"), shown)
	require.Contains(t, b.text("#panel"), shown)
	marks()
	b.shoot("hostile run")
	b.click("a.tag")
	b.see("#drawing svg")
	require.Contains(t, b.text("#posts"), shown)
	require.Contains(t, b.text("#saying"), "b took")
	b.click("#posts li:last-child button")
	b.until(`document.querySelector("#detail pre") !== null`)
	b.until(`document.querySelector("#detail pre").textContent.includes("evil")`)
	marks()
	b.shoot("hostile meeting")
	b.visit("waiting")
	marks()
	b.shoot("hostile waiting")
	form := `document.querySelector("input[name=id][value^='%3Cscript']").form`
	eval[any](b, form+`.querySelector("textarea").value = "well"; `+form+`.querySelector("button").click()`)
	b.see(".notice")
	require.Contains(t, b.text(".notice"), shown)
	require.Zero(t, b.count("main script, body > script"))
}

// TestMuch: long lists are whole, and quick enough to be there at all.
func TestMuch(t *testing.T) {
	ctx, store := context.Background(), agentgraph.NewMemStore()
	require.NoError(t, sample.Steps(ctx, store, "long", 2000))
	require.NoError(t, sample.Copies(ctx, store, 10_000))
	b := open(t, viewer.New(store, nil))
	if b == nil {
		return
	}
	b.visit("")
	b.until(`document.querySelector(".pager").innerText.includes("1–50 of 10001")`) // at once, or as they are read
	b.click(".pager a[rel=next]")
	b.until(`document.querySelector(".pager").innerText.includes("51–100 of 10001")`)
	b.visit(link("run", "id", "long"))
	require.Equal(t, 2000, b.count("table.fall tbody tr"))
	b.click(`tr[data-place="1999"] a.step`)
	b.until(`document.querySelector("#panel h2").innerText.startsWith("step 1999")`)
}

// TestLongValue: of an artifact of 50 MB the panel shows the beginning, at once, with a
// link to all of it.
func TestLongValue(t *testing.T) {
	store := agentgraph.NewMemStore()
	_, err := agentgraph.NewResumable("long", func(s *agentgraph.Step) error {
		return s.Step("make", func(s *agentgraph.Step) error { s.Set("long", strings.Repeat("word ", 10_000_000)); return nil })
	}, &agentgraph.ResumableOptions{Store: store}).Run(context.Background(), "long", nil)
	require.NoError(t, err)
	pages := viewer.New(store, nil)
	b := open(t, pages)
	if b == nil {
		return
	}
	b.visit(link("run", "id", "long"))
	b.click(`tr[data-place="0"] a.step`)
	b.until(`document.querySelector("#panel h2").innerText.startsWith("make")`)
	require.Contains(t, b.text("#panel .change .cut"), "The beginning of 50 MB. Download")
	require.Less(t, eval[int](b, `document.documentElement.outerHTML.length`), 30_000)
	got := httptest.NewRecorder()
	pages.ServeHTTP(got, httptest.NewRequest("GET", "/"+eval[string](b, `document.querySelector("#panel .change a[download]").getAttribute("href")`), nil))
	require.Equal(t, 50_000_002, got.Body.Len(), "with its quotes")
}
