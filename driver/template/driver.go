package template

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/template"
	"time"

	"github.com/slicewright/slicewright/internal/atomicfile"
	"github.com/slicewright/slicewright/publish"
)

// Driver renders one file. It implements [publish.Driver].
type Driver struct {
	config   Config
	template *template.Template
	// good is the file that holds the content that was last reloaded. It tells
	// a content that was written from a content that is in use, also after a
	// crash between the two, and it comes back when a new content is refused.
	good string
	// lastReload is when this process last ran the reload command.
	lastReload time.Time
}

var _ publish.Driver = (*Driver)(nil)

// New returns a driver, or says what is wrong with its configuration. The
// template is parsed, nothing is written or run.
func New(config Config) (*Driver, error) {
	parsed, err := config.load()
	if err != nil {
		return nil, err
	}
	if config.CommandTimeout == 0 {
		config.CommandTimeout = 10 * time.Second
	}
	dir, file := filepath.Split(config.Destination)
	return &Driver{config: config, template: parsed, good: filepath.Join(dir, "."+file+".good")}, nil
}

// Target returns "template:" and the destination's absolute path.
func (d *Driver) Target() string {
	path, err := filepath.Abs(d.config.Destination)
	if err != nil {
		path = d.config.Destination
	}
	return "template:" + path
}

// content is what a file holds; there is false when the file does not exist.
type content struct {
	bytes []byte
	there bool
}

type observed struct {
	destination, good content
	// reloadIn is how long until the next reload is allowed, 0 or less for now.
	reloadIn time.Duration
}

// Ours is 1 when something was rendered and taken over, else 0.
func (o *observed) Ours() int {
	if o.good.there && o.destination.there {
		return 1
	}
	return 0
}

// Foreign is nil: the whole file is ours.
func (o *observed) Foreign() []string { return nil }

// Observe reads the destination and what was last reloaded.
func (d *Driver) Observe(context.Context) (publish.Observed, error) {
	var o observed
	var err error
	if o.destination, err = read(d.config.Destination); err != nil {
		return nil, fmt.Errorf("template: %w", err)
	}
	if o.good, err = read(d.good); err != nil {
		return nil, fmt.Errorf("template: %w", err)
	}
	if len(d.config.Reload) > 0 {
		o.reloadIn = time.Until(d.lastReload.Add(d.config.MinInterval))
	}
	return &o, nil
}

func read(path string) (content, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return content{}, nil
	}
	return content{data, err == nil}, err
}

type ops struct {
	driver   *Driver
	rendered []byte
	before   *observed
	empty    bool
	// waits is how long until the content may be sent; above 0, nothing is sent.
	waits time.Duration
	err   error
}

// Plan renders. It is empty when the destination holds just these bytes and
// they have been taken over. It only waits while the last reload is not
// MinInterval ago.
func (d *Driver) Plan(desired publish.Desired, o publish.Observed) publish.Ops {
	p := &ops{driver: d}
	before, ok := o.(*observed)
	if !ok || before == nil {
		p.err = fmt.Errorf("template: plan: a %T is not what this driver's Observe returns", o)
		return p
	}
	p.before = before
	var b bytes.Buffer
	if err := d.template.Execute(&b, dataOf(desired)); err != nil {
		p.err = fmt.Errorf("template: render %s for upstream %q: %w", d.config.Source, desired.Upstream, err)
		return p
	}
	p.rendered = b.Bytes()
	has := func(c content) bool { return c.there && bytes.Equal(c.bytes, p.rendered) }
	p.empty = has(before.destination) && has(before.good)
	if !p.empty {
		p.waits = max(0, before.reloadIn)
	}
	return p
}

func (p *ops) Empty() bool { return p.empty }

// sends reports whether Apply has something to write.
func (p *ops) sends() bool { return !p.empty && p.waits == 0 && p.err == nil }

func (p *ops) Len() int {
	if p.sends() {
		return 1
	}
	return 0
}

func (p *ops) Waiting() ([]string, time.Duration) {
	if p.waits == 0 {
		return nil, 0
	}
	c := &p.driver.config
	return []string{fmt.Sprintf("%s changes in %s: reloads are at least %s apart",
		c.Destination, p.waits.Round(time.Second), c.MinInterval)}, p.waits
}

