package run

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/slicewright/slicewright/app/internal/cli/clitest"
	"github.com/slicewright/slicewright/app/internal/cli/command"
	"github.com/slicewright/slicewright/app/internal/shadow/live"
	"github.com/slicewright/slicewright/endpointset"
)

// Only mode shadow asks for Endpoints, and nothing of another mode ever does.
func TestRunAsksForEndpointsInModeShadowAlone(t *testing.T) {
	for _, tt := range []struct {
		name, upstream string
		until, want    []string
	}{
		{"publish", `to: [{template: {source: "builtin:json", destination: out.json}}]`, []string{"endpointslices"}, []string{"endpointslices", "selfsubjectaccessreviews"}},
		{
			"shadow", "mode: shadow",
			[]string{"endpoints", "endpointslices", "nodes", "pods", "services"},
			[]string{"endpoints", "endpointslices", "nodes", "pods", "selfsubjectaccessreviews", "services"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := clitest.NewShadowServer(t)
			file := filepath.Join(t.TempDir(), "slicewright.yaml")
			text := "apiVersion: slicewright.dev/v1alpha1\nkind: Config\nnamespaces: [shop]\nupstreams:\n- {name: prices, service: shop/prices, port: http, " + tt.upstream + "}\n"
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan int)
			go func() {
				var out, errs strings.Builder
				code := program.Main(ctx, command.Streams{In: strings.NewReader(""), Out: &out, Err: &errs},
					[]string{"slicewright", "run", "--config", file, "--server", s.URL, "--metrics-address", ""})
				t.Log(errs.String())
				ended <- code
			}()
			s.WaitFor(t, tt.until)
			// Had it ended by itself, nobody would take the code.
			select {
			case code := <-ended:
				t.Errorf("it ended by itself with code %d", code)
			default:
			}
			cancel()
			if code := <-ended; code != command.ExitHolds {
				t.Errorf("exit code %d", code)
			}
			if got := s.Resources(); !slices.Equal(got, tt.want) {
				t.Errorf("it asked for %v, want %v", got, tt.want)
			}
		})
	}
}

// The status of a run with upstreams in mode shadow has their comparison.
func TestRunStatusHasTheComparison(t *testing.T) {
	r := aRunner(t, aServer(), prometheus.NewRegistry())
	r.shadow = live.New(fake.NewClientset(), live.Options{Services: []endpointset.ServiceKey{{Namespace: "shop", Name: "prices"}}})
	text, err := json.Marshal(r.status())
	if err != nil {
		t.Fatal(err)
	}
	clitest.CheckSchema(t, "runstatus", string(text))
	part, err := json.Marshal(r.status().Shadow)
	if err != nil {
		t.Fatal(err)
	}
	clitest.CheckSchema(t, "shadowreport", string(part))
}
