package run

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slicewright/slicewright/app/internal/cli/clitest"
	"github.com/slicewright/slicewright/app/internal/cli/command"
	"github.com/slicewright/slicewright/endpointset"
)

const runConfig = `apiVersion: slicewright.dev/v1alpha1
kind: Config
namespaces: [shop]
upstreams:
- name: cart
  service: shop/cart
  port: http
  to:
  - template: {source: "builtin:json", destination: cart.json}
`

// A wrong configuration names the line and the field, and nothing starts.
func TestRunRefuses(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	kubeconfig := unreachable(t)
	good := clitest.WriteFile(t, "good.yaml", runConfig)
	for _, c := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"no configuration", nil, command.ExitUsage, "--config is missing"},
		{"a file that is not there", []string{"--config", "/nowhere/x.yaml"}, command.ExitUsage, "/nowhere/x.yaml: no such file"},
		{"an unknown policy", []string{"--config", clitest.WriteFile(t, "bad.yaml", runConfig+"  policy: redy\n")}, command.ExitUsage, `line 10: upstreams[0].policy: unknown policy "redy"`},
		{"an unknown log format", []string{"--config", good, "--log-format", "xml"}, command.ExitUsage, `unknown --log-format "xml"`},
		{"a shard out of range", []string{"--config", good, "--shard", "4/3"}, command.ExitUsage, `"4/3" is not I/N`},
		{"an address that is taken", []string{"--config", good, "--metrics-address", taken.Addr().String()}, command.ExitFailed, "choose another --metrics-address"},
		{"an argument too many", []string{"now"}, command.ExitUsage, "now"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, errs, code := run(t, "", append([]string{"run", "--kubeconfig", kubeconfig}, c.args...)...)
			if code != c.code || !strings.Contains(errs, c.want) {
				t.Errorf("exit code %d (want %d):\n%s\nwant: %s", code, c.code, errs, c.want)
			}
		})
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(good), "cart.json")); err == nil {
		t.Error("something was written all the same")
	}
}

// unreachable is a kubeconfig for an API server that is not there.
func unreachable(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	return clitest.WriteFile(t, "kubeconfig", fmt.Sprintf(`apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "http://%s"}}]
contexts: [{name: c, context: {cluster: c, user: u}}]
users: [{name: u, user: {}}]
current-context: c
`, l.Addr()))
}

// Without an API server it starts, says that it is not ready, and changes
// nothing that works.
func TestRunWithoutAnAPIServer(t *testing.T) {
	config := clitest.WriteFile(t, "config.yaml", runConfig)
	destination := filepath.Join(filepath.Dir(config), "cart.json")
	if err := os.WriteFile(destination, []byte("what works"), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()

	ctx, cancel := context.WithCancel(t.Context())
	var log clitest.Buffer
	done := make(chan int)
	go func() {
		done <- program.Main(ctx, command.Streams{In: strings.NewReader(""), Out: io.Discard, Err: &log},
			[]string{"slicewright", "run", "--config", config, "--kubeconfig", unreachable(t), "--metrics-address", address})
	}()
	get := func(path string) (int, string) {
		for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
			response, err := http.Get("http://" + address + path)
			if err == nil {
				body, err := io.ReadAll(response.Body)
				response.Body.Close()
				if err == nil {
					return response.StatusCode, string(body)
				}
			}
			if time.Now().After(deadline) {
				t.Fatalf("%s is not served: %v\n%s", path, err, log.String())
			}
		}
	}
	if code, _ := get("/healthz"); code != http.StatusOK {
		t.Errorf("/healthz answers %d", code)
	}
	if code, body := get("/readyz"); code != http.StatusServiceUnavailable || !strings.Contains(body, "initial list") {
		t.Errorf("/readyz answers %d %s", code, body)
	}
	var status runStatus
	for deadline := time.Now().Add(30 * time.Second); !status.Degraded && time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		_, body := get("/status")
		if err := json.Unmarshal([]byte(body), &status); err != nil {
			t.Fatal(err)
		}
	}
	if !status.Degraded || status.Synced || len(status.Upstreams) != 1 || status.Upstreams[0].Phase != "waiting" {
		t.Errorf("the status is %+v", status)
	}
	if _, body := get("/metrics"); !strings.Contains(body, `slicewright_watch_degraded{namespace="shop"} 1`) {
		t.Errorf("no degraded watch in the metrics:\n%s", body)
	}
	cancel()
	select {
	case code := <-done:
		if code != command.ExitHolds {
			t.Errorf("exit code %d:\n%s", code, log.String())
		}
	case <-time.After(30 * time.Second):
		t.Fatal("it does not end when told to")
	}
	if data, err := os.ReadFile(destination); err != nil || string(data) != "what works" {
		t.Errorf("the file holds %q (%v)", data, err)
	}
}

// Every Service is in one shard.
func TestShards(t *testing.T) {
	for i := range 1000 {
		key := endpointset.ServiceKey{Namespace: "shop", Name: fmt.Sprint("cart-", i)}
		in := 0
		for part := uint64(1); part <= 3; part++ {
			if (&shard{part, 3}).has(key) {
				in++
			}
		}
		if in != 1 || !(&shard{}).has(key) {
			t.Fatalf("%s is in %d of 3 shards", key, in)
		}
	}
}
