// Package browsertest tries the pages of package viewer in Chromium.
package browsertest

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// patience is how long anything may take. It is long, for a machine with much to do.
const patience = 5 * time.Second

// tab is a page of a browser, and what it complained of.
type tab struct {
	t    *testing.T
	ctx  context.Context
	site string

	mu         sync.Mutex
	complaints []string
}

// open starts a browser with one tab that shows a handler. Without a browser, which
// may be only where there is no CI, it says so and returns nil.
func open(t *testing.T, pages http.Handler) *tab {
	program := browser()
	if program == "" {
		require.Empty(t, os.Getenv("CI"), "there is no Chromium, and CI is set")
		fmt.Fprintf(os.Stderr, "%s is left out: no Chromium\n", t.Name())
		return nil
	}
	server := httptest.NewServer(pages)
	t.Cleanup(server.Close)
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.Flag("disable-dev-shm-usage", true))
	ctx, end := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(end)
	b := &tab{t: t, site: server.URL}
	ctx, leave := chromedp.NewContext(ctx, chromedp.WithListener(b.listen))
	t.Cleanup(leave)
	_, err := chromedp.Call(ctx, log.Enable, cdp.Empty{}) // without a limit, for it starts the browser
	require.NoError(t, err)
	b.ctx = ctx
	t.Cleanup(func() { require.Empty(t, b.taken()) })
	return b
}

func browser() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// listen notes errors of scripts, what the policy forbade, and dialogs, of which the
// pages have none.
func (b *tab) listen(event any) {
	text := ""
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		text = e.ExceptionDetails.Text
	case *log.EventEntryAdded:
		text = e.Entry.Text
	case *page.EventJavascriptDialogOpening:
		text = "dialog: " + e.Message
	default:
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.complaints = append(b.complaints, text)
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	require.NoError(b.t, chromedp.Do(ctx, steps...))
}

func (b *tab) click(selector string) {
	b.t.Helper()
	b.do(chromedp.Click(chromedp.CSS(selector)))
}

// hover brings the mouse to the first element that fits.
func (b *tab) hover(selector string) {
	b.t.Helper()
	at := eval[[]float64](b, fmt.Sprintf(`(r => [r.x + 5, r.y + 5])(document.querySelector(%q).getBoundingClientRect())`, selector))
	b.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, at[0], at[1]))
}

func (b *tab) focus(selector string) {
	b.t.Helper()
	b.do(chromedp.Focus(chromedp.CSS(selector)))
}

func (b *tab) press(keys ...string) {
	b.t.Helper()
	for _, key := range keys {
		b.do(chromedp.KeyEvent(key))
	}
}

func (b *tab) write(selector, text string) {
	b.t.Helper()
	b.do(chromedp.SendKeys(chromedp.CSS(selector), text))
}

// see waits for the first element that fits.
func (b *tab) see(selector string) {
	b.t.Helper()
	b.do(chromedp.WaitVisible(chromedp.CSS(selector)))
}

func (b *tab) visit(target string) {
	b.t.Helper()
	b.do(chromedp.Navigate(b.site + "/" + target))
}

// eval returns what a script gives.
func eval[T any](b *tab, script string) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](script))
	require.NoError(b.t, err, script)
	return value
}

// text is that of the first element that fits.
func (b *tab) text(selector string) string {
	b.t.Helper()
	return eval[string](b, fmt.Sprintf("document.querySelector(%q).innerText", selector))
}

func (b *tab) count(selector string) int {
	b.t.Helper()
	return eval[int](b, fmt.Sprintf("document.querySelectorAll(%q).length", selector))
}

// until waits for a script to be true, on this page or one that comes after it.
func (b *tab) until(script string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	for {
		ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("Boolean("+script+")"))
		if err == nil && ok {
			return
		}
		require.NoError(b.t, ctx.Err(), "%s: %v", script, err)
		time.Sleep(10 * time.Millisecond)
	}
}

// look is a way to look at a page.
type look struct {
	name          string
	width, height int64
	scheme        string
}

func looks() []look {
	return []look{{"light", 1280, 800, "light"}, {"dark", 1280, 800, "dark"}, {"phone", 390, 844, "light"}}
}

// wear changes how the tab looks.
func (b *tab) wear(l look) {
	b.t.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: l.scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}})
	require.NoError(b.t, err)
	b.do(chromedp.EmulateViewport(l.width, l.height))
}

// shoot puts a picture of the page into the folder of screenshots, which is not kept.
func (b *tab) shoot(name string) {
	b.t.Helper()
	picture, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	require.NoError(b.t, err)
	require.NoError(b.t, os.MkdirAll("screenshots", 0o750))
	require.NoError(b.t, os.WriteFile(filepath.Join("screenshots", strings.ReplaceAll(name, " ", "-")+".png"), picture, 0o600))
}

// taken is what the page complained of, which is then as it should be.
func (b *tab) taken() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	text := strings.Join(b.complaints, "\n")
	b.complaints = nil
	return text
}
