package template_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/slicewright/slicewright/driver/template"
	"github.com/slicewright/slicewright/internal/nettest"
	"github.com/slicewright/slicewright/publish"
)

// A real nginx takes the shipped template, with backends and without, and keeps
// the last good content when a broken one is rendered.
func TestNginxFollows(t *testing.T) {
	program, err := exec.LookPath("nginx")
	if err != nil {
		t.Fatal("nginx is not installed: run `make deps`")
	}
	dir := t.TempDir()
	backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "from the backend") }))
	defer backend.Close()
	address := nettest.FreeAddress(t)
	main := filepath.Join(dir, "nginx.conf")
	write(t, main, strings.NewReplacer("DIR", dir, "ADDRESS", address).Replace(`
daemon off;
pid DIR/pid;
error_log DIR/error.log;
events {}
http {
  access_log off;
  client_body_temp_path DIR/body; proxy_temp_path DIR/proxy; fastcgi_temp_path DIR/fastcgi; uwsgi_temp_path DIR/uwsgi; scgi_temp_path DIR/scgi;
  include DIR/web.conf;
  server { listen ADDRESS; location / { proxy_pass http://web; } }
}
`))
	command := []string{program, "-c", main, "-p", dir, "-e", filepath.Join(dir, "error.log")}
	config := template.Config{
		Source: "builtin:nginx", Destination: filepath.Join(dir, "web.conf"),
		Check: append([]string{program}, append([]string{"-t"}, command[1:]...)...),
	}
	empty := publish.Desired{Upstream: "web"}
	if _, err := round(t, newDriver(t, config), empty); err != nil {
		t.Fatalf("nginx refuses an upstream without backends: %v", err)
	}

	server := exec.Command(command[0], command[1:]...)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = server.Process.Signal(os.Interrupt)
		_ = server.Wait()
	}()
	expect := func(status int, body string) {
		t.Helper()
		var last string
		for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
			got, text, err := get("http://" + address)
			if err == nil && got == status && strings.Contains(text, body) {
				return
			}
			last = fmt.Sprintf("%d %q %v", got, text, err)
		}
		t.Fatalf("nginx answers %s, want %d %q; its log:\n%s", last, status, body, contentOf(t, filepath.Join(dir, "error.log")))
	}
	expect(http.StatusBadGateway, "")

	config.Reload = append([]string{program, "-s", "reload"}, command[1:]...)
	d := newDriver(t, config)
	full := desiredAt(t, backend.Listener.Addr().String())
	if _, err := round(t, d, full); err != nil {
		t.Fatal(err)
	}
	expect(http.StatusOK, "from the backend")

	broken := filepath.Join(dir, "broken.tmpl")
	write(t, broken, "upstream {{.Upstream}} { serfer {{(index .Active 0).Endpoint}}; }\n")
	config.Source = broken
	if _, err := round(t, newDriver(t, config), full); err == nil || !strings.Contains(err.Error(), "serfer") {
		t.Errorf("nginx's own words are not in the error: %v", err)
	}
	if err := exec.Command(command[0], append([]string{"-t"}, command[1:]...)...).Run(); err != nil {
		t.Errorf("after a refused content nginx's configuration is broken: %v", err)
	}
	expect(http.StatusOK, "from the backend")

	config.Source = "builtin:nginx"
	if _, err := round(t, newDriver(t, config), empty); err != nil {
		t.Fatal(err)
	}
	expect(http.StatusBadGateway, "")
}

// desiredAt wants one backend, at an address that a slice could not have: the
// test's own server is on loopback.
func desiredAt(t *testing.T, address string) publish.Desired {
	t.Helper()
	d := desired(t, "10.0.0.1")
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Active[0].Addr.UnmarshalText([]byte(host)); err != nil {
		t.Fatal(err)
	}
	d.Active[0].Number = uint16(number)
	return d
}

func get(url string) (status int, body string, err error) {
	client := &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Get(url)
	if err != nil {
		return 0, "", err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	return response.StatusCode, string(data), err
}
