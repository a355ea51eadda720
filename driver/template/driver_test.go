package template_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	discoveryv1 "k8s.io/api/discovery/v1"

	"github.com/slicewright/slicewright/driver/template"
	"github.com/slicewright/slicewright/endpointset"
	"github.com/slicewright/slicewright/internal/slicetest"
	"github.com/slicewright/slicewright/publish"
)

// desired is what an upstream wants, from a slice with these addresses.
func desired(t *testing.T, addresses ...string) publish.Desired {
	t.Helper()
	es := slicetest.Service("web", 1, 1)[0]
	es.Endpoints = nil
	for _, a := range addresses {
		es.Endpoints = append(es.Endpoints, discoveryv1.Endpoint{Addresses: []string{a}, Zone: new("zone \"a\"; }")})
	}
	ix := endpointset.NewIndex(endpointset.Options{})
	ix.Apply(ix.Parse(es))
	key := endpointset.ServiceKey{Namespace: slicetest.Namespace, Name: "web"}
	sel := ix.Service(key).Select(endpointset.Query{})
	return publish.Desired{Upstream: "web", Service: key, Port: "http", Active: sel.Active}
}

// round observes, plans and applies once.
func round(t *testing.T, d *template.Driver, want publish.Desired) (publish.Ops, error) {
	t.Helper()
	o, err := d.Observe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ops := d.Plan(want, o)
	_, err = d.Apply(t.Context(), ops)
	return ops, err
}

// settled reports whether another plan has nothing to do.
func settled(t *testing.T, d *template.Driver, want publish.Desired) bool {
	t.Helper()
	o, err := d.Observe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return d.Plan(want, o).Empty()
}

func newDriver(t *testing.T, c template.Config) *template.Driver {
	t.Helper()
	d, err := template.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
		t.Fatal(err)
	}
}

