package haproxy

import (
	"bufio"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// dialTest opens a client to a driver's socket.
func dialTest(t testing.TB, d *Driver) *client {
	t.Helper()
	c, err := d.connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// TestParity gives the same commands, right ones and wrong ones, to the model and
// to the real HAProxy: each answer must be the same, byte for byte, and so must
// what Observe makes of them afterwards.
func TestParity(t *testing.T) {
	t.Parallel()
	h := newHAProxy(t, emptySection+"    server static 127.0.0.9:9 disabled\n")
	f := newFakeHAProxy("web")
	f.insert("web", &fakeServer{name: "static", ip: "127.0.0.9", port: 9, admin: 5})
	real, fake := newDriver(t, h.admin), newDriver(t, f.listen(t))
	wires := []*client{dialTest(t, real), dialTest(t, fake)}
	version := observe(t, real).Version
	// Later versions make some changes behind their answers, and word a few
	// answers differently: there, only the state is compared.
	wording := strings.HasPrefix(version, "2.6.")

	names := make([]string, 3)
	for i := range names {
		names[i] = serverName(netip.MustParseAddrPort(pool[i]), "")
	}
	ref := rapid.OneOf(
		rapid.Map(rapid.SampledFrom(names), func(n string) string { return "web/" + n }),
		rapid.SampledFrom([]string{"web/static", "web/nope", "nope/nope"}),
	)
	both := func(t *rapid.T, line string) {
		var answers [2]string
		for i, c := range wires {
			got, err := c.exchange([]byte(line+"\n"), 1)
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			answers[i] = got[0]
		}
		// What its list of commands looks like is not modelled.
		if strings.Contains(answers[1], "Unknown command") {
			answers[0], _, _ = strings.Cut(answers[0], "\n")
			answers[1], _, _ = strings.Cut(answers[1], "\n")
		}
		if wording && answers[0] != answers[1] {
			t.Fatalf("%s\nHAProxy answers %q\nthe model       %q", line, answers[0], answers[1])
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		for _, name := range names {
			both(t, "set server web/"+name+" state maint")
			both(t, "del server web/"+name)
		}
		both(t, "set server web/static state maint")
		both(t, "set server web/static addr 127.0.0.9 port 9")
		for range rapid.IntRange(1, 25).Draw(t, "commands") {
			r := ref.Draw(t, "server")
			addr := netip.MustParseAddrPort(rapid.SampledFrom(pool).Draw(t, "address"))
			switch rapid.IntRange(0, 8).Draw(t, "command") {
			case 0, 1:
				check := rapid.SampledFrom([]string{"", " check inter 3600000"}).Draw(t, "check")
				id := rapid.SampledFrom([]string{"", " id 70", " id 71"}).Draw(t, "id")
				if r == "web/static" {
					check, id = "", "" // refused for its name before its options
				}
				both(t, fmt.Sprintf("add server %s %s%s%s", r, addr, id, check))
			case 2, 3, 4:
				both(t, "set server "+r+" state "+rapid.SampledFrom([]string{"ready", "drain", "maint", "bogus"}).Draw(t, "state"))
			case 5:
				both(t, fmt.Sprintf("set server %s addr %s port %d", r, addr.Addr(), addr.Port()))
			case 6:
				both(t, "enable health "+r)
			case 7:
				if r != "web/static" { // it would be deleted for good
					both(t, "del server "+r)
				}
			case 8:
				both(t, rapid.SampledFrom([]string{
					"shutdown sessions server " + r, "bogus", "set server " + r + " health up",
					"show servers state nope",
				}).Draw(t, "other"))
			}
		}
		compareObserved(t, real, fake)
	})
}

// compareObserved waits a little for HAProxy, since later versions change an
// address only after they have answered.
func compareObserved(t *rapid.T, real, fake *Driver) {
	var diff string
	for range 50 {
		a, b := observeLaw(t, real), observeLaw(t, fake)
		for _, o := range []*Observed{a, b} {
			o.Version = ""
			// HAProxy orders servers by a number that a deleted one frees late.
			for _, list := range [][]Server{o.Servers, o.foreign} {
				slices.SortFunc(list, func(a, b Server) int { return strings.Compare(a.Name, b.Name) })
			}
			for i := range o.Servers {
				o.Servers[i].Since = 0
			}
			for i := range o.foreign {
				o.foreign[i].Since = 0
			}
		}
		diff = cmp.Diff(a, b, cmp.AllowUnexported(Observed{}), cmp.Comparer(func(a, b netip.AddrPort) bool { return a == b }))
		if diff == "" {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("what is there (-HAProxy +model):\n%s", diff)
}

// TestParityOfLongLines: both drop a connection whose line does not fit.
func TestParityOfLongLines(t *testing.T) {
	t.Parallel()
	h := newHAProxy(t, emptySection)
	f := newFakeHAProxy("web")
	for name, socket := range map[string]string{"HAProxy": h.admin, "the model": f.listen(t)} {
		c := dialTest(t, newDriver(t, socket))
		if _, err := c.exchange([]byte("show info "+strings.Repeat("x", 20000)+"\n"), 1); err == nil {
			t.Errorf("%s takes a line of 20000 bytes", name)
		}
		c = dialTest(t, newDriver(t, socket))
		if _, err := c.exchange([]byte("show info "+strings.Repeat("x", maxLine-20)+"\n"), 1); err != nil {
			t.Errorf("%s does not take a line of %d bytes: %v", name, maxLine, err)
		}
	}
}

func TestReadAnswer(t *testing.T) {
	for name, tc := range map[string]struct{ in, want, left string }{
		"empty":                 {"\n> ", "", ""},
		"a message":             {"[6]: Server deleted.\n> next", "[6]: Server deleted.", "next"},
		"an empty line":         {"[6]: New server registered.\n\n> ", "[6]: New server registered.\n", ""},
		"no prompt in the line": {"a > b\n>c\n> ", "a > b\n>c", ""},
		"longer than a buffer":  {strings.Repeat("x", 70000) + "\n> ", strings.Repeat("x", 70000), ""},
	} {
		t.Run(name, func(t *testing.T) {
			in := bufio.NewReaderSize(strings.NewReader(tc.in), 1<<10)
			got, err := readAnswer(in, 1<<20)
			left, _ := in.Peek(len(tc.left))
			if err != nil || got != tc.want || string(left) != tc.left {
				t.Errorf("%q, %v, left %q", got, err, left)
			}
		})
	}
	if _, err := readAnswer(bufio.NewReader(strings.NewReader(strings.Repeat("x", 5000))), 4000); err == nil || !strings.Contains(err.Error(), "longer than 4000") {
		t.Errorf("error %v for an answer without end", err)
	}
}
