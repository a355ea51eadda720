package kubeproxy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/slicewright/slicewright/app/internal/verify"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// dump is what the real kube-proxy had; see testdata/README.md.
func dump(t testing.TB, family string) []byte {
	t.Helper()
	data, err := os.ReadFile("testdata/" + family + "-1.37.2.json")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// from has s read the given tables instead of the kernel's.
func from(s *Source, tables map[string][]byte) *Source {
	s.list = func(_ context.Context, _, family string) ([]byte, error) {
		if table, ok := tables[family]; ok {
			return table, nil
		}
		return nil, errNoTable
	}
	return s
}

func newSource(t testing.TB, spec string, tables map[string][]byte) *Source {
	t.Helper()
	s, err := Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	return from(s, tables)
}

func written(list []verify.Member, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	var words []string
	for _, m := range list {
		words = append(words, strings.TrimSpace(m.Address.String()+" "+m.Detail))
		if m.Use != verify.New || m.Open != verify.Unknown || m.Total != verify.Unknown {
			words = append(words, fmt.Sprintf("%+v", m))
		}
	}
	return strings.Join(words, "; ")
}

func TestRealRules(t *testing.T) {
	both := map[string][]byte{"ip": dump(t, "ip"), "ip6": dump(t, "ip6")}
	for spec, want := range map[string]string{
		"shop/web:http":                "10.42.0.1:8080; 10.42.0.2:8080; [fd42::1]:8080",
		"shop/web:80":                  "10.42.0.1:8080; 10.42.0.2:8080; [fd42::1]:8080",
		"shop/web:admin":               "10.42.0.1:9001; 10.42.0.2:9001", // IPv6: rejected
		"shop/none:http":               "",                               // no endpoints: rejected
		"shop/none:80":                 "",
		"shop/sticky:http":             "10.42.0.1:8080; 10.42.0.2:8080",
		"shop/sticky:dns?protocol=udp": "10.42.0.1:5353; 10.42.0.2:5353",
		"shop/sticky:53?protocol=udp":  "10.42.0.1:5353; 10.42.0.2:5353",
		"shop/near:":                   "10.42.0.1:8080 of this node",
		"shop/near:80":                 "10.42.0.1:8080 of this node",
		"shop/far:":                    "", // none on this node: dropped
		"shop/far:80":                  "",
	} {
		if got := written(newSource(t, spec, both).Members(t.Context())); got != want {
			t.Errorf("%s: %s, want %s", spec, got, want)
		}
	}
	for _, spec := range []string{
		"shop/web:https", "shop/web:8080", "shop/we:http", "web/shop:http", "shop/sticky:dns", "shop/web:http?protocol=udp", "shop/web:",
		"shop/none:", "shop/none:admin", "shop/none:81", "shop/none:80?protocol=udp", "shop/far:80?protocol=udp", "shop/far:http", "shop/web:31604",
	} {
		if list, err := newSource(t, spec, both).Members(t.Context()); err == nil || !strings.Contains(err.Error(), "do not name") {
			t.Errorf("%s: %v, %v", spec, list, err)
		}
	}
}

func TestFamilies(t *testing.T) {
	v4, v6 := map[string][]byte{"ip": dump(t, "ip")}, map[string][]byte{"ip6": dump(t, "ip6")}
	if got := written(newSource(t, "shop/web:http", v4).Members(t.Context())); got != "10.42.0.1:8080; 10.42.0.2:8080" {
		t.Error(got)
	}
	if got := written(newSource(t, "shop/web:admin", v6).Members(t.Context())); got != "" {
		t.Error(got)
	}
	for says, tables := range map[string]map[string][]byte{
		"no nftables table": {},
		"nft's answer":      {"ip": dump(t, "ip"), "ip6": []byte("{")},
		"has not both maps": {"ip": dump(t, "ip"), "ip6": []byte(`{"nftables":[]}`)},
	} {
		if list, err := newSource(t, "shop/web:http", tables).Members(t.Context()); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, %v; want an error that says %q", list, err, says)
		}
	}
	broken := newSource(t, "shop/web:http", nil)
	broken.list = func(context.Context, string, string) ([]byte, error) { return nil, errors.New("not permitted") }
	if list, err := broken.Members(t.Context()); err == nil || !strings.Contains(err.Error(), "not permitted") {
		t.Errorf("%v, %v", list, err)
	}
}

