package haproxy

import (
	"fmt"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/slicewright/slicewright/app/internal/verify"
	driver "github.com/slicewright/slicewright/driver/haproxy"
	"github.com/slicewright/slicewright/internal/haproxytest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestParse(t *testing.T) {
	for rest, want := range map[string]Source{
		"/run/haproxy/admin.sock/web": {"/run/haproxy/admin.sock", "web"},
		"127.0.0.1:9999/web":          {"127.0.0.1:9999", "web"},
		"[::1]:9999/web":              {"[::1]:9999", "web"},
	} {
		if got, err := Parse(rest); err != nil || *got != want {
			t.Errorf("%s: %v, %v", rest, got, err)
		}
	}
	for _, rest := range []string{"", "web", "/web", "/run/x.sock/", "relative.sock/web", "/run/x.sock/we b", "/run/x.sock/web;show info"} {
		if got, err := Parse(rest); err == nil {
			t.Errorf("%q is taken: %+v", rest, got)
		}
	}
}

func TestUse(t *testing.T) {
	for status, want := range map[string]verify.Use{
		"UP": verify.New, "UP 1/3": verify.New, "no check": verify.New,
		"DRAIN": verify.Draining, "DRAIN (agent)": verify.Draining, "NOLB": verify.Draining, "NOLB 1/2": verify.Draining,
		"DOWN": verify.Idle, "DOWN 1/2": verify.Idle, "DOWN (agent)": verify.Idle,
		"MAINT": verify.Idle, "MAINT (resolution)": verify.Idle, "MAINT (via a/b)": verify.Idle,
		"": 0, "OPEN": 0, "up": 0, "no checks": 0, "UPPER": 0,
	} {
		if got, err := use(status, 1); got != want || (err == nil) != (want != 0) {
			t.Errorf("%q: %v, %v; want %v", status, got, err, want)
		}
	}
}

func TestWeightZeroDrains(t *testing.T) {
	for status, want := range map[string]verify.Use{
		"UP": verify.Draining, "no check": verify.Draining, "DRAIN": verify.Draining, "DOWN": verify.Idle, "MAINT": verify.Idle,
	} {
		if got, err := use(status, 0); got != want || err != nil {
			t.Errorf("%q: %v, %v; want %v", status, got, err, want)
		}
	}
}

func row(name, address, status string, backup bool) driver.Row {
	r := driver.Row{Status: status, Backup: backup, Weight: 1, Total: -1}
	r.Name = name
	if address != "" {
		r.Addr = netip.MustParseAddrPort(address)
	}
	return r
}

func TestBackups(t *testing.T) {
	uses := func(rows ...driver.Row) string {
		list, err := members(rows)
		if err != nil {
			return err.Error()
		}
		var words []string
		for _, m := range list {
			words = append(words, m.Use.String())
		}
		return strings.Join(words, " ")
	}
	a, b, c := "10.0.0.1:80", "10.0.0.2:80", "[2001:db8::1]:80"
	for _, tc := range []struct {
		rows []driver.Row
		want string
	}{
		{[]driver.Row{row("a", a, "UP", false), row("b", b, "UP", true)}, "new idle"},
		{[]driver.Row{row("a", a, "DOWN", false), row("b", b, "UP", true), row("c", c, "DOWN", true)}, "idle new idle"},
		{[]driver.Row{row("a", a, "DRAIN", false), row("b", b, "UP", true)}, "draining new"},
		{[]driver.Row{row("b", b, "DRAIN", true), row("a", a, "UP", false)}, "draining new"},
		{nil, ""},
		// A free slot is nobody's; a unix socket that takes connections is somebody's.
		{[]driver.Row{row("srv1", "", "MAINT", false), row("a", a, "UP", false)}, "new"},
		{[]driver.Row{row("sorry", "", "UP", false)}, "server sorry is UP and has no IP address with a port: it cannot be held against slices"},
		{[]driver.Row{row("sorry", "", "UP", true), row("a", a, "UP", false)}, "new"},
	} {
		if got := uses(tc.rows...); got != tc.want {
			t.Errorf("%+v: %s, want %s", tc.rows, got, tc.want)
		}
	}
}

