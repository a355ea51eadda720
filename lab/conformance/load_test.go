package conformance

import (
	"strings"
	"testing"

	"github.com/slicewright/slicewright/app/observe"
)

const minimal = `
apiVersion: slicewright.dev/v1alpha1
kind: ConformanceConsumer
name: mine
start: [{name: mine, argv: [mine]}]
reach: ["http://${LISTEN}/"]
promises: {policy: ready}
`

func TestMinimalConsumerHasDefaults(t *testing.T) {
	c, err := ParseConsumer([]byte(minimal), "/somewhere")
	if err != nil {
		t.Fatal(err)
	}
	if c.Title != "mine" || c.Settle.Least.Duration <= 0 || c.Settle.Most.Duration <= c.Settle.Least.Duration || len(c.Promises.Families) != 2 {
		t.Errorf("got %+v", c)
	}
}

func TestConsumerThatCannotBeRunIsRefused(t *testing.T) {
	for _, test := range []struct{ name, old, new, want string }{
		{"unknown field", "reach:", "reech:", "reech"},
		{"unknown placeholder", "${LISTEN}", "${LISTENS}", "no placeholder ${LISTENS}"},
		{"name that is a path", "name: mine\nstart", "name: ../mine\nstart", "name"},
		{"nothing to judge", `reach: ["http://${LISTEN}/"]`, "", "reach or view"},
		{"no policy", "policy: ready", "policy: best", "promises.policy"},
		{"nothing to start", "start: [{name: mine, argv: [mine]}]", "", "start, or component"},
		{"start and component", "promises:", "component: kube-proxy\npromises:", "start, or component"},
		{"no program", "argv: [mine]", "argv: []", "argv"},
		{"file outside the folder", "promises:", "files: {../x: y}\npromises:", "inside the instance's folder"},
		{"difference without a reason", "promises:", "differences: [{scenario: ghost, rule: S6}]\npromises:", "why"},
		{"another kind", "kind: ConformanceConsumer", "kind: Config", "kind"},
		{"families", "policy: ready", "policy: ready, families: [IPX]", "IPX"},
		{"settle upside down", "promises:", "settle: {least: 3s, most: 1s}\npromises:", "settle"},
		{"scope", "promises:", "scope: world\npromises:", "scope"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if !strings.Contains(minimal, test.old) {
				t.Fatalf("the minimal consumer has no %q", test.old)
			}
			_, err := ParseConsumer([]byte(strings.Replace(minimal, test.old, test.new, 1)), "")
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error about %q", err, test.want)
			}
		})
	}
}

// The consumers of the checkout can be read, and what they say about where to
// look is understood; a difference that they name is about a scenario.
func TestOurConsumersAreSound(t *testing.T) {
	consumers, err := LoadConsumers("consumers")
	if err != nil {
		t.Fatal(err)
	}
	v := values{}
	for _, name := range placeholders {
		v[name] = "1"
	}
	v["DIR"] = "/d"
	v["LISTEN"], v["LISTEN_IP"], v["LISTEN_PORT"] = "127.0.0.1:80", "127.0.0.1", "80"
	v["CLUSTER_IP"], v["CLUSTER_IP6"], v["NAMESPACE"], v["SERVICE"], v["PORT"] = "10.0.0.1", "[fd00::1]", "ns", "web", "http"
	for _, c := range consumers {
		for _, text := range c.Reach {
			filled, err := v.fill(text)
			if err != nil {
				t.Errorf("%s: %v", c.Name, err)
			} else if _, err := observe.NewProber(filled, observe.ProbeOptions{}); err != nil {
				t.Errorf("%s: %v", c.Name, err)
			}
		}
		for _, text := range c.View {
			filled, err := v.fill(text)
			if err != nil {
				t.Errorf("%s: %v", c.Name, err)
			} else if _, err := observe.NewObserver(filled); err != nil {
				t.Errorf("%s: %v", c.Name, err)
			}
		}
		for _, d := range c.Differences {
			if _, ok := find(d.Scenario); !ok {
				t.Errorf("%s names a difference in %s, which is no scenario", c.Name, d.Scenario)
			}
		}
		if len(c.Versions) == 0 && c.Component == "" {
			t.Errorf("%s says no version", c.Name)
		}
	}
}

func TestFillLeavesNoPlaceholder(t *testing.T) {
	v := values{"DIR": "/d", "PORT": "${DIR}"}
	if got, err := v.fill("a ${DIR}/x ${PORT} $DIR"); err != nil || got != "a /d/x ${DIR} $DIR" {
		// A value is not looked at again: it comes from the cluster.
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := v.fill("${ZONE}"); err == nil {
		t.Errorf("a placeholder without a value became %q", got)
	}
}