// String is the commands that are run and the bytes that are written.
func (p *ops) String() string {
	if !p.sends() {
		return ""
	}
	c := &p.driver.config
	var b strings.Builder
	if c.checksCandidate() {
		fmt.Fprintf(&b, "run %q\n", c.Check)
	}
	fmt.Fprintf(&b, "write %d bytes to %s:\n%s", len(p.rendered), c.Destination, p.rendered)
	if len(p.rendered) > 0 && p.rendered[len(p.rendered)-1] != '\n' {
		b.WriteByte('\n')
	}
	if len(c.Check) > 0 && !c.checksCandidate() {
		fmt.Fprintf(&b, "run %q\n", c.Check)
	}
	if len(c.Reload) > 0 {
		fmt.Fprintf(&b, "run %q\n", c.Reload)
	}
	return b.String()
}

// Apply writes, checks and reloads. When the check or the reload fails, the
// last content that was taken over is back afterwards, and reloaded if the new
// one may have been.
func (d *Driver) Apply(ctx context.Context, o publish.Ops) (publish.Result, error) {
	p, ok := o.(*ops)
	switch {
	case !ok || p == nil:
		return publish.Result{}, fmt.Errorf("template: apply: a %T is not what this driver's Plan returns", o)
	case p.driver != d:
		return publish.Result{}, fmt.Errorf("template: apply: the plan is for %s, and this driver writes %s", p.driver.config.Destination, d.config.Destination)
	case !p.sends():
		return publish.Result{}, p.err
	}
	if d.config.checksCandidate() {
		if err := d.checkCandidate(ctx, p.rendered); err != nil {
			return publish.Result{}, err
		}
	}
	if err := replace(d.config.Destination, p.rendered); err != nil {
		return publish.Result{}, fmt.Errorf("template: %w", err)
	}
	if len(d.config.Check) > 0 && !d.config.checksCandidate() {
		if err := d.run(ctx, "check", d.config.Check); err != nil {
			return publish.Result{Writes: 1}, errors.Join(err, d.restore(p.before))
		}
	}
	if len(d.config.Reload) > 0 {
		d.lastReload = time.Now()
		if err := d.run(ctx, "reload", d.config.Reload); err != nil {
			err = errors.Join(err, d.restore(p.before))
			// The reader may have taken half of it. With the last good content
			// in place, a second reload is its way back; its own failure says
			// nothing new.
			if p.before.good.there {
				_ = d.run(ctx, "reload", d.config.Reload)
			}
			return publish.Result{Writes: 1}, err
		}
	}
	if err := replace(d.good, p.rendered); err != nil {
		return publish.Result{Writes: 1}, fmt.Errorf("template: %w", err)
	}
	return publish.Result{Writes: 1}, nil
}

// checkCandidate runs the check on the new content in a file of its own.
func (d *Driver) checkCandidate(ctx context.Context, rendered []byte) error {
	file, err := os.CreateTemp(filepath.Dir(d.config.Destination), "."+filepath.Base(d.config.Destination)+".candidate-")
	if err != nil {
		return fmt.Errorf("template: %w", err)
	}
	defer os.Remove(file.Name())
	_, err = file.Write(rendered)
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("template: %w", err)
	}
	args := make([]string, len(d.config.Check))
	for i, arg := range d.config.Check {
		args[i] = strings.ReplaceAll(arg, candidate, file.Name())
	}
	return d.run(ctx, "check", args)
}

// restore puts the last good content back, or what was there before if nothing
// is known to be good.
func (d *Driver) restore(before *observed) error {
	last := before.good
	if !last.there {
		last = before.destination
	}
	var err error
	if last.there {
		err = replace(d.config.Destination, last.bytes)
	} else {
		err = os.Remove(d.config.Destination)
	}
	if err != nil {
		return fmt.Errorf("template: put the last good content back: %w", err)
	}
	return nil
}

// replace replaces a file in one step.
func replace(path string, data []byte) error { return atomicfile.Write(path, data, 0o644) }
