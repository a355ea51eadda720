package conformance

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"sigs.k8s.io/yaml"
)

// LoadConsumers reads all *.yaml of a folder, in the order of their names.
func LoadConsumers(dir string) ([]*Consumer, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		return nil, fmt.Errorf("read consumers: %w", err)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no consumer (*.yaml) in %s", dir)
	}
	var all []*Consumer
	var errs []error
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read consumers: %w", err)
		}
		c, err := ParseConsumer(content, filepath.Dir(file))
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", file, err))
			continue
		}
		if slices.ContainsFunc(all, func(other *Consumer) bool { return other.Name == c.Name }) {
			errs = append(errs, fmt.Errorf("%s: there is a consumer %s already", file, c.Name))
		}
		all = append(all, c)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return all, nil
}

// ParseConsumer reads one consumer. Relative folders in it count from dir.
// Fields that nobody knows are errors.
func ParseConsumer(content []byte, dir string) (*Consumer, error) {
	c := &Consumer{}
	if err := yaml.UnmarshalStrict(content, c); err != nil {
		return nil, err
	}
	if c.Title == "" {
		c.Title = c.Name
	}
	if c.Settle.Least.Duration == 0 {
		c.Settle.Least.Duration = 1500 * time.Millisecond
	}
	if c.Settle.Most.Duration == 0 {
		c.Settle.Most.Duration = 10 * time.Second
	}
	if len(c.Promises.Families) == 0 {
		c.Promises.Families = []string{"IPv4", "IPv6"}
	}
	if c.Build != nil {
		if c.Build.Package == "" {
			c.Build.Package = "."
		}
		if !filepath.IsAbs(c.Build.Dir) {
			c.Build.Dir = filepath.Join(dir, c.Build.Dir)
		}
	}
	return c, c.validate()
}

var (
	nameForm        = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,40}[a-z0-9])?$`)
	placeholderForm = regexp.MustCompile(`\$\{([A-Za-z0-9_]*)\}`)
	// placeholders are those of an instance; the values come with it.
	placeholders = []string{
		"KUBECONFIG", "NAMESPACE", "SERVICE", "PORT", "DIR", "LISTEN", "LISTEN_IP", "LISTEN_PORT", "NODE", "ZONE",
		"CLUSTER_IP", "CLUSTER_IP6", "PROGRAM", "SLICEWRIGHT", "READER",
	}
)

func (c *Consumer) validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if c.APIVersion != APIVersion || c.Kind != KindConsumer {
		bad("apiVersion and kind must be %s and %s", APIVersion, KindConsumer)
	}
	if !nameForm.MatchString(c.Name) {
		bad("name %q: use lower-case letters, digits and hyphens", c.Name)
	}
	if (c.Component == "") == (len(c.Start) == 0) {
		bad("say start, or component, and not both")
	}
	if c.Scope != "" && c.Scope != "service" && c.Scope != "cluster" {
		bad("scope %q: service or cluster", c.Scope)
	}
	if len(c.Reach) == 0 && len(c.View) == 0 {
		bad("say reach or view, so that there is something to judge")
	}
	if !slices.Contains([]Policy{PolicyReady, PolicyKubeProxy, PolicyPublished, PolicyEndpoints}, c.Promises.Policy) {
		bad("promises.policy %q: ready, kube-proxy, published or endpoints", c.Promises.Policy)
	}
	for _, family := range c.Promises.Families {
		if family != "IPv4" && family != "IPv6" {
			bad("promises.families: %q is neither IPv4 nor IPv6", family)
		}
	}
	if c.Settle.Least.Duration < 0 || c.Settle.Most.Duration < c.Settle.Least.Duration {
		bad("settle: most must not be less than least")
	}
	for name := range c.Files {
		if !filepath.IsLocal(name) || name != filepath.Clean(name) {
			bad("files: %q is not a path inside the instance's folder", name)
		}
	}
	for i, p := range c.Start {
		if p.Name == "" || len(p.Argv) == 0 {
			bad("start[%d]: name and argv must be there", i)
		}
	}
	for _, d := range c.Differences {
		if d.Scenario == "" || d.Rule == "" || d.Why == "" {
			bad("differences: scenario, rule and why must all be there")
		}
	}
	for _, text := range c.texts() {
		for _, found := range placeholderForm.FindAllStringSubmatch(text, -1) {
			if !slices.Contains(placeholders, found[1]) {
				bad("there is no placeholder %s", found[0])
			}
		}
	}
	return errors.Join(errs...)
}

// texts are all fields in which placeholders are filled in.
func (c *Consumer) texts() []string {
	all := slices.Concat(c.Reach, c.View)
	for _, content := range c.Files {
		all = append(all, content)
	}
	for _, p := range c.Start {
		all = append(all, p.Ready)
		all = append(all, p.Argv...)
		all = append(all, p.Env...)
	}
	for _, v := range c.Versions {
		all = append(all, v.Command...)
	}
	return all
}
