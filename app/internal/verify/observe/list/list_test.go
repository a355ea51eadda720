package list

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"github.com/slicewright/slicewright/app/internal/verify"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func addresses(list []verify.Member) string {
	var texts []string
	for _, m := range list {
		texts = append(texts, m.Address.String())
	}
	return strings.Join(texts, " ")
}

func TestTexts(t *testing.T) {
	for text, want := range map[string]string{
		"":                                 "",
		"\n # nobody\n":                    "",
		"10.0.0.1:80\n[2001:db8::1]:80\n":  "10.0.0.1:80 [2001:db8::1]:80",
		"10.0.0.1:80 # one\r\n10.0.0.2:80": "10.0.0.1:80 10.0.0.2:80",
		"10.0.0.1\n2001:db8::1\n[::1]\n":   "10.0.0.1:0 [2001:db8::1]:0 [::1]:0",
		"[]":                               "",
		" [ ]\n":                           "",
		`["10.0.0.1:80", "[::1]:80"]`:      "10.0.0.1:80 [::1]:80",
		"[\n\t\"10.0.0.1\"\n]\n":           "10.0.0.1:0",
		"[::1]:80\n":                       "[::1]:80",
		"10.0.0.1:80\n10.0.0.1:80\n":       "10.0.0.1:80 10.0.0.1:80",
	} {
		list, err := parse([]byte(text), "")
		if err != nil || addresses(list) != want {
			t.Errorf("%q: %s, %v; want %s", text, addresses(list), err, want)
		}
		for _, m := range list {
			if m.Use != verify.New || m.Open != verify.Unknown || m.Total != verify.Unknown {
				t.Errorf("%q: %+v", text, m)
			}
		}
	}
}

func TestTextsRefused(t *testing.T) {
	for _, tc := range []struct {
		text   string
		format Format
		says   string
	}{
		{"10.0.0.1:80\nweb:80\n", "", `line 2: "web:80" is not ip:port`},
		{"10.0.0.1:0", "", "port 0"},
		{"10.0.0.1:65536", "", "is not ip:port"},
		{"[fe80::1%eth0]:80", "", "has a zone"},
		{"fe80::1%eth0", "", "has a zone"},
		{"\x1b[2J", "", `"\x1b[2J" is not ip:port`},
		{strings.Repeat("a", 10000), "", "…"},
		{"<html>", "", "is not ip:port"},
		{"", JSON, "is not a JSON list"},
		{"null", JSON, "is null"},
		{"{}", JSON, "is not a JSON list"},
		{"[1]", JSON, "is not a JSON list"},
		{`["10.0.0.1:80"`, "", "is not a JSON list"},
		{`["10.0.0.1:80"] []`, "", "is not a JSON list"},
		{`["10.0.0.1:80", null]`, "", "element 1 is null"},
		{`["10.0.0.1:80", ""]`, "", "element 1: \"\" is not ip:port"},
		{`["10.0.0.1:80"]`, Lines, "line 1"},
	} {
		list, err := parse([]byte(tc.text), tc.format)
		if err == nil || !strings.Contains(err.Error(), tc.says) || len(err.Error()) > 300 {
			t.Errorf("%.80q as %q: %v, %v; want an error that says %q", tc.text, tc.format, list, err, tc.says)
		}
	}
}

func TestFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "list")
	f, err := ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(what, says string) {
		t.Helper()
		if list, err := f.Members(t.Context()); err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, %v; want an error that says %q", what, list, err, says)
		}
	}
	refused("no file", "no such file")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	refused("a FIFO that nobody writes", "not a regular file")
	_ = os.Remove(path)
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("10.0.0.1:80\n")
	if list, err := f.Members(t.Context()); err != nil || addresses(list) != "10.0.0.1:80" {
		t.Errorf("%v, %v", list, err)
	}
	write("10.0.0.1:80\nhalf a li")
	refused("half a line", "line 2")
	write(strings.Repeat("#", maxBytes+1))
	refused("a huge file", "longer than")

	for _, rest := range []string{"", "?format=json", "x?format=xml", "x?json"} {
		if got, err := ParseFile(rest); err == nil {
			t.Errorf("%q is taken: %+v", rest, got)
		}
	}
	if f, err := ParseFile("a:b?format=json"); err != nil || f.Path != "a:b" || f.Format != JSON {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestURL(t *testing.T) {
	answer := func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write([]byte("10.0.0.1:80\n")) }
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { answer(w, r) }))
	u, err := ParseURL(strings.Replace(server.URL, "//", "//me:secret@", 1) + "/view")
	if err != nil {
		t.Fatal(err)
	}
	if list, err := u.Members(t.Context()); err != nil || addresses(list) != "10.0.0.1:80" {
		t.Errorf("%v, %v", list, err)
	}
	for says, with := range map[string]http.HandlerFunc{
		"status 503: no \ufffd[2J": func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "no \x1b[2J\nmore", http.StatusServiceUnavailable)
		},
		"404 Not Found": http.NotFound,
		"status 204":    func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) },
		"sends to":      func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/else", http.StatusFound) },
		"longer than":   func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, maxBytes+1)) },
		"unexpected EOF": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte("10.0.0.1:80\n"))
		},
		"line 1": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("{}")) },
	} {
		answer = with
		if list, err := u.Members(t.Context()); err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%v, %v; want an error that says %q", list, err, says)
		}
	}
	server.Close()
	if list, err := u.Members(t.Context()); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("nobody listens: %v, %v", list, err)
	}
	if strings.Contains(u.String(), "secret") || !strings.Contains(u.String(), "me:") {
		t.Error(u)
	}
	for _, rest := range []string{"", "127.0.0.1:80", "ftp://127.0.0.1", "http://", "http:///x", "http://me:secret@[::1", "http://x\n"} {
		if got, err := ParseURL(rest); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q is taken, or told: %v, %v", rest, got, err)
		}
	}
}

// FuzzParse: any text is a list of usable addresses, or an error.
func FuzzParse(f *testing.F) {
	f.Add([]byte("10.0.0.1:80\n[::1]:80 # x\n10.0.0.3"), "")
	f.Add([]byte(`["10.0.0.1:80"]`), "json")
	f.Fuzz(func(t *testing.T, text []byte, format string) {
		list, err := parse(text, Format(format))
		if err != nil {
			return
		}
		for _, m := range list {
			if !m.Address.IsValid() || m.Address.Addr().Zone() != "" || m.Use != verify.New {
				t.Errorf("%+v", m)
			}
		}
	})
}