// A chain that kube-proxy no longer leads to is not followed; rules of a form that
// is not known make an error, not an empty view.
func TestChangedRules(t *testing.T) {
	real := string(dump(t, "ip"))
	chain := "service-KHN6ECMT-shop/web/tcp/http"
	lead := `[{"concat": ["10.96.104.45", "tcp", 80]}, {"goto": {"target": "` + chain + `"}}], `
	for _, tc := range []struct{ what, old, new, want string }{
		{"retired", lead, "", "error: kube-proxy: shop/web:http: kube-proxy's rules do not name"},
		{"other hash", lead, strings.Replace(lead, "KHN6ECMT", "AAAAAAAA", 1), "error: kube-proxy: shop/web:http: kube-proxy's rules do not name"},
		{"no rules", `"chain": "` + chain + `"`, `"chain": "x"`, "leads to no endpoint"},
		{"no dnat", `{"dnat": {"family": "ip", "addr": {"map": {"key": {"numgen": {"mode": "random", "mod": 2, "offset": 0}}, "data": {"set": [[0, {"concat": ["10.42.0.1", 8080]`, `{"tproxy": {"family": "ip", "addr": {"map": {"key": {"numgen": {"mode": "random", "mod": 2, "offset": 0}}, "data": {"set": [[0, {"concat": ["10.42.0.1", 8080]`, "leads to no endpoint"},
		{"no address", `["10.42.0.1", 8080]`, `["web", 8080]`, "no address and port"},
		{"port 0", `["10.42.0.1", 8080]`, `["10.42.0.1", 0]`, "no address and port"},
		{"huge port", `["10.42.0.1", 8080]`, `["10.42.0.1", 70000]`, "is not address and port"},
		{"triple", `["10.42.0.1", 8080]`, `["10.42.0.1", 8080, 1]`, "is not address and port"},
		{"element", lead, "[1], ", "is no element"},
		{"key", lead, `[{"concat": ["10.96.104.45", 80]}, {"drop": null}], `, "is not address, protocol and port"},
		{"verdict", lead, `[{"concat": ["10.96.104.45", "tcp", 80]}, 1], `, "is no verdict"},
		{"target", lead, `[{"concat": ["10.96.104.45", "tcp", 80]}, {"goto": {"target": 1}}], `, "goes to no chain"},
	} {
		if !strings.Contains(real, tc.old) {
			t.Fatalf("%s: nothing to change", tc.what)
		}
		changed := map[string][]byte{"ip": []byte(strings.ReplaceAll(real, tc.old, tc.new))}
		if got := written(newSource(t, "shop/web:http", changed).Members(t.Context())); !strings.Contains(got, tc.want) || !strings.HasPrefix(got, "error") {
			t.Errorf("%s: %s, want %s", tc.what, got, tc.want)
		}
	}
	for _, tc := range []struct{ what, old, new, want string }{
		{"circle", `{"dnat": {"addr": "10.42.0.1", "port": 8080}}`, `{"goto": {"target": "endpoint-2H5AFUHH-shop/sticky/tcp/http__10.42.0.1/8080"}}`, "is no endpoint's"},
		{"nowhere", `{"dnat": {"addr": "10.42.0.1", "port": 8080}}`, `{"accept": null}`, "leads nowhere"},
		{"elsewhere", `[[0, {"goto": {"target": "endpoint-2H`, `[[0, {"goto": {"target": "reject-2H`, "is no endpoint's"},
		{"no choice", `"data": {"set": [[0, {"goto"`, `"data": {"sets": [[0, {"goto"`, "choice among nothing"},
	} {
		if !strings.Contains(real, tc.old) {
			t.Fatalf("%s: nothing to change", tc.what)
		}
		changed := map[string][]byte{"ip": []byte(strings.ReplaceAll(real, tc.old, tc.new))}
		if got := written(newSource(t, "shop/sticky:http", changed).Members(t.Context())); !strings.Contains(got, tc.want) || !strings.HasPrefix(got, "error") {
			t.Errorf("%s: %s, want %s", tc.what, got, tc.want)
		}
	}
}

func TestLongNames(t *testing.T) {
	long := servicePort{strings.Repeat("n", 63), strings.Repeat("s", 63), "tcp", "http"}
	comment := (long.namespace + "/" + long.service + ":http")[:128]
	if !long.isComment(destination{protocol: "tcp", port: 80, comment: comment}) {
		t.Error("a comment that kube-proxy cut is not recognised")
	}
	if long.isComment(destination{protocol: "udp", port: 80, comment: comment}) {
		t.Error("another protocol's")
	}
}

func TestHealth(t *testing.T) {
	status := http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		fmt.Fprint(w, `{"healthy":false}`)
	}))
	s := newSource(t, "shop/near:80?healthz="+server.URL, map[string][]byte{"ip": dump(t, "ip")})
	if got := written(s.Members(t.Context())); got != "10.42.0.1:8080 of this node, kube-proxy healthy" {
		t.Error(got)
	}
	status = http.StatusServiceUnavailable
	if got := written(s.Members(t.Context())); !strings.Contains(got, "not healthy: Get "+server.URL) || !strings.Contains(got, `503: {"healthy":false}`) {
		t.Error(got)
	}
	server.Close()
	if got := written(s.Members(t.Context())); !strings.Contains(got, "10.42.0.1:8080 of this node, kube-proxy not healthy") || !strings.Contains(got, "refused") {
		t.Error(got)
	}
}

