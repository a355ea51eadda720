package scenario

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slicewright/slicewright/lab/auditlog"
)

func TestAPublisherThatAskedForEndpointsOrCannotBeSeenFailsTheScript(t *testing.T) {
	event := func(user, agent, group, resource string) string {
		return fmt.Sprintf(`{"kind":"Event","verb":"list","requestURI":"/there","user":{"username":%q},"userAgent":%q,"objectRef":{"apiGroup":%q,"resource":%q}}`+"\n",
			user, agent, group, resource)
	}
	const discovery = "discovery.k8s.io"
	reads := event("scenario:x:sw", "slicewright/dev (linux/amd64) run", discovery, "endpointslices")
	for _, c := range []struct{ why, log, want string }{
		{"slices alone", reads + event("admin", "kubectl", "", "endpoints"), ""},
		{"Endpoints too", reads + event("scenario:x:sw", "slicewright/dev (linux/amd64) run", "", "endpoints"), "asked for Endpoints 1 times: list /there"},
		{"Endpoints under another agent", reads + event("scenario:x:sw", "Go-http-client/1.1", "", "endpoints"), "asked for Endpoints"},
		{"nothing", event("admin", "kubectl", discovery, "endpointslices"), "proves nothing"},
		{"slices, by another command", event("scenario:x:sw", "slicewright/dev (linux/amd64) record", discovery, "endpointslices"), "proves nothing"},
	} {
		path := filepath.Join(t.TempDir(), "audit.log")
		log, err := auditlog.Now(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(c.log), 0o600); err != nil {
			t.Fatal(err)
		}
		s := &script{publishers: []publisher{{"sw", "scenario:x:sw"}}}
		err = s.judgePublishers(log)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.why, err, c.want)
		}
	}
}

func TestOnlyWhatPublishesIsAPublisher(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"publish.yaml": "upstreams: [{name: a}, {name: b, mode: publish}]",
		"shadow.yaml":  "upstreams: [{name: a}, {name: b, mode: shadow}]",
		"token":        "apiVersion: v1\nkind: Config\ncurrent-context: x\ncontexts: [{name: x, context: {cluster: x, user: x}}]\nclusters: [{name: x, cluster: {server: https://127.0.0.1}}]\nusers: [{name: x, user: {token: e30.eyJzdWIiOiJzeXN0ZW06c2VydmljZWFjY291bnQ6bnM6c3cifQ.e30}}]\n",
		"nobody":       "apiVersion: v1\nkind: Config\ncurrent-context: x\ncontexts: [{name: x, context: {cluster: x}}]\nclusters: [{name: x, cluster: {server: https://127.0.0.1}}]\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args string
		want string // "" is no error
		fail bool
	}{
		{"run --config publish.yaml --kubeconfig token", "system:serviceaccount:ns:sw", false},
		{"run --config=publish.yaml --kubeconfig=token", "system:serviceaccount:ns:sw", false},
		{"run --config shadow.yaml --kubeconfig token", "", false},
		{"record --kubeconfig token", "", false},
		{"run --config publish.yaml --kubeconfig nobody", "", true},
		{"run --config absent.yaml --kubeconfig token", "", true},
	} {
		s := &script{work: dir}
		err := s.notePublisher("sw", "nobody", strings.Fields(c.args))
		got := ""
		if len(s.publishers) > 0 {
			got = s.publishers[0].user
		}
		if got != c.want || (err != nil) != c.fail {
			t.Errorf("%s: %q, %v", c.args, got, err)
		}
	}
}
