package nginx

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/slicewright/slicewright/app/internal/verify"
	"github.com/slicewright/slicewright/internal/nettest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func program(t testing.TB) string {
	t.Helper()
	for _, path := range []string{"nginx", "/usr/sbin/nginx"} {
		if found, err := exec.LookPath(path); err == nil {
			return found
		}
	}
	t.Fatal("nginx is not installed: run `make deps`")
	return ""
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func text(list []verify.Member, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	var words []string
	for _, m := range list {
		words = append(words, strings.TrimSpace(fmt.Sprintf("%s %s %s", m.Address, m.Use, m.Detail)))
		if m.Open != verify.Unknown || m.Total != verify.Unknown {
			words = append(words, "with counts")
		}
	}
	return strings.Join(words, "; ")
}

// frame is a configuration that the real nginx takes with what is put into http.
const frame = `pid DIR/pid;
error_log DIR/error.log;
events {}
http {
  access_log off;
  client_body_temp_path DIR/body; proxy_temp_path DIR/proxy; fastcgi_temp_path DIR/fastcgi; uwsgi_temp_path DIR/uwsgi; scgi_temp_path DIR/scgi;
%s
}
`

// Each text is read by the real nginx too: what it takes, we take, and what it
// refuses by its grammar, we refuse.
func TestAsNginxReads(t *testing.T) {
	nginx := program(t)
	for _, tc := range []struct{ http, want string }{
		{
			`upstream web { server 10.0.0.1:8080; server 10.0.0.2; server [2001:db8::1]:8080; server [2001:db8::2]; }`,
			"10.0.0.1:8080 new; 10.0.0.2:80 new; [2001:db8::1]:8080 new; [2001:db8::2]:80 new",
		},
		{
			`upstream web { server 10.0.0.1:80 weight=5 max_fails=3 fail_timeout=30s max_conns=9; server 10.0.0.2:80 down; server 10.0.0.3:80 backup; }`,
			"10.0.0.1:80 new weight=5 max_fails=3 fail_timeout=30s max_conns=9; 10.0.0.2:80 idle down; 10.0.0.3:80 idle backup",
		},
		{
			`upstream web { server 10.0.0.1:80 down; server 10.0.0.2:80 backup; server 10.0.0.3:80 backup down; }`,
			"10.0.0.1:80 idle down; 10.0.0.2:80 new backup; 10.0.0.3:80 idle backup down",
		},
		{`upstream web { server 127.0.0.1:1 down; }`, "127.0.0.1:1 idle down"},
		{`upstream web { least_conn; zone web 64k; keepalive 8; server 10.0.0.1:80; }`, "10.0.0.1:80 new"},
		{`upstream other { server 10.0.0.9:80; } upstream web{server 10.0.0.1:80;} upstream webs { server 10.0.0.8:80; }`, "10.0.0.1:80 new"},
		{`upstream WEB { server 10.0.0.1:80; }`, "10.0.0.1:80 new"},
		{`"upstream" 'web' { server "10.0.0.1:80" 'weight=2'; }`, "10.0.0.1:80 new weight=2"},
		{"upstream\tweb\r\n{\nserver # a comment; with { and }\n10.0.0.1:80;#another\n}", "10.0.0.1:80 new"},
		{`upstream web { server 10.0.0.1:8\0; }`, ""}, // a host called "10.0.0.1:8\0": refused, see below
		{`upstream web { server "10.0.0.1:80" ; # "
}`, "10.0.0.1:80 new"},
		{`map $uri $x { default "a;b{c}'"; ~^/[a-z]{2,3}$ d; "~^/(a|b){1}" "e\"f"; } upstream web { server 10.0.0.1:80; }`, ""}, // '{' ends a word
		{`map $uri $x { default "a;b{c}'"; "~^/[a-z]{2,3}$" d; } log_format f '${uri} $x' "q"; upstream web { server 10.0.0.1:80; }`, "10.0.0.1:80 new"},
		{`server { set $a x${uri}y; return 200 ${uri}; } upstream web { server 10.0.0.1:80; }`, "10.0.0.1:80 new"},
		{`server { if ($uri ~ "a") { return 200 "x"; } location ~ \.php$ { return 200 a}b; } } upstream web { server 10.0.0.1:80; }`, "10.0.0.1:80 new"},
		{`server { location / { if ($uri = "a"){ return 403; } } server_name a#b "c"; } upstream web { server 10.0.0.1:80; }`, "10.0.0.1:80 new"},
		{`include web.conf;`, "10.0.0.1:80 new; 10.0.0.2:80 new"},
		{`include conf.d/*.conf;`, "10.0.0.3:80 new"},
		{`include conf.d/[!b]*.conf;`, "10.0.0.3:80 new"},
		{`include */a.conf;`, "10.0.0.3:80 new"},
		{`include .hid*/*.conf;`, "10.0.0.97:80 new"},
		{`include nothing/*.conf; upstream web { server 10.0.0.1:80; }`, "10.0.0.1:80 new"},
		{`upstream web { server 10.0.0.1:80; include servers/[ab]?; }`, "10.0.0.1:80 new; 10.0.0.4:80 new; 10.0.0.5:80 new down"},
		{`upstream web { include "DIR/servers/a1"; }`, "10.0.0.4:80 new"},
		// What nginx refuses:
		{`include missing.conf; upstream web { server 10.0.0.1:80; }`, ""},
		{`upstream web { server 10.0.0.1:80; } }`, ""},
		{`upstream web { server 10.0.0.1:80; `, ""},
		{`upstream web { server 10.0.0.1:80 }`, ""},
		{`upstream web { server "10.0.0.1:80; }`, ""},
		{`upstream web { server "10.0.0.1:80"x; }`, ""},
		{`upstream web { server 10.0.0.1:80;; }`, ""},
		{`upstream web { { server 10.0.0.1:80; } }`, ""},
		{`upstream web { }`, ""},
		{`upstream web { server; }`, ""},
		{`upstream web { server 10.0.0.1:80 weight=0; }`, ""},
		{`upstream web { server 10.0.0.1:80 weight=x; }`, ""},
		{`upstream web { server 10.0.0.1:80 color=red; }`, ""},
		{`upstream web { server 10.0.0.1:80 Down; }`, ""},
		{`upstream web { server 10.0.0.1:0; }`, ""},
		{`upstream web { server 10.0.0.1:65536; }`, ""},
		{`upstream web { server 2001:db8::1; }`, ""},
		{`upstream web { server 10.0.0.1:80; } upstream web { server 10.0.0.2:80; }`, ""},
		{`include loop.conf;`, ""},
		{`include half.conf; server 10.0.0.1:80; }`, ""},
	} {
		dir := t.TempDir()
		write(t, dir+"/web.conf", "upstream web {\n  server 10.0.0.1:80;\n  server 10.0.0.2:80;\n}\n")
		write(t, dir+"/conf.d/a.conf", "upstream web { server 10.0.0.3:80; }")
		write(t, dir+"/conf.d/.hidden.conf", "upstream web { server 10.0.0.99:80; }")
		write(t, dir+"/conf.d/bb.conf", "")
		write(t, dir+"/conf.d/!x.conf", "")
		write(t, dir+"/.hid/a.conf", "upstream web { server 10.0.0.97:80; }")
		write(t, dir+"/conf.d/b.conf.old", "upstream web { server 10.0.0.98:80; }")
		write(t, dir+"/servers/a1", "server 10.0.0.4:80;")
		write(t, dir+"/servers/b2", "server 10.0.0.5:80; # down\n")
		write(t, dir+"/loop.conf", "include loop.conf;")
		write(t, dir+"/half.conf", "upstream web {")
		main := dir + "/nginx.conf"
		write(t, main, strings.ReplaceAll(fmt.Sprintf(frame, tc.http), "DIR", dir))
		want := strings.ReplaceAll(tc.want, "10.0.0.5:80 new down", "10.0.0.5:80 new")

		out, err := exec.Command(nginx, "-t", "-c", main, "-p", dir, "-e", dir+"/error.log").CombinedOutput()
		if (err == nil) != (want != "") {
			t.Errorf("the test is wrong: %s\nnginx says: %v\n%s", tc.http, err, out)
		}
		got := text((&Source{File: main, Upstream: "web"}).Members(t.Context()))
		if want == "" && strings.HasPrefix(got, "error: nginx: ") {
			continue
		}
		if got != want || want == "" {
			t.Errorf("%s\n%s\nwant %s; nginx says: %s", tc.http, got, want, out)
		}
	}
}

