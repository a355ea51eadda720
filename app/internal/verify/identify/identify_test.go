package identify_test

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slicewright/slicewright/app/internal/verify/identify"
)

func address(text string) netip.AddrPort {
	if p, err := netip.ParseAddrPort(text); err == nil {
		return p
	}
	return netip.AddrPortFrom(netip.MustParseAddr(text), 0)
}

func TestWhoAnsweredIsRead(t *testing.T) {
	head := http.Header{"X-Pod": {"web-1"}, "X-Addr": {"[fd00::1]:8080"}}
	for _, c := range []struct {
		how, body string
		want      identify.Who
	}{
		{"", `{"ip":"10.0.0.1","port":8080,"name":"web-1"}`, identify.Who{Address: address("10.0.0.1:8080"), Name: "web-1"}},
		{"", `{"address":"10.0.0.1:9"}`, identify.Who{Address: address("10.0.0.1:9")}},
		{"", `{"hostname":"web-1"}`, identify.Who{Name: "web-1"}},
		{"", `{"pod":"10.0.0.1"}`, identify.Who{Address: address("10.0.0.1")}},
		{"", `{"ip":"10.0.0.1","port":99999}`, identify.Who{Address: address("10.0.0.1")}},
		{"", `{"ip":"10.0.0.1","podIP":"10.0.0.2","pod_ip":"10.0.0.3"}`, identify.Who{Address: address("10.0.0.1")}},
		{"", `{"ip":"web-1","address":"10.0.0.2"}`, identify.Who{Address: address("10.0.0.2")}},
		{"", `{"name":"web-1","hostname":"web-2","podName":"web-3"}`, identify.Who{Name: "web-1"}},
		{"", `{"ip":"10.0.0.1","pod":"10.0.0.2","name":"web-1"}`, identify.Who{Address: address("10.0.0.1"), Name: "web-1"}},
		{"", `{"ip":"10.0.0.1:80","port":81}`, identify.Who{Address: address("10.0.0.1:80")}},
		{"", `{"name":"web-1","port":81}`, identify.Who{Name: "web-1"}},
		{"", "10.0.0.1\n", identify.Who{Address: address("10.0.0.1")}},
		{"json:meta.pod.name", `{"meta":{"pod":{"name":"web-2"}}}`, identify.Who{Name: "web-2"}},
		{"header:x-pod", "", identify.Who{Name: "web-1"}},
		{"header:X-Addr", "", identify.Who{Address: address("[fd00::1]:8080")}},
		{"body", " web-3 \n", identify.Who{Name: "web-3"}},
		{"body", "::ffff:10.0.0.7", identify.Who{Address: address("10.0.0.7")}},
		{"regexp:server ([0-9.]+)", "I am server 10.0.0.4, hello", identify.Who{Address: address("10.0.0.4")}},
	} {
		how, err := identify.Parse(c.how)
		if err != nil {
			t.Fatal(err)
		}
		got, err := how.Who(t.Context(), identify.Answer{Head: head, Body: []byte(c.body)})
		if err != nil || got != c.want {
			t.Errorf("%s of %q: %v (%v), want %v", c.how, c.body, got, err, c.want)
		}
		if how.String() != c.how && !strings.EqualFold(how.String(), c.how) {
			t.Errorf("%q calls itself %q", c.how, how)
		}
	}
}

func TestWhatDoesNotTellIsAnError(t *testing.T) {
	for how, bodies := range map[string][]string{
		"":               {"hello", "", `{"ip":7}`, `{"ip":`, `[]`, `{"ip":"\u001b[31m"}`},
		"json:a.b":       {`{"a":"b"}`, `{"a":{"b":{}}}`, `{}`, `nonsense`, `{"a":{"b":""}}`},
		"header:Missing": {""},
		"body":           {"", "two words", "bell\a", strings.Repeat("x", 254)},
		"regexp:(no)":    {"yes"},
	} {
		parsed, err := identify.Parse(how)
		if err != nil {
			t.Fatal(err)
		}
		for _, body := range bodies {
			if who, err := parsed.Who(t.Context(), identify.Answer{Body: []byte(body)}); err == nil {
				t.Errorf("%s of %q: %v", how, body, who)
			}
		}
	}
}

