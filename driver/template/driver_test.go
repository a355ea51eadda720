package template_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	discoveryv1 "k8s.io/api/discovery/v1"

	"github.com/slicewright/slicewright/driver/template"
	"github.com/slicewright/slicewright/endpointset"
	"github.com/slicewright/slicewright/internal/slicetest"
	"github.com/slicewright/slicewright/publish"
)

// desired is what an upstream wants, from a slice with these addresses.
func desired(t *testing.T, addresses ...string) publish.Desired {
	t.Helper()
	ix := endpointset.NewIndex(endpointset.Options{})
	ix.Apply(ix.Parse(sliceOf(addresses...)))
	key := endpointset.ServiceKey{Namespace: slicetest.Namespace, Name: "web"}
	sel := ix.Service(key).Select(endpointset.Query{})
	return publish.Desired{Upstream: "web", Service: key, Port: "http", Active: sel.Active}
}

// sliceOf is a slice of the Service web with these addresses, in a zone whose name
// breaks out of a configuration.
func sliceOf(addresses ...string) *discoveryv1.EndpointSlice {
	es := slicetest.Service("web", 1, 1)[0]
	es.Endpoints = nil
	for _, a := range addresses {
		es.Endpoints = append(es.Endpoints, discoveryv1.Endpoint{Addresses: []string{a}, Zone: new("zone \"a\"; }")})
	}
	return es
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

// A first content that is refused leaves no file behind.
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

// A plan that comes too soon after a reload sends nothing and says how long it
// waits. Apply of it returns at once.
func TestAPlanWaitsForTheIntervalBetweenReloads(t *testing.T) {
	dir := t.TempDir()
	reload, reloads, _ := logged(t, dir, "reload")
	dest := filepath.Join(dir, "web.conf")
	d := newDriver(t, template.Config{Source: "builtin:nginx", Destination: dest, Reload: reload, MinInterval: time.Hour})
	if _, err := round(t, d, desired(t, "10.0.0.1")); err != nil {
		t.Fatal(err)
	}
	before := contentOf(t, dest)
	ops, err := round(t, d, desired(t, "10.0.0.2"))
	if err != nil {
		t.Fatal(err)
	}
	what, again := ops.Waiting()
	if ops.Empty() || ops.Len() != 0 || ops.String() != "" || len(what) != 1 || !strings.Contains(what[0], dest) || again <= 59*time.Minute || again > time.Hour {
		t.Errorf("empty %v, len %d, sends %q, waits %q for %s", ops.Empty(), ops.Len(), ops, what, again)
	}
	if now := contentOf(t, dest); now != before || reloads() != 1 {
		t.Errorf("%d reloads, the file holds:\n%s", reloads(), now)
	}
	if !settled(t, d, desired(t, "10.0.0.1")) {
		t.Error("what is there already has to wait too")
	}
}

// With an interval of a minute and the default time-out of a call, changes go out
// a minute apart, each time the newest, and nothing fails.
func TestALongIntervalAndTheDefaultTimeoutGoTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		dest := filepath.Join(dir, "web.json")
		driver := newDriver(t, template.Config{Source: "builtin:json", Destination: dest, Reload: []string{"true"}, MinInterval: time.Minute})
		key := endpointset.ServiceKey{Namespace: slicetest.Namespace, Name: "web"}
		ix := endpointset.NewIndex(endpointset.Options{})
		ix.Apply(ix.Parse(sliceOf("10.0.0.1")))
		source := func(key endpointset.ServiceKey) (*endpointset.Set, bool) { return ix.Service(key), true }
		var log bytes.Buffer
		var published latencies
		p := publish.NewPublisher(publish.Upstream{Name: "web", Service: key, Port: "http"}, driver, source, publish.Options{
			Logger: slog.New(slog.NewTextHandler(&log, nil)), Metrics: &published, Reobserve: 7 * time.Second,
		})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); p.Run(ctx) }()
		defer func() { cancel(); <-done }()

		begin := time.Now()
		type step struct {
			After time.Duration
			Has   string
		}
		var steps []step
		look := func(after time.Duration) {
			time.Sleep(time.Until(begin.Add(after)))
			synctest.Wait()
			var data template.Data
			if err := json.Unmarshal([]byte(contentOf(t, dest)), &data); err != nil {
				t.Fatal(err)
			}
			steps = append(steps, step{after, data.Active[0].IP})
		}
		look(time.Second)
		for i := range 30 { // a change each second
			ix.Apply(ix.Parse(sliceOf(fmt.Sprintf("10.0.1.%d", i+1))))
			p.Wake(time.Now())
			time.Sleep(time.Second)
		}
		look(59 * time.Second)
		if pending := p.Status().Pending; len(pending) != 1 {
			t.Errorf("pending is %q", pending)
		}
		look(61 * time.Second)
		ix.Apply(ix.Parse(sliceOf("10.0.2.1")))
		p.Wake(time.Time{})
		look(119 * time.Second)
		look(121 * time.Second)
		want := []step{
			{time.Second, "10.0.0.1"},
			{59 * time.Second, "10.0.0.1"},
			{61 * time.Second, "10.0.1.30"},
			{119 * time.Second, "10.0.1.30"},
			{121 * time.Second, "10.0.2.1"},
		}
		if diff := cmp.Diff(want, steps); diff != "" {
			t.Errorf("what the file has (-want +got):\n%s", diff)
		}
		if status := p.Status(); status.Phase != publish.PhasePublished || status.Generation != 3 || len(status.Pending) != 0 || strings.Contains(log.String(), "level=ERROR") {
			t.Errorf("the status is %+v, the log:\n%s", status, log.String())
		}
		// The first change came after a second, and went out at 60 s.
		if diff := cmp.Diff(latencies{0, 59 * time.Second, 0}, published); diff != "" {
			t.Errorf("latencies (-want +got):\n%s", diff)
		}
	})
}

// latencies keeps what a publisher tells of its publishes.
type latencies []time.Duration

func (l *latencies) Wrote(string, string, int)                    {}
func (l *latencies) Failed(string, string)                        {}
func (l *latencies) Published(_, _ string, latency time.Duration) { *l = append(*l, latency) }

// What another driver observed or planned is refused by its type, and another
// target's plan by its name.
func TestWhatIsOfAnotherDriverIsRefused(t *testing.T) {
	dir := t.TempDir()
	d := newDriver(t, template.Config{Source: "builtin:json", Destination: filepath.Join(dir, "a")})
	ops := d.Plan(desired(t, "10.0.0.1"), nil)
	if _, err := d.Apply(t.Context(), ops); err == nil || !strings.Contains(err.Error(), "a <nil> is not what this driver's Observe returns") {
		t.Errorf("the error is %v", err)
	}
	if _, err := d.Apply(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "a <nil> is not what this driver's Plan returns") {
		t.Errorf("the error is %v", err)
	}
	other := newDriver(t, template.Config{Source: "builtin:json", Destination: filepath.Join(dir, "b")})
	seen, err := d.Observe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Apply(t.Context(), d.Plan(desired(t, "10.0.0.1"), seen)); err == nil || !strings.Contains(err.Error(), "the plan is for "+filepath.Join(dir, "a")) {
		t.Errorf("the error is %v", err)
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