// What we refuse although nginx takes it: what cannot be told from files, or be
// held against slices.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	for says, config := range map[string]string{
		"is no IP address with a port":  "upstream web { server web.example:80; }",
		"cannot be held against slices": "upstream web { server unix:/run/x.sock; }",
		"option \"color=red\"":          "upstream web { server 10.0.0.1:80 color=red; }",
		"has no port":                   "stream { upstream web { server 10.0.0.1; } }",
		"own state file":                "upstream web { zone web 64k; state /var/lib/web.state; }",
		"Lua, which is not read":        "http { init_by_lua_block { x = '}' } upstream web { server 10.0.0.1:80; } }",
		"is there twice, at":            "http { upstream web { server 10.0.0.1:80; } } stream { upstream web { server 10.0.0.1:80; } }",
		"no upstream":                   "http { server { } }",
		"no upstream \"web\" in it":     "http { upstream { server 10.0.0.1:80; } upstream web x { server 10.0.0.1:80; } x { upstream web { server 10.0.0.1:80; } } }",
		"more than 50 blocks":           strings.Repeat("a {", 1000) + "upstream web { server 10.0.0.1:80; }",
		"longer than 4096":              "x " + strings.Repeat("y", 5000) + ";",
		"unexpected '}'":                "} upstream web { server 10.0.0.1:80; }",
		"main.conf:3: unexpected ';'":   "#\n\n;",
		"main.conf:2: the quote":        "\nx \"\n\n",
		"inside a word":                 "x",
		"inside a directive":            "x \n",
		"inside a block":                "x { y; \n",
		"not a regular file":            "include fifo;",
		"is a directory or not regular": "",
		"more than 50 files":            "include deep0;",
		"includes itself, by way of":    "include main.conf;",
		"wants one file":                "include a b;",
		"syntax error in pattern":       "include [;",
		"a class of characters":         "include [[:digit:]]x;",
		"block inside an upstream":      "upstream web { x { } }",
	} {
		if err := os.RemoveAll(dir + "/fifo"); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(dir+"/fifo", 0o600); err != nil {
			t.Fatal(err)
		}
		for i := range maxDepth + 1 {
			write(t, fmt.Sprintf("%s/deep%d", dir, i), fmt.Sprintf("include deep%d;", i+1))
		}
		file := dir + "/main.conf"
		write(t, file, config)
		if config == "" {
			file, says = dir, "not a regular file"
		}
		got := text((&Source{File: file, Upstream: "web"}).Members(t.Context()))
		if says == "inside a block" {
			says = "inside the block \"x\""
		}
		if !strings.HasPrefix(got, "error: nginx: ") || !strings.Contains(got, says) || len(got) > 600 {
			t.Errorf("%.100q: %s, want %s", config, got, says)
		}
	}
	if got := text((&Source{File: dir + "/none", Upstream: "web"}).Members(t.Context())); !strings.Contains(got, "no such file") {
		t.Error(got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (&Source{File: dir + "/main.conf", Upstream: "web"}).Members(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Files that include many others, and large ones, end in an error.
func TestBounds(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/main.conf", strings.Repeat("include part;", maxFiles+1))
	write(t, dir+"/part", "x;")
	s := &Source{File: dir + "/main.conf", Upstream: "web"}
	if got := text(s.Members(t.Context())); !strings.Contains(got, "more than 10000 files") {
		t.Error(got)
	}
	write(t, dir+"/part", strings.Repeat("#", maxBytes/4))
	if got := text(s.Members(t.Context())); !strings.Contains(got, "longer than 64 MB") {
		t.Error(got)
	}
}

func TestStream(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/main.conf", "stream { include s/*; }")
	write(t, dir+"/s/web", "upstream web { server 10.0.0.1:53; server [::1]:53 drain; server x.example:1 down; }")
	want := "10.0.0.1:53 new; [::1]:53 draining drain"
	if got := text((&Source{File: dir + "/main.conf", Upstream: "web"}).Members(t.Context())); got != want {
		t.Error(got)
	}
	// The same file by itself.
	if got := text((&Source{File: dir + "/s/web", Upstream: "web"}).Members(t.Context())); got != want {
		t.Error(got)
	}
}

// A real nginx gives connections to exactly those that are new.
func TestWhoAnswers(t *testing.T) {
	nginx, dir := program(t), t.TempDir()
	answers := func() string {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, r.Context().Value(http.LocalAddrContextKey))
		}))
		t.Cleanup(server.Close)
		return server.Listener.Addr().String()
	}
	a, b, down, spare := answers(), answers(), answers(), answers()
	front := nettest.FreeAddress(t)
	upstream := func(lines string) {
		write(t, dir+"/web.conf", "upstream web { "+lines+" }\n")
	}
	main := dir + "/nginx.conf"
	write(t, main, "daemon off;\n"+strings.ReplaceAll(fmt.Sprintf(frame, "include web.conf; server { listen "+front+"; location / { proxy_pass http://web; } }"), "DIR", dir))
	upstream("server " + a + "; server " + b + " weight=3; server " + down + " down; server " + spare + " backup;")
	flags := []string{"-c", main, "-p", dir, "-e", dir + "/error.log"}
	var log bytes.Buffer
	cmd := exec.Command(nginx, flags...)
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Process.Signal(syscall.SIGTERM); _ = cmd.Wait() }()

	client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	asked := func() []string {
		var seen []string
		for range 12 {
			response, err := client.Get("http://" + front)
			if err != nil {
				return nil // not up yet
			}
			var body bytes.Buffer
			_, _ = body.ReadFrom(response.Body)
			response.Body.Close()
			if !slices.Contains(seen, body.String()) {
				seen = append(seen, body.String())
			}
		}
		slices.Sort(seen)
		return seen
	}
	s := &Source{File: main, Upstream: "web"}
	fresh := func() []string {
		list, err := s.Members(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var seen []string
		for _, m := range list {
			if m.Use == verify.New {
				seen = append(seen, m.Address.String())
			}
		}
		slices.Sort(seen)
		return seen
	}
	agree := func(want ...string) {
		t.Helper()
		slices.Sort(want)
		if got := fresh(); !slices.Equal(got, want) {
			t.Errorf("the view is %v, want %v", got, want)
		}
		var got []string
		for deadline := time.Now().Add(60 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
			if got = asked(); slices.Equal(got, want) {
				return
			}
		}
		t.Fatalf("%v answer, want %v\n%s", got, want, log.String())
	}
	agree(a, b)
	upstream("server " + a + " down; server " + spare + " backup;")
	if out, err := exec.Command(nginx, append(flags, "-s", "reload")...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	agree(spare)
}

func TestParse(t *testing.T) {
	if s, err := Parse("/etc/nginx/a#b.conf#web"); err != nil || *s != (Source{"/etc/nginx/a#b.conf", "web"}) {
		t.Errorf("%+v, %v", s, err)
	}
	for _, rest := range []string{"", "#", "/x", "/x#", "#web"} {
		if s, err := Parse(rest); err == nil {
			t.Errorf("%q is taken: %+v", rest, s)
		}
	}
}

// FuzzConfiguration: any text is read to an end, without a panic, and every
// address is one.
func FuzzConfiguration(f *testing.F) {
	f.Add("http { upstream web { server 10.0.0.1:80; server [::1] backup; } }")
	f.Add("upstream web{server \"a\\\"b\";#\n} x ${y}{ '")
	f.Add("a\\\n;b $" + "{{;}")
	f.Fuzz(func(t *testing.T, config string) {
		r := &reader{upstream: "web", folder: "/nonexistent"}
		l := &lexer{text: config, place: place{file: "f", line: 1}}
		if err := r.statements(t.Context(), l, nil, nil, false); err != nil {
			return
		}
		if l.at != len(config) {
			t.Errorf("stopped at %d of %d", l.at, len(config))
		}
		for _, u := range r.found {
			list, err := members(u)
			if err != nil {
				continue
			}
			for _, m := range list {
				if !m.Address.IsValid() || m.Address.Port() == 0 || m.Use == 0 {
					t.Errorf("%+v", m)
				}
			}
		}
	})
}
