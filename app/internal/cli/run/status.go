package run

import (
	"cmp"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/slicewright/slicewright/app/internal/api"
	"github.com/slicewright/slicewright/app/internal/cli/command"
	"github.com/slicewright/slicewright/app/internal/output"
	"github.com/slicewright/slicewright/app/internal/shadow"
	"github.com/slicewright/slicewright/publish"
)

// runStatus is what /status answers.
type runStatus struct {
	APIVersion string           `json:"apiVersion"`
	Kind       string           `json:"kind"`
	Synced     bool             `json:"synced"`
	Degraded   bool             `json:"degraded"`
	Watches    []watchStatus    `json:"watches"`
	Upstreams  []publish.Status `json:"upstreams"`
	// Shadow is what the upstreams in mode shadow came to; absent without any.
	Shadow *shadow.Report `json:"shadow,omitempty"`
}

type watchStatus struct {
	Namespace string    `json:"namespace"`
	Synced    bool      `json:"synced"`
	Degraded  bool      `json:"degraded"`
	Since     time.Time `json:"since,omitzero"`
	Error     string    `json:"error,omitempty"`
}

func (r *runner) status() runStatus {
	s := runStatus{
		APIVersion: api.Version, Kind: "RunStatus",
		Synced: r.watcher.Synced(), Upstreams: r.fleet.Statuses(),
	}
	for _, h := range r.watcher.Health() {
		w := watchStatus{Namespace: h.Namespace, Synced: h.Synced, Degraded: h.Degraded, Since: h.Since}
		if h.Err != nil {
			w.Error = h.Err.Error()
		}
		s.Degraded = s.Degraded || h.Degraded
		s.Watches = append(s.Watches, w)
	}
	if r.shadow != nil {
		s.Shadow = r.shadow.Report()
	}
	return s
}

// unready says why the process is not ready, "" if it is: every upstream has
// been published once. A standby replica is ready when it could take over.
func (r *runner) unready() string {
	if !r.watcher.Synced() {
		return "the initial list of EndpointSlices is not handled yet"
	}
	if r.conf.Leader != nil && !r.leading.Load() {
		return "" // a standby: it could take over, and nothing is asked of it
	}
	for _, s := range r.fleet.Statuses() {
		if s.LastSuccess.IsZero() {
			return fmt.Sprintf("upstream %q has not been published to %s yet: %s", s.Upstream, s.Target, cmp.Or(s.LastError, s.Warning))
		}
	}
	return ""
}

// serveStatus serves metrics, health and status.
func serveStatus(address string, r *runner, registry *prometheus.Registry, logger *slog.Logger) (stop func(), err error) {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if why := r.unready(); why != "" {
			http.Error(w, why, http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	mux.HandleFunc("GET /status", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = output.JSON(w, r.status()) // the client is gone if it fails
	})
	return command.Serve(address, mux, "/metrics, /healthz, /readyz and /status", logger)
}