func TestParse(t *testing.T) {
	s, err := Parse("shop/web:http?netns=/proc/4711/ns/net&healthz=http://[::1]:10256/healthz&protocol=sctp")
	if err != nil || s.Namespace != "shop" || s.Service != "web" || s.Port != "http" || s.Netns != "/proc/4711/ns/net" || s.Protocol != "sctp" || s.Healthz.Port() != "10256" {
		t.Errorf("%+v, %v", s, err)
	}
	for _, rest := range []string{
		"", "shop/web", "web:http", "/web:http", "shop/:http", "Shop/web:http", "shop/web/x:http", "shop/web:http/x", "shop/web:HTTP",
		"shop/web:http?netns=x", "shop/web:http?protocol=icmp", "shop/web:http?healthz=x", "shop/web:http?x=y", "shop/web:http?netns=/a&netns=/b",
		"shop/web:http?%", "shop/" + strings.Repeat("x", 64) + ":http", "shop/web:http;ls",
	} {
		if got, err := Parse(rest); err == nil {
			t.Errorf("%q is taken: %+v", rest, got)
		}
	}
}

// The real nft, in a network namespace of its own that has no such table, and in
// one that does not exist.
func TestRealNft(t *testing.T) {
	if _, err := find("nft", ""); err != nil {
		t.Fatal("nft is not installed: run `make deps`")
	}
	holder := exec.Command("unshare", "--user", "--map-root-user", "--net", "sh", "-c", "echo; exec sleep 300")
	out, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = holder.Process.Kill(); _ = holder.Wait() }()
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatalf("no network namespace: %v (allow user namespaces)", err)
	}
	netns := fmt.Sprintf("/proc/%d/ns/net", holder.Process.Pid)
	_, err = list(t.Context(), netns, "ip")
	if os.Getuid() == 0 && !errors.Is(err, errNoTable) {
		t.Errorf("an empty namespace: %v", err)
	} else if err == nil {
		t.Error("a table where there is none")
	}
	_, err = list(t.Context(), "/nowhere; touch x", "ip")
	if err == nil || errors.Is(err, errNoTable) || !strings.Contains(err.Error(), "nsenter") {
		t.Errorf("no namespace: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := list(ctx, netns, "ip"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestLimited(t *testing.T) {
	l := &limited{most: 4}
	if n, err := l.Write([]byte("abcdef")); n != 6 || err != nil || l.String() != "abcd" || !l.cut {
		t.Error(n, err, l.String(), l.cut)
	}
}

// FuzzRules: any answer of nft, for a Service that it may name, gives endpoints or
// an error.
func FuzzRules(f *testing.F) {
	f.Add([]byte(`{"nftables":[{"map":{"name":"no-endpoint-services","elem":[[{"elem":{"val":{"concat":["10.96.0.2","tcp",80]},"comment":"shop/web:http"}},{"drop":null}]]}},
		{"map":{"name":"service-ips","elem":[[{"concat":["10.96.0.2","tcp",80]},{"goto":{"target":"service-KHN6ECMT-shop/web/tcp/http"}}]]}},
		{"rule":{"chain":"service-KHN6ECMT-shop/web/tcp/http","expr":[{"dnat":{"addr":{"map":{"data":{"set":[[0,{"concat":["10.42.0.1",8080]}]]}}}}},
			{"vmap":{"data":{"set":[[0,{"goto":{"target":"endpoint-x"}}]]}}}]}},{"rule":{"chain":"endpoint-x","expr":[{"dnat":{"addr":"fd42::1","port":80}}]}}]}`), "http")
	f.Add([]byte(`{"nftables":[{"map":{"name":"service-ips"}},{"map":{"name":"no-endpoint-services","elem":[[{"elem":{"val":{"concat":["",""," "]}}},{}]]}}]}`), "")
	f.Fuzz(func(t *testing.T, dump []byte, name string) {
		r, err := parseRules(dump)
		if err != nil {
			return
		}
		found, named, err := r.endpoints(servicePort{"shop", "web", "tcp", name})
		if err != nil {
			return
		}
		for _, e := range found {
			if !e.address.IsValid() || e.address.Port() == 0 || !named {
				t.Errorf("%+v, named %v", e, named)
			}
		}
		if bytes.Contains(dump, []byte("goto")) && len(found) > len(dump) {
			t.Error("more endpoints than bytes")
		}
	})
}
