package run

import (
	"slices"

	"k8s.io/client-go/kubernetes"

	"github.com/slicewright/slicewright/app/internal/config"
	"github.com/slicewright/slicewright/app/internal/shadow/live"
	"github.com/slicewright/slicewright/endpointset"
)

// newShadow returns what compares the upstreams in mode shadow, nil if there are
// none: then nothing in this process knows how to ask for Endpoints, so that an
// upstream that was switched has no way back to them.
func (r *runner) newShadow(client kubernetes.Interface, part shard) *live.Watcher {
	var services []endpointset.ServiceKey
	for _, u := range r.conf.Upstreams {
		key := u.Upstream(r.conf).Service
		if u.Mode == config.ModeShadow && part.has(key) && !slices.Contains(services, key) {
			services = append(services, key)
		}
	}
	if len(services) == 0 {
		return nil
	}
	return live.New(client, live.Options{Services: services, Logger: r.logger.With("mode", "shadow")})
}