func TestFormsThatAreNone(t *testing.T) {
	for _, text := range []string{"json", "json:", "header:", "header:a b", "header:ä", "body:x", "regexp:a", "regexp:(a)(b)", "regexp:(", "exec:", "exec: ", "cookie:x", ":x"} {
		if how, err := identify.Parse(text); err == nil || !strings.Contains(err.Error(), identify.Forms) {
			t.Errorf("%q gave %v, %v", text, how, err)
		}
	}
}

func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "who")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestProgramIsGivenTheConnectionAndNothingAsArgument(t *testing.T) {
	path := script(t, `read body; echo "$#|$1|$SLICEWRIGHT_LOCAL|$SLICEWRIGHT_REMOTE|$SLICEWRIGHT_STATUS|$body" | tr ' ' _`)
	how, err := identify.Parse("exec:" + path + " fixed")
	if err != nil {
		t.Fatal(err)
	}
	who, err := how.Who(t.Context(), identify.Answer{
		Body: []byte("$(touch x) `id`\n"), Local: address("10.0.0.1:4000"), Remote: address("[fd00::2]:80"), Status: 200,
	})
	if want := "1|fixed|10.0.0.1:4000|[fd00::2]:80|200|$(touch_x)_`id`"; err != nil || who.Name != want {
		t.Errorf("got %q, %v; want %q", who.Name, err, want)
	}
}

func TestProgramThatDoesNotTell(t *testing.T) {
	for what, path := range map[string]string{
		"fails":         script(t, "echo 10.0.0.1; echo broken >&2; exit 3"),
		"says nothing":  script(t, "true"),
		"says too much": script(t, "yes 10.0.0.1 | head -c 100000"),
		"is not there":  "/nonexistent/program",
	} {
		if who, err := identify.Exec(path).Who(t.Context(), identify.Answer{}); err == nil {
			t.Errorf("a program that %s told %v", what, who)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := identify.Exec(script(t, "exec sleep 60")).Who(ctx, identify.Answer{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a program that does not end: %v", err)
	}
	// What it says on stderr is repeated, and that alone is no end of the time.
	_, err := identify.Exec(script(t, "echo broken >&2; exit 3")).Who(t.Context(), identify.Answer{})
	if err == nil || !strings.Contains(err.Error(), `exit status 3: "broken\n"`) {
		t.Errorf("a program that fails: %v", err)
	}
}

func TestNameBecomesAnAddress(t *testing.T) {
	names := func(name string) (netip.AddrPort, bool) { return address("10.0.0.1"), name == "web-1" }
	if got := (identify.Who{Name: "web-1"}).Resolve(names); got.String() != "web-1 (10.0.0.1)" {
		t.Error(got)
	}
	if got := (identify.Who{Name: "other"}).Resolve(names); got.String() != "other" {
		t.Error(got)
	}
	// An address that the backend tells itself is not replaced.
	if got := (identify.Who{Name: "web-1", Address: address("10.9.9.9:1")}).Resolve(names); got.String() != "web-1 (10.9.9.9:1)" {
		t.Error(got)
	}
}

func FuzzWhatBackendsSayNeverPanics(f *testing.F) {
	f.Add("", []byte(`{"ip":"10.0.0.1","port":1e99}`))
	f.Add("json:a.b", []byte(`{"a":{"b":"x"}}`))
	f.Add("regexp:(.*)", []byte("\xff\x00"))
	f.Fuzz(func(t *testing.T, form string, body []byte) {
		how, err := identify.Parse(form)
		if err != nil || strings.HasPrefix(form, "exec:") {
			return
		}
		who, err := how.Who(t.Context(), identify.Answer{Body: body})
		if err == nil && who == (identify.Who{}) {
			t.Errorf("%q of %q tells nothing and is no error", form, body)
		}
	})
}
