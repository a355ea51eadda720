package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slicewright/slicewright/endpointset"
)

const whole = `apiVersion: slicewright.dev/v1alpha1
kind: Config
namespaces: [vector-lab]
accept: {managers: [], cidrs: [10.42.0.0/16], addressTypes: [IPv4]}
location: {zone: zone-a, node: n1}
state: {dir: state}
publish: {window: 10ms}
upstreams:
- name: reports
  service: vector-lab/reports
  port: http
  topology: {use: zone, mode: require}
  drainTimeout: 30s
  to:
  - haproxy: {socket: admin.sock, backend: reports, server: {check: true, interval: 1s}}
  - template: {source: "builtin:nginx", destination: reports.conf}
- name: peers
  service: vector-lab/reports
  port: http
  policy: published
  onEmpty: hold
  to:
  - template: {source: "builtin:json", destination: peers.json}
`

func TestAWholeConfiguration(t *testing.T) {
	c, err := Parse([]byte(whole), "/etc/slicewright")
	if err != nil {
		t.Fatal(err)
	}
	u := c.Upstreams[0].Upstream(c)
	if u.Service != (endpointset.ServiceKey{Namespace: "vector-lab", Name: "reports"}) || u.Policy != endpointset.PolicyReady ||
		u.Protocol != "TCP" || u.DrainTimeout != 30*time.Second || u.HoldEmpty {
		t.Errorf("the first upstream is %+v", u)
	}
	if want := (endpointset.Location{Zone: "zone-a", Node: "n1", Topology: endpointset.TopologyZone, Mode: endpointset.ModeRequire}); u.Location != want {
		t.Errorf("it stands at %+v, want %+v", u.Location, want)
	}
	if u := c.Upstreams[1].Upstream(c); u.Policy != endpointset.PolicyPublished || !u.HoldEmpty || u.Location.Topology != endpointset.TopologyAny {
		t.Errorf("the second upstream is %+v", u)
	}
	for i, want := range []string{"/etc/slicewright/admin.sock", "/etc/slicewright/reports.conf"} {
		d, err := c.Upstreams[0].To[i].Driver()
		if err != nil || !strings.Contains(d.Target(), want) {
			t.Errorf("target %d is %v (%v), want a path under the configuration's folder: %s", i, d, err, want)
		}
	}
	if c.State.Dir != "/etc/slicewright/state" {
		t.Errorf("the state folder is %s", c.State.Dir)
	}
	options := c.Index()
	if len(options.CIDRs) != 1 || options.CIDRs[0].String() != "10.42.0.0/16" || len(options.Families) != 1 {
		t.Errorf("accepted is %+v", options)
	}
}

// Every mistake is named with its line and field, and nothing is built.
func TestMistakes(t *testing.T) {
	replace := func(old, new string) string {
		if !strings.Contains(whole, old) {
			t.Fatalf("%q is not in the configuration", old)
		}
		return strings.Replace(whole, old, new, 1)
	}
	for _, c := range []struct{ name, text, want string }{
		{"an unknown field", replace("onEmpty: hold", "onEmtpy: hold"), "line 21: unknown field onEmtpy"},
		{"an unknown policy", replace("policy: published", "policy: redy"), `line 20: upstreams[1].policy: unknown policy "redy": use one of ready,`},
		{"an unknown kind", replace("kind: Config", "kind: Konfig"), `line 2: kind: is "Konfig"`},
		{"another version", replace("v1alpha1", "v2"), `line 1: apiVersion: is "slicewright.dev/v2"`},
		{"no network", replace("10.42.0.0/16", "10.42.0.0"), `line 4: cidrs: "10.42.0.0" is no network`},
		{"no family", replace("[IPv4]", "[IPv5]"), `line 4: accept.addressTypes[0]: "IPv5" is not one of IPv4, IPv6`},
		{"no time span", replace("30s", "30"), `line 13: "30" is no time span`},
		{"a Service without namespace", replace("service: vector-lab/reports", "service: reports"), `line 10: upstreams[0].service: "reports" is not NAMESPACE/NAME`},
		{"a namespace that is not watched", replace("namespaces: [vector-lab]", "namespaces: [other]"), `line 10: upstreams[0].service: "vector-lab/reports" is in a namespace that is not watched`},
		{"a name used twice", replace("name: peers", "name: reports"), `line 17: upstreams[1].name: "reports" is used twice`},
		{"a hostile name", replace("name: peers", `name: "x { server 1.2.3.4; }"`), `line 17: upstreams[1].name: "x { server 1.2.3.4; }" is no name`},
		{"one target for two", replace("destination: peers.json", "destination: ./reports.conf"), `line 23: upstreams[1].to[0].template: upstreams "reports" and "peers" both write template:/etc/slicewright/reports.conf`},
		{"a template that is not there", replace(`"builtin:json"`, "nowhere.tmpl"), `line 23: upstreams[1].to[0].template: template: read source: open /etc/slicewright/nowhere.tmpl`},
		{"no target", replace("  - haproxy: {socket: admin.sock, backend: reports, server: {check: true, interval: 1s}}\n  - template: {source: \"builtin:nginx\", destination: reports.conf}\n", ""), `upstreams[0].to: there is no target`},
		{"two targets in one", replace("  - template: {source: \"builtin:nginx\"", "    template: {source: \"builtin:nginx\""), `upstreams[0].to[0]: names haproxy and template at once`},
		{"a backend that is no name", replace("backend: reports,", "backend: \"a;b\","), "upstreams[0].to[0].haproxy: "},
		{"zone without a zone", replace("location: {zone: zone-a, node: n1}\n", ""), `upstreams[0].topology: topology "zone" needs to know where the consumer is`},
		{"shadow with a target", replace("  onEmpty: hold", "  mode: shadow"), "upstreams[1].to: an upstream in mode shadow publishes nowhere"},
		{"a second document", whole + "---\nkind: Config\n", "there is a second document"},
		{"nothing", "", "the file is empty"},
		{"no upstream", "apiVersion: slicewright.dev/v1alpha1\nkind: Config\n", "upstreams: the list is empty"},
		{"an empty upstream", "apiVersion: slicewright.dev/v1alpha1\nkind: Config\nupstreams:\n-\n", "line 4: upstreams[0]: is empty"},
		{"no YAML", "a: b: c", "mapping values are not allowed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse([]byte(c.text), "/etc/slicewright")
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v\nwant: %s", err, c.want)
			}
		})
	}
}

// All mistakes are told at once.
func TestAllMistakesAreTold(t *testing.T) {
	text := strings.NewReplacer("policy: published", "policy: redy", "IPv4", "IPv5").Replace(whole)
	_, err := Parse([]byte(text), "/")
	if err == nil || !strings.Contains(err.Error(), "redy") || !strings.Contains(err.Error(), "IPv5") {
		t.Errorf("the error is %v", err)
	}
}

func TestATemplateThatDoesNotParse(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "bad.tmpl"), []byte("{{range}}"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Parse([]byte(strings.Replace(whole, `"builtin:json"`, "bad.tmpl", 1)), dir)
	if err == nil || !strings.Contains(err.Error(), "line 23") || !strings.Contains(err.Error(), "bad.tmpl") {
		t.Errorf("the error is %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte("upstreams: [null]\nleaderElection: {}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse(data, "/nowhere")
		if (c == nil) == (err == nil) {
			t.Errorf("configuration %v and error %v", c, err)
		}
	})
}
