package auditpolicy

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const head = "apiVersion: audit.k8s.io/v1\nkind: Policy\n"

func parse(t *testing.T, text string) *Policy {
	t.Helper()
	p, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestTheFirstRuleThatMatchesDecides(t *testing.T) {
	p := parse(t, head+`
omitStages: [RequestReceived]
rules:
- {level: None, users: ["system:kube-proxy"], verbs: [watch], resources: [{group: "", resources: [endpoints]}]}
- {level: None, userGroups: ["system:nodes"]}
- {level: None, nonResourceURLs: ["/healthz*"]}
- {level: Request, namespaces: [kube-system]}
- {level: Metadata, resources: [{group: "", resources: [endpoints], resourceNames: [web]}]}
- {level: RequestResponse, resources: [{group: "apps"}]}
- {level: Metadata, resources: [{group: "", resources: ["*"]}], omitStages: [ResponseStarted]}
`)
	cases := []struct {
		name  string
		q     Request
		level string
		rule  int
	}{
		{"named user and verb", Request{User: "system:kube-proxy", Verb: "watch", Resource: "endpoints"}, "None", 0},
		{"another verb of that user", Request{User: "system:kube-proxy", Verb: "list", Resource: "endpoints"}, "Metadata", 6},
		{"a group", Request{User: "n", Groups: []string{"system:nodes"}, Verb: "get", Resource: "pods"}, "None", 1},
		{"a namespace", Request{User: "u", Verb: "get", Resource: "endpoints", Namespace: "kube-system"}, "Request", 3},
		{"a resource's name", Request{User: "u", Verb: "get", Resource: "endpoints", Name: "web"}, "Metadata", 4},
		{"the star", Request{User: "u", Verb: "get", Resource: "endpoints", Name: "other"}, "Metadata", 6},
		{"a group without resources is all of it", Request{User: "u", Verb: "get", Group: "apps", Resource: "deployments"}, "RequestResponse", 5},
		{"nothing", Request{User: "u", Verb: "get", Group: "discovery.k8s.io", Resource: "endpointslices"}, "None", -1},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			d := p.Evaluate(c.q)
			if d.Level != c.level || d.Rule != c.rule {
				t.Errorf("level %s by rule %d, want %s by %d", d.Level, d.Rule, c.level, c.rule)
			}
		})
	}
}

// A string for each blind spot, to compare.
func blindSpots(p *Policy) []string {
	var out []string
	for _, b := range p.Check().Blind {
		out = append(out, fmt.Sprintf("%s rule %d: %s [%s]", b.Resource, b.Rule, b.Why, strings.Join(b.Users, ", ")))
	}
	return out
}

