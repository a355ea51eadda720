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
