package template_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slicewright/slicewright/driver/template"
	"github.com/slicewright/slicewright/publish"
	"github.com/slicewright/slicewright/publish/publishtest"
)

// cutVariable names the file with what a process of TestMain applies.
const cutVariable = "SLICEWRIGHT_TEMPLATE_CUT"

// cut is what a process that is killed in the middle was about to do.
type cut struct {
	Config  template.Config
	Desired publish.Desired
}

// TestMain is also the process that is killed: the check and the reload of a
// reader kill the process that runs them.
func TestMain(m *testing.M) {
	if file := os.Getenv(cutVariable); file != "" {
		if err := applyFrom(file); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func applyFrom(file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var c cut
	if err := json.Unmarshal(data, &c); err != nil {
		return err
	}
	d, err := template.New(c.Config)
	if err != nil {
		return err
	}
	ctx := context.Background()
	seen, err := d.Observe(ctx)
	if err != nil {
		return err
	}
	_, err = d.Apply(ctx, d.Plan(c.Desired, seen))
	return err
}

// A reader is what reads a rendered file: it takes the file over when it starts
// and at each reload, as nginx does. It is played by two scripts.
type reader struct {
	dir    string
	config template.Config
}

// readerScript is the check and the reload. Each step of them counts: at the step
// in the file "kill" the script kills the driver's process.
const readerScript = `#!/bin/sh
cd DIR
step() {
	if [ -e kill ]; then
		n=$(cat kill)
		if [ "$n" = 0 ]; then kill -9 $PPID; exit 1; fi
		echo $((n - 1)) > kill
	fi
}
if [ -e slow ]; then sleep "$(cat slow)"; fi
step
case $1 in
check) if [ -e refuse ]; then echo refused >&2; exit 1; fi ;;
reload) cp destination running.next && mv running.next running; step ;;
esac
`

func newReader(t testing.TB) publishtest.Target {
	r := &reader{dir: t.TempDir()}
	script := filepath.Join(r.dir, "reader.sh")
	if err := os.WriteFile(script, []byte(strings.ReplaceAll(readerScript, "DIR", r.dir)), 0o755); err != nil {
		t.Fatal(err)
	}
	r.config = template.Config{
		Source: "builtin:json", Destination: r.file("destination"),
		Check: []string{script, "check", "{candidate}"}, Reload: []string{script, "reload"}, CommandTimeout: time.Minute,
	}
	return r
}

func (r *reader) file(name string) string { return filepath.Join(r.dir, name) }

// set writes a file that the scripts read, or removes it when there is no text.
func (r *reader) set(t testing.TB, name, text string) {
	t.Helper()
	err := os.WriteFile(r.file(name), []byte(text), 0o644)
	if text == "" {
		err = os.Remove(r.file(name))
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
}

func (r *reader) Driver(t testing.TB) publish.Driver {
	d, err := template.New(r.config)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func (r *reader) Active(t testing.TB) []string {
	text, err := os.ReadFile(r.file("running"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	var data template.Data
	if err = errors.Join(err, json.Unmarshal(text, &data)); err != nil {
		t.Error(err)
	}
	var list []string
	for _, b := range data.Active {
		list = append(list, b.Endpoint)
	}
	return list
}

// Restart has the reader read its file as it is.
func (r *reader) Restart(t testing.TB) {
	text, err := os.ReadFile(r.file("destination"))
	if err != nil {
		t.Fatal(err)
	}
	r.set(t, "running", string(text))
}

func (r *reader) Refuse(t testing.TB, on bool) {
	r.set(t, "refuse", map[bool]string{true: "yes"}[on])
}

func (r *reader) Slow(t testing.TB, by time.Duration) {
	if by == 0 {
		r.set(t, "slow", "")
		return
	}
	r.set(t, "slow", fmt.Sprint(by.Seconds()))
}

// Cut runs the driver in a process that is really killed.
func (r *reader) Cut(t testing.TB, desired publish.Desired, n int) bool {
	what, err := json.Marshal(cut{r.config, desired})
	if err != nil {
		t.Fatal(err)
	}
	r.set(t, "cut.json", string(what))
	r.set(t, "kill", fmt.Sprint(n))
	defer r.set(t, "kill", "")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), cutVariable+"="+r.file("cut.json"))
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.Exited()) {
		t.Fatalf("the process was not killed: %v\n%s", err, out)
	}
	return err == nil
}

func TestTheDriverPassesTheSuite(t *testing.T) { publishtest.Run(t, newReader) }
