package web_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// browser is a real Chromium, spoken to over two pipes. It has no network: what
// a page would load from elsewhere fails, and the tests see it.
type browser struct {
	t       *testing.T
	to      io.WriteCloser
	from    *bufio.Reader
	id      int
	session string
	// trouble is what the page logged or what it broke: errors, refused loads.
	trouble []string
	loaded  bool
}

func openBrowser(t *testing.T) *browser {
	t.Helper()
	path, err := findBrowser()
	if err != nil {
		t.Fatalf("%v: a real browser is needed, run 'make deps'", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	cmd := exec.CommandContext(ctx, path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars",
		"--user-data-dir="+t.TempDir(), "--remote-debugging-pipe", "about:blank")
	in, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	from, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.ExtraFiles = []*os.File{in, out} // 3 and 4
	cmd.Cancel = func() error { return cmd.Process.Kill() }
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	in.Close()
	out.Close()
	b := &browser{t: t, to: to, from: bufio.NewReader(from)}
	t.Cleanup(func() {
		b.session = ""
		_, _ = b.send("Browser.close", nil)
		to.Close()
		_ = cmd.Wait() // it was told to end; how it says goodbye is its own affair
		cancel()
		from.Close()
	})
	var target struct{ TargetID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	b.session = attached.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		b.call(domain+".enable", nil, nil)
	}
	return b
}

// findBrowser finds Chromium. Debian's is a script around the program; the
// script may not pass on the pipes' descriptors.
func findBrowser() (string, error) {
	for _, path := range []string{"/usr/lib/chromium/chromium", "/usr/lib64/chromium-browser/chromium-browser"} {
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("no chromium found")
}

// reply is an answer or an event.
type reply struct {
	ID     int             `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

func (b *browser) call(method string, params any, result any) {
	b.t.Helper()
	raw, err := b.send(method, params)
	if err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
	if result != nil {
		if err := json.Unmarshal(raw, result); err != nil {
			b.t.Fatalf("%s: %v", method, err)
		}
	}
}

func (b *browser) send(method string, params any) (json.RawMessage, error) {
	b.id++
	message := map[string]any{"id": b.id, "method": method}
	if params != nil {
		message["params"] = params
	}
	if b.session != "" {
		message["sessionId"] = b.session
	}
	text, err := json.Marshal(message)
	if err != nil {
		return nil, err
	}
	if _, err := b.to.Write(append(text, 0)); err != nil {
		return nil, err
	}
	for {
		r, err := b.read()
		switch {
		case err != nil:
			return nil, err
		case r.ID != b.id:
		case r.Error != nil:
			return nil, errors.New(r.Error.Message)
		default:
			return r.Result, nil
		}
	}
}

// read takes one message and notes what an event says.
func (b *browser) read() (reply, error) {
	var r reply
	text, err := b.from.ReadBytes(0)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(text[:len(text)-1], &r); err != nil {
		return r, err
	}
	switch r.Method {
	case "Runtime.exceptionThrown", "Log.entryAdded":
		b.trouble = append(b.trouble, r.Method+" "+string(r.Params))
	case "Runtime.consoleAPICalled":
		if strings.Contains(string(r.Params), `"type":"error"`) {
			b.trouble = append(b.trouble, r.Method+" "+string(r.Params))
		}
	case "Network.requestWillBeSent":
		var p struct{ Request struct{ URL string } }
		if json.Unmarshal(r.Params, &p) == nil && !strings.HasPrefix(p.Request.URL, "file:") {
			b.trouble = append(b.trouble, "request to "+p.Request.URL)
		}
	case "Page.loadEventFired":
		b.loaded = true
	}
	return r, nil
}

// open loads a file and waits until the page has drawn.
func (b *browser) open(path string) {
	b.t.Helper()
	b.loaded = false
	b.call("Page.navigate", map[string]any{"url": "file://" + path}, nil)
	for !b.loaded {
		if _, err := b.read(); err != nil {
			b.t.Fatal(err)
		}
	}
	b.settle()
}

// settle waits for two frames: one that the last change asked for, and its end.
func (b *browser) settle() {
	b.t.Helper()
	b.eval("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))", nil)
}

// eval runs an expression in the page.
func (b *browser) eval(expression string, result any) {
	b.t.Helper()
	var answer struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct{ Text string }
	}
	b.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}, &answer)
	if answer.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", expression, answer.ExceptionDetails.Text)
	}
	if result == nil {
		return
	}
	if err := json.Unmarshal(answer.Result.Value, result); err != nil {
		b.t.Fatalf("%s: %v in %q", expression, err, answer.Result.Value)
	}
}

// press types one key.
func (b *browser) press(key string) {
	b.t.Helper()
	b.call("Input.dispatchKeyEvent", map[string]any{"type": "keyDown", "key": key}, nil)
	b.call("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key}, nil)
	b.settle()
}

// screen sets the window's size and the colour scheme.
func (b *browser) screen(width, height int, scheme string) {
	b.t.Helper()
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}, nil)
	b.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
}

// picture saves what is seen where SCREENSHOTS names a folder.
func (b *browser) picture(name string) {
	b.t.Helper()
	folder := os.Getenv("SCREENSHOTS")
	if folder == "" {
		return
	}
	var shot struct{ Data string }
	b.call("Page.captureScreenshot", map[string]any{"format": "png"}, &shot)
	png, err := base64.StdEncoding.DecodeString(shot.Data)
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(fmt.Sprintf("%s/%s.png", folder, name), png, 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// quiet wants the page to be in no trouble since it was asked last.
func (b *browser) quiet(t *testing.T) {
	t.Helper()
	for _, trouble := range b.trouble {
		t.Errorf("the page is in trouble: %s", trouble)
	}
	b.trouble = nil
}

// count is how many elements a selector finds.
func (b *browser) count(selector string) int {
	b.t.Helper()
	var n int
	b.eval(fmt.Sprintf("document.querySelectorAll(%q).length", selector), &n)
	return n
}

// text is what is shown of the first element that a selector finds.
func (b *browser) text(selector string) string {
	b.t.Helper()
	var text string
	b.eval(fmt.Sprintf("document.querySelector(%q)?.innerText ?? ''", selector), &text)
	return text
}

// screen is a size and a scheme in which a page is looked at.
type screen struct {
	name          string
	width, height int
	scheme        string
}

// screens are those that pages are made for.
var screens = []screen{
	{"wide-light", 1280, 900, "light"},
	{"wide-dark", 1280, 900, "dark"},
	{"narrow-light", 390, 844, "light"},
	{"narrow-dark", 390, 844, "dark"},
}

// fits wants nothing to stick out of the screen.
func (b *browser) fits(t *testing.T, s screen) {
	t.Helper()
	var width int
	b.eval("document.documentElement.scrollWidth", &width)
	if width > s.width {
		t.Errorf("the page is %d pixels wide, the window %d", width, s.width)
	}
}

// reads opens a page that has no script and holds it to what all of those are: it
// shows what it is to say, fits, can be read in its colours and loads nothing.
func (b *browser) reads(t *testing.T, path, name string, s screen, says []string) {
	t.Helper()
	b.t = t
	b.screen(s.width, s.height, s.scheme)
	b.open(path)
	b.picture(name + "-" + s.name)
	body := b.text("body")
	for _, text := range says {
		if !strings.Contains(body, text) {
			t.Errorf("it does not show %q", text)
		}
	}
	b.fits(t, s)
	if n := b.count("script"); n != 0 {
		t.Errorf("%d scripts", n)
	}
	var low []string
	b.eval(contrasts, &low)
	for _, found := range low {
		t.Errorf("hard to read: %s", found)
	}
	b.quiet(t)
}

// contrasts lists texts that stand out from what is behind them by less than 4.5
// to 1, the measure of WCAG 2 AA.
const contrasts = `(() => {
	const light = (c) => { const [r, g, b] = c.match(/[\d.]+/g).map((v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
	const behind = (e) => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (!/, 0\)$/.test(c)) return c; } return "rgb(255, 255, 255)"; };
	return [...document.querySelectorAll("body *")].filter((e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim())).map((e) => {
		const a = light(getComputedStyle(e).color), b = light(behind(e));
		const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
		return ratio < 4.5 ? ratio.toFixed(2) + " " + e.className + " " + e.textContent.slice(0, 40) : "";
	}).filter((x) => x);
})()`