func TestCheckNamesTheRuleThatHides(t *testing.T) {
	cases := map[string]struct {
		rules string
		want  []string
	}{
		"all at Metadata": {"rules:\n- level: Metadata\n", nil},
		"an early None for reads": {
			"rules:\n- level: None\n  verbs: [get, list, watch]\n- level: Metadata\n",
			[]string{
				"endpoints rule 1: level None hides it [any other ServiceAccount, a person]",
				"endpointslices rule 1: level None hides it [any other ServiceAccount, a person]",
			},
		},
		"None for a user who is no consumer": {
			"rules:\n- level: None\n  users: [system:apiserver]\n- level: Metadata\n",
			[]string{"endpoints rule 1: level None hides it [user system:apiserver]", "endpointslices rule 1: level None hides it [user system:apiserver]"},
		},
		"only endpoints are logged": {
			"rules:\n- level: Metadata\n  resources: [{group: \"\", resources: [endpoints]}]\n",
			[]string{"endpointslices rule 0: no rule matches, and what no rule matches is not logged [any other ServiceAccount, a person]"},
		},
		"ResponseStarted is omitted": {
			"omitStages: [ResponseStarted]\nrules:\n- level: Metadata\n",
			[]string{
				"endpoints rule 1: ResponseStarted is omitted: a watch shows only when it ends [any other ServiceAccount, a person]",
				"endpointslices rule 1: ResponseStarted is omitted: a watch shows only when it ends [any other ServiceAccount, a person]",
			},
		},
		"a ServiceAccount group": {
			"rules:\n- level: None\n  userGroups: [\"system:serviceaccounts:prod\"]\n  resources: [{group: \"\"}]\n- level: Metadata\n",
			[]string{"endpoints rule 1: level None hides it [any ServiceAccount of prod]"},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(c.want, blindSpots(parse(t, head+c.rules))); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestAddPutsOneRuleOnTopAndTouchesNothingElse(t *testing.T) {
	cases := map[string]string{
		"block":                    head + "rules:\n- level: None # quiet\n  verbs: [get]\n# the rest\n- level: Metadata\n",
		"indented, with comments":  "# ours\n" + head + "omitStages:\n  - RequestReceived\n\nrules: # first match wins\n\n  # nodes are loud\n  -   level: None\n      userGroups: [\"system:nodes\"]\n\n  - level: Metadata\n# end\n",
		"rules before other keys":  "rules:\n    - level: None\nkind: Policy\napiVersion: audit.k8s.io/v1\n",
		"Windows line ends":        "apiVersion: audit.k8s.io/v1\r\nkind: Policy\r\nrules:\r\n- level: None\r\n",
		"in brackets":              head + "rules: [{level: None}] # short\n",
		"empty brackets":           head + "rules: []\n",
		"JSON":                     "{\"apiVersion\": \"audit.k8s.io/v1\", \"kind\": \"Policy\",\n \"rules\": [\n  {\"level\": \"None\"}\n ]\n}\n",
		"no line end at the end":   head + "rules:\n- level: None",
		"the dash on its own line": head + "rules:\n-\n  level: None\n",
	}
	for name, text := range cases {
		t.Run(name, func(t *testing.T) {
			p := parse(t, text)
			out, changed, _, err := p.Add()
			if err != nil || !changed {
				t.Fatalf("changed %v, error %v", changed, err)
			}
			if !isSubsequence(out, []byte(text)) {
				t.Errorf("bytes of the policy were lost:\n%s", out)
			}
			after := parse(t, string(out))
			if !after.Check().Sees {
				t.Errorf("after the rule, hidden: %v\n%s", blindSpots(after), out)
			}
			if strings.Contains(text, "\r\n") && strings.Count(string(out), "\n") != strings.Count(string(out), "\r\n") {
				t.Errorf("line ends are mixed: %q", out)
			}
			again, changed, _, err := after.Add()
			if err != nil || changed || !bytes.Equal(again, out) {
				t.Errorf("a second add changes it again: changed %v, error %v", changed, err)
			}
		})
	}
}

// isSubsequence: out is text with one piece put in.
func isSubsequence(out, text []byte) bool {
	prefix := 0
	for prefix < len(text) && out[prefix] == text[prefix] {
		prefix++
	}
	return bytes.HasSuffix(out, text[prefix:])
}

func TestAddTellsWhatItCannotMend(t *testing.T) {
	p := parse(t, head+"omitStages: [ResponseStarted]\nrules:\n- level: None\n  verbs: [get]\n- level: RequestResponse\n  resources: [{group: \"\", resources: [endpoints]}]\n")
	_, changed, warnings, err := p.Add()
	if err != nil || !changed || len(warnings) != 2 {
		t.Fatalf("changed %v, error %v, warnings %q; want two warnings", changed, err, warnings)
	}
}

func TestWhatIsNoPolicyIsSaidToBeNone(t *testing.T) {
	for text, want := range map[string]string{
		"kind: Policy\napiVersion: policy/v1\nrules: []\n": "no audit policy",
		"- a\n":                          "no audit policy",
		"":                               "no audit policy",
		"a: [":                           "no YAML",
		head:                             "no list of rules",
		head + "rules: 3":                "no list of rules",
		head + "rules:\n- level: Loud\n": "level",
		head + "rules:\n- level: None\n  users: {}\n": "rule 1 in line 4",
	} {
		if _, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

func FuzzAdd(f *testing.F) {
	f.Add([]byte(head + "rules:\n- level: None\n"))
	f.Add([]byte(head + "rules: &a [*a]\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := Parse(text)
		if err != nil || len(p.Rules) > 50 {
			return
		}
		p.Check()
		out, changed, _, err := p.Add()
		if err == nil && changed {
			after, err := Parse(out)
			if err != nil || len(after.Rules) != len(p.Rules)+1 {
				t.Fatalf("the result is no policy with one more rule: %v\n%s", err, out)
			}
		}
	})
}
