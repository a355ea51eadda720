package prometheus

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/slicewright/slicewright/app/internal/verify"
	"github.com/slicewright/slicewright/internal/nettest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const config = `
global: {scrape_interval: 200ms, scrape_timeout: 100ms}
scrape_configs:
- job_name: web
  file_sd_configs: [{files: [DIR/web.json]}]
- job_name: moved
  static_configs: [{targets: ["127.0.0.2:9"]}]
  relabel_configs: [{source_labels: [__address__], regex: "(.*):9", replacement: "$1:10", target_label: __address__}]
- job_name: dropped
  static_configs: [{targets: ["127.0.0.2:9"]}]
  relabel_configs: [{source_labels: [__address__], regex: ".*", action: drop}]
- job_name: none
  static_configs: [{targets: []}]
- job_name: host
  static_configs: [{targets: ["localhost:9"]}]
`

// A real Prometheus, with targets from a file that changes.
func TestRealPrometheus(t *testing.T) {
	program, err := exec.LookPath("prometheus")
	if err != nil {
		t.Fatal("prometheus is not installed: run `make deps`")
	}
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path+".new", path); err != nil {
			t.Fatal(err)
		}
	}
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "x 1") }))
	defer up.Close()
	alive := up.Listener.Addr().String()
	write("prometheus.yml", strings.ReplaceAll(config, "DIR", dir))
	write("web.json", `[{"targets": ["`+alive+`", "[::1]:9"]}]`)
	listen := nettest.FreeAddress(t)
	var log bytes.Buffer
	cmd := exec.Command(program, "--config.file="+filepath.Join(dir, "prometheus.yml"), "--storage.tsdb.path="+filepath.Join(dir, "data"), "--web.listen-address="+listen)
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := false
	end := func() {
		if !ended {
			ended = true
			_ = cmd.Process.Signal(syscall.SIGTERM)
			_ = cmd.Wait()
		}
	}
	defer end()

	job := func(name string) *Source {
		s, err := Parse("http://" + listen + "#" + name)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	view := func(name string) string {
		list, err := job(name).Members(t.Context())
		if err != nil {
			return "error: " + err.Error()
		}
		var words []string
		for _, m := range list {
			words = append(words, fmt.Sprintf("%s %s %d %d %s", m.Address, m.Use, m.Open, m.Total, m.Detail))
		}
		return strings.Join(words, "; ")
	}
	until := func(name string, done func(string) bool) {
		t.Helper()
		var last string
		for deadline := time.Now().Add(90 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
			last = view(name)
			// At no time before the job is known is its view empty.
			if name == "web" && last == "" {
				t.Fatal("empty while it has targets")
			}
			if done(last) {
				return
			}
		}
		end()
		t.Fatalf("job %s: last %s\n%s", name, last, log.String())
	}
	until("web", func(v string) bool {
		return strings.Contains(v, alive+" new -1 -1 up") && strings.Contains(v, "[::1]:9 new -1 -1 down: Get ")
	})
	moved := "127.0.0.2:9 new -1 -1 down, scraped at 127.0.0.2:10: "
	if version, err := exec.Command(program, "--version").CombinedOutput(); err != nil || strings.Contains(string(version), "version 2.42.0") {
		moved = "127.0.0.2:10 new -1 -1 down: " // its bug; see the package's documentation
	}
	until("moved", func(v string) bool { return strings.HasPrefix(v, moved) })
	until("none", func(v string) bool { return v == "" })
	until("dropped", func(v string) bool { return v == "" })
	until("host", func(v string) bool { return strings.Contains(v, `"localhost:9" is no IP address`) })
	if v := view("missing"); !strings.HasPrefix(v, "error: prometheus: job \"missing\": there is no such job") {
		t.Error(v)
	}
	write("web.json", `[{"targets": ["127.0.0.3:9"]}]`)
	until("web", func(v string) bool { return strings.HasPrefix(v, "127.0.0.3:9 ") && !strings.Contains(v, alive) })
	end()
	if v := view("web"); !strings.HasPrefix(v, "error") {
		t.Errorf("Prometheus is gone: %s", v)
	}
}

// What is not Prometheus, or an odd one.
func TestAnswersRefused(t *testing.T) {
	targets, pools := "", ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/prefix/api/v1/targets":
			fmt.Fprint(w, targets)
		case r.URL.Path == "/prefix/api/v1/scrape_pools" && pools != "":
			fmt.Fprint(w, pools)
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	s, err := Parse(server.URL + "/prefix/#web")
	if err != nil {
		t.Fatal(err)
	}
	one := func(address string) string {
		return `{"status":"success","data":{"activeTargets":[{"scrapePool":"web","discoveredLabels":{"__address__":"` + address + `"}}]}}`
	}
	const empty = `{"status":"success","data":{"activeTargets":[]}}`
	for _, tc := range []struct{ targets, pools, says string }{
		{"<html>", "", "not Prometheus' API"},
		{`{}`, "", `status ""`},
		{`{"status":"error","error":"no\u001b[2J"}`, "", `"no\x1b[2J"`},
		{`{"status":"success"}`, "", "unexpected end"},
		{`{"status":"success","data":null}`, "", "no activeTargets"},
		{`{"status":"success","data":{"activeTargets":null}}`, "", "no activeTargets"},
		{`{"status":"success","data":{"activeTargets":{}}}`, "", "cannot unmarshal"},
		{one("web:80"), "", "is no IP address"},
		{one(""), "", "is not ip:port"},
		{one("10.0.0.1:70000"), "", "is no IP address"},
		{empty, "", "before 2.42"},
		{empty, `{"status":"success","data":{"scrapePools":["other"]}}`, "no such job"},
		{strings.ReplaceAll(one("10.0.0.1:80"), "web", "other"), `{"status":"success","data":{"scrapePools":["other"]}}`, "no such job"},
		{empty, `{"status":"success","data":{"scrapePools":"web"}}`, "cannot unmarshal"},
	} {
		targets, pools = tc.targets, tc.pools
		if list, err := s.Members(t.Context()); err == nil || !strings.Contains(err.Error(), tc.says) || strings.ContainsAny(err.Error(), "\x1b\n") {
			t.Errorf("%s: %v, %v; want an error that says %s", tc.targets, list, err, tc.says)
		}
	}
	targets, pools = empty, `{"status":"success","data":{"scrapePools":["web"]}}`
	if list, err := s.Members(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
	for address, want := range map[string]string{"10.0.0.1": "10.0.0.1:0", "[2001:db8::1]": "[2001:db8::1]:0", "[2001:db8::1]:80": "[2001:db8::1]:80"} {
		targets = one(address)
		if list, err := s.Members(t.Context()); err != nil || len(list) != 1 || list[0].Address.String() != want || list[0].Use != verify.New {
			t.Errorf("%s: %v, %v", address, list, err)
		}
	}
}

func TestDetail(t *testing.T) {
	for _, tc := range []struct{ address, scraped, health, lastError, want string }{
		{"10.0.0.1:80", "http://10.0.0.1:80/metrics", "up", "", "up"},
		{"10.0.0.1", "http://10.0.0.1:80/metrics", "up", "", "up"},
		{"[2001:db8::1]", "https://[2001:db8::1]:443/metrics", "up", "", "up"},
		{"10.0.0.1:80", "http://10.0.0.1:9100/metrics", "up", "", "up, scraped at 10.0.0.1:9100"},
		{"10.0.0.1:80", "http://blackbox:9115/probe?target=x", "down", "no", "down, scraped at blackbox:9115: no"},
		{"10.0.0.1:80", "", "unknown", "", "unknown"},
	} {
		m, err := target{DiscoveredLabels: map[string]string{"__address__": tc.address}, ScrapeURL: tc.scraped, Health: tc.health, LastError: tc.lastError}.member()
		if err != nil || m.Detail != tc.want {
			t.Errorf("%+v: %q, %v", tc, m.Detail, err)
		}
	}
}

func TestParse(t *testing.T) {
	s, err := Parse("https://[::1]:9090/prometheus/#serviceMonitor/shop/web/0")
	if err != nil || s.Job != "serviceMonitor/shop/web/0" || s.URL.String() != "https://[::1]:9090/prometheus/" {
		t.Errorf("%+v, %v", s, err)
	}
	for _, rest := range []string{"", "127.0.0.1:9090#web", "http://127.0.0.1:9090", "http://127.0.0.1:9090#", "http://127.0.0.1:9090/?x=y#web"} {
		if s, err := Parse(rest); err == nil {
			t.Errorf("%q is taken: %+v", rest, s)
		}
	}
}

// FuzzTarget: any labels give a member with an address, or an error.
func FuzzTarget(f *testing.F) {
	f.Add("10.0.0.1:80", "http://10.0.0.1:80/metrics", "up", "")
	f.Add("[::1]", "http://[::1]:80/metrics", "down", "x\x1b")
	f.Fuzz(func(t *testing.T, address, scraped, health, lastError string) {
		m, err := target{DiscoveredLabels: map[string]string{"__address__": address}, ScrapeURL: scraped, Health: health, LastError: lastError}.member()
		if err == nil && (!m.Address.IsValid() || m.Use != verify.New) {
			t.Errorf("%+v", m)
		}
	})
}