const config = `
defaults
    mode tcp
    balance roundrobin
    timeout connect 5s
    timeout client 5m
    timeout server 5m
frontend web
    bind FRONT
    default_backend web
backend web
    server plain %s
    server six [::1]:9 disabled
    server maint 127.0.0.9:9 disabled
    server down 127.0.0.9:10 check inter 100ms fall 1
    server light 127.0.0.9:11 weight 0
    server drained 127.0.0.9:12
    server spare 127.0.0.9:13 backup
    server-template slot 2 127.0.0.9:14 disabled
backend none
`

// A real HAProxy, with a server in each state and one open connection.
func TestRealHAProxy(t *testing.T) {
	backend, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer backend.Close()
	h := haproxytest.Start(t, fmt.Sprintf(config, backend.Addr()))
	s, err := Parse(h.UserSocket + "/web")
	if err != nil {
		t.Fatal(err)
	}
	var last string
	until := func(what string, done func(list []verify.Member) bool) []verify.Member {
		t.Helper()
		for deadline := time.Now().Add(60 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
			list, err := s.Members(t.Context())
			if last = fmt.Sprintf("%+v, %v", list, err); err == nil && done(list) {
				return list
			}
		}
		t.Fatalf("not seen: %s; last: %s", what, last)
		return nil
	}
	until("the check has failed", func(list []verify.Member) bool { return len(list) == 9 && list[3].Use == verify.Idle })
	command(t, h, "set server web/drained state drain")
	client, err := net.Dial("tcp", h.Front)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	list := until("the connection is open", func(list []verify.Member) bool { return list[0].Open == 1 })

	want := []string{
		backend.Addr().String() + " new 1 1 no check", "[::1]:9 idle 0 0 MAINT", "127.0.0.9:9 idle 0 0 MAINT", "127.0.0.9:10 idle 0 0 DOWN",
		"127.0.0.9:11 draining 0 0 no check, weight 0", "127.0.0.9:12 draining 0 0 DRAIN", "127.0.0.9:13 idle 0 0 no check, backup",
		"127.0.0.9:14 idle 0 0 MAINT", "127.0.0.9:14 idle 0 0 MAINT",
	}
	var got []string
	for _, m := range list {
		got = append(got, fmt.Sprintf("%s %s %d %d %s", m.Address, m.Use, m.Open, m.Total, m.Detail))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("members (-want +got):\n%s", diff)
	}
	// Nothing but the backup is left.
	command(t, h, "set server web/plain state maint")
	until("the backup is new", func(list []verify.Member) bool {
		return list[0].Use == verify.Idle && list[6].Use == verify.New && list[0].Open == 1
	})

	// A backend without servers is empty; one that does not exist, or a HAProxy
	// that is gone, is an error.
	none, missing := &Source{h.UserSocket, "none"}, &Source{h.UserSocket, "missing"}
	if list, err := none.Members(t.Context()); err != nil || len(list) != 0 {
		t.Errorf("a backend without servers: %v, %v", list, err)
	}
	if list, err := missing.Members(t.Context()); err == nil || !strings.Contains(err.Error(), "no such backend") {
		t.Errorf("a backend that does not exist: %v, %v", list, err)
	}
	h.Stop()
	if list, err := s.Members(t.Context()); err == nil || !strings.Contains(err.Error(), "is HAProxy running") {
		t.Errorf("HAProxy is gone: %v, %v", list, err)
	}
}

// command gives HAProxy one command and wants it to say nothing.
func command(t *testing.T, h *haproxytest.HAProxy, line string) {
	t.Helper()
	if answer := h.Ask(line); answer != "" {
		t.Fatalf("%s: %s", line, answer)
	}
}