func contentOf(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return ""
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// logged is a command that notes each call in a file and fails while another
// file is there.
func logged(t *testing.T, dir, name string) (command []string, calls func() int, failing func(bool)) {
	t.Helper()
	script, log, fail := filepath.Join(dir, name+".sh"), filepath.Join(dir, name+".log"), filepath.Join(dir, name+".fail")
	write(t, script, "#!/bin/sh\necho called >> "+log+"\nif [ -e "+fail+" ]; then echo 'it said no' >&2; exit 1; fi\n")
	return []string{script},
		func() int { return strings.Count(contentOf(t, log), "called") },
		func(on bool) {
			if on {
				write(t, fail, "")
			} else {
				os.Remove(fail)
			}
		}
}

func TestNothingRunsWhenTheBytesAreEqual(t *testing.T) {
	dir := t.TempDir()
	check, checks, _ := logged(t, dir, "check")
	reload, reloads, _ := logged(t, dir, "reload")
	dest := filepath.Join(dir, "web.conf")
	d := newDriver(t, template.Config{Source: "builtin:nginx", Destination: dest, Check: check, Reload: reload})

	ops, err := round(t, d, desired(t, "10.0.0.1", "10.0.0.2"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"server 10.0.0.1:8080;", "server 10.0.0.2:8080;", `run ["` + check[0] + `"]`, `run ["` + reload[0] + `"]`} {
		if !strings.Contains(ops.String(), want) {
			t.Errorf("no %q in the plan:\n%s", want, ops)
		}
	}
	if !settled(t, d, desired(t, "10.0.0.1", "10.0.0.2")) {
		t.Error("the second plan is not empty")
	}
	if _, err := round(t, d, desired(t, "10.0.0.1", "10.0.0.2")); err != nil || checks() != 1 || reloads() != 1 {
		t.Errorf("%d checks, %d reloads, error %v; want one of each", checks(), reloads(), err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.Contains(e.Name(), "candidate") || strings.Contains(e.Name(), "tmp") {
			t.Errorf("%s is left behind", e.Name())
		}
	}
}

// The last good content comes back, whichever command says no.
func TestTheLastGoodContentComesBack(t *testing.T) {
	for _, who := range []string{"check", "reload"} {
		t.Run(who, func(t *testing.T) {
			dir := t.TempDir()
			check, _, failCheck := logged(t, dir, "check")
			reload, reloads, failReload := logged(t, dir, "reload")
			dest := filepath.Join(dir, "web.conf")
			d := newDriver(t, template.Config{Source: "builtin:nginx", Destination: dest, Check: check, Reload: reload})
			if _, err := round(t, d, desired(t, "10.0.0.1")); err != nil {
				t.Fatal(err)
			}
			good := contentOf(t, dest)
			fail := map[string]func(bool){"check": failCheck, "reload": failReload}[who]
			fail(true)
			_, err := round(t, d, desired(t, "10.0.0.2"))
			if err == nil || !strings.Contains(err.Error(), "it said no") || !strings.Contains(err.Error(), who) {
				t.Errorf("the error is %v", err)
			}
			if now := contentOf(t, dest); now != good {
				t.Errorf("the file is now:\n%s", now)
			}
			if want := map[string]int{"check": 1, "reload": 3}[who]; reloads() != want {
				t.Errorf("%d reloads, want %d: a failed one is followed by one of the good content", reloads(), want)
			}
			fail(false)
			if _, err := round(t, d, desired(t, "10.0.0.2")); err != nil || !settled(t, d, desired(t, "10.0.0.2")) {
				t.Errorf("afterwards it does not go on: %v", err)
			}
		})
	}
}

// A first content that is refused leaves no file where there was none.
func TestARefusedFirstContentLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	check, _, fail := logged(t, dir, "check")
	fail(true)
	dest := filepath.Join(dir, "web.conf")
	d := newDriver(t, template.Config{Source: "builtin:nginx", Destination: dest, Check: check})
	if _, err := round(t, d, desired(t, "10.0.0.1")); err == nil {
		t.Error("no error")
	}
	if contentOf(t, dest) != "" {
		t.Error("the refused content is still there")
	}
}

// With {candidate} the destination is not touched before the check has passed.
func TestACandidateIsCheckedBesideTheDestination(t *testing.T) {
	dir := t.TempDir()
	script := filepath.Join(dir, "check.sh")
	dest := filepath.Join(dir, "web.conf")
	write(t, script, "#!/bin/sh\ngrep -q 10.0.0.1 \"$1\" && ! grep -q 10.0.0.1 "+dest+"\n")
	write(t, dest, "before\n")
	d := newDriver(t, template.Config{Source: "builtin:nginx", Destination: dest, Check: []string{script, "{candidate}"}})
	if _, err := round(t, d, desired(t, "10.0.0.1")); err != nil {
		t.Fatal(err)
	}
	if _, err := round(t, d, desired(t, "10.0.0.2")); err == nil || !strings.Contains(contentOf(t, dest), "10.0.0.1:8080") {
		t.Errorf("error %v, the file is:\n%s", err, contentOf(t, dest))
	}
}

// A crash between writing and reloading is made good at the next start.
func TestAContentThatWasNeverReloadedIsReloaded(t *testing.T) {
	dir := t.TempDir()
	reload, reloads, _ := logged(t, dir, "reload")
	dest := filepath.Join(dir, "web.conf")
	c := template.Config{Source: "builtin:nginx", Destination: dest, Reload: reload}
	if _, err := round(t, newDriver(t, c), desired(t, "10.0.0.1")); err != nil {
		t.Fatal(err)
	}
	content := contentOf(t, dest)
	if err := os.Remove(filepath.Join(dir, ".web.conf.good")); err != nil {
		t.Fatal(err)
	}
	if _, err := round(t, newDriver(t, c), desired(t, "10.0.0.1")); err != nil || reloads() != 2 || contentOf(t, dest) != content {
		t.Errorf("%d reloads, error %v; want a second reload of the same content", reloads(), err)
	}
}

func TestReloadsKeepTheirInterval(t *testing.T) {
	dir := t.TempDir()
	reload, _, _ := logged(t, dir, "reload")
	d := newDriver(t, template.Config{
		Source: "builtin:nginx", Destination: filepath.Join(dir, "web.conf"), Reload: reload, MinInterval: 200 * time.Millisecond,
	})
	begin := time.Now()
	for _, a := range []string{"10.0.0.1", "10.0.0.2", "10.0.0.3"} {
		if _, err := round(t, d, desired(t, a)); err != nil {
			t.Fatal(err)
		}
	}
	if took := time.Since(begin); took < 400*time.Millisecond {
		t.Errorf("three reloads in %s", took)
	}
}

func TestACommandThatHangsIsEnded(t *testing.T) {
	dir := t.TempDir()
	d := newDriver(t, template.Config{
		Source: "builtin:nginx", Destination: filepath.Join(dir, "web.conf"),
		Check: []string{"sleep", "600"}, CommandTimeout: 100 * time.Millisecond,
	})
	if _, err := round(t, d, desired(t, "10.0.0.1")); err == nil || !strings.Contains(err.Error(), "after 100ms") {
		t.Errorf("the error is %v", err)
	}
}

// No text out of a slice breaks out of a template; JSON has it as it is.
func TestWordsAreHarmless(t *testing.T) {
	dir := t.TempDir()
	source, dest := filepath.Join(dir, "source"), filepath.Join(dir, "out")
	write(t, source, `{{range .Active}}zone={{.Zone}} {{printf "%s %v" .Zone .Zone}} {{if eq .Zone "zone \"a\"; }"}}equal{{end}} {{json .Zone}}{{end}}`)
	if _, err := round(t, newDriver(t, template.Config{Source: source, Destination: dest}), desired(t, "10.0.0.1")); err != nil {
		t.Fatal(err)
	}
	if got, want := contentOf(t, dest), `zone=zone__a____ zone__a____ zone__a____ equal "zone \"a\"; }"`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestJSONOfAnEmptyUpstreamIsJSON(t *testing.T) {
	dest := filepath.Join(t.TempDir(), "web.json")
	d := newDriver(t, template.Config{Source: "builtin:json", Destination: dest})
	for _, addresses := range [][]string{nil, {"10.0.0.1"}} {
		if _, err := round(t, d, desired(t, addresses...)); err != nil {
			t.Fatal(err)
		}
		var data template.Data
		if err := json.Unmarshal([]byte(contentOf(t, dest)), &data); err != nil || len(data.Active) != len(addresses) || data.Active == nil {
			t.Errorf("%v: %v, %+v", addresses, err, data)
		}
	}
}

func TestMistakesInTemplates(t *testing.T) {
	dir := t.TempDir()
	bad, typo := filepath.Join(dir, "bad.tmpl"), filepath.Join(dir, "typo.tmpl")
	write(t, bad, "{{range .Active}")
	write(t, typo, "{{range .Active}}{{.Adress}}{{end}}")
	for _, c := range []struct {
		config template.Config
		want   string
	}{
		{template.Config{Source: bad, Destination: "x"}, "parse source " + bad},
		{template.Config{Source: dir + "/none", Destination: "x"}, "no such file"},
		{template.Config{Source: "builtin:apache", Destination: "x"}, "use builtin:nginx or builtin:json"},
		{template.Config{Destination: "x"}, "source is missing"},
		{template.Config{Source: bad}, "destination is missing"},
		{template.Config{Source: "builtin:json", Destination: "x", Check: []string{""}}, "the program, is empty"},
	} {
		if _, err := template.New(c.config); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("the error is %v, want %s", err, c.want)
		}
	}
	dest := filepath.Join(dir, "out")
	write(t, dest, "before")
	if _, err := round(t, newDriver(t, template.Config{Source: typo, Destination: dest}), desired(t, "10.0.0.1")); err == nil ||
		!strings.Contains(err.Error(), "Adress") || contentOf(t, dest) != "before" {
		t.Errorf("error %v, the file holds %q", err, contentOf(t, dest))
	}
}
