package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"golang.org/x/sync/errgroup"
)

// serveMetrics listens and serves in the group until ctx ends.
func serveMetrics(ctx context.Context, group *errgroup.Group, metrics *prometheus.Registry, keeper *registryKeeper, opts Options) error {
	listener, err := net.Listen("tcp", opts.MetricsAddress)
	if err != nil {
		return fmt.Errorf("listening for metrics: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("/metrics", promhttp.HandlerFor(metrics, promhttp.HandlerOpts{}))
	ok := func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") }
	mux.HandleFunc("/healthz", ok)
	mux.HandleFunc("/readyz", ok)
	mux.HandleFunc("GET /registry.json", func(w http.ResponseWriter, _ *http.Request) {
		r, err := keeper.registry()
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(r)
	})
	opts.Log.Info("metrics", "address", listener.Addr().String())
	runServer(ctx, group, mux, listener, opts.Log)
	return nil
}
