package publish

import "time"

// Metrics is told what publishers do. The package publish/metrics has one for
// Prometheus. Its methods are called from the goroutines of all publishers and
// must not block.
type Metrics interface {
	// Wrote counts the operations that a target carried out in one Apply.
	Wrote(upstream, target string, writes int)
	// Published is called when a state that is new to the target was read back.
	// latency is the time since the change happened, by the producer's word; 0
	// if that is not known.
	Published(upstream, target string, latency time.Duration)
	// Failed is called for each attempt that failed.
	Failed(upstream, target string)
}

// uncounted is the Metrics of a publisher that was given none.
type uncounted struct{}

func (uncounted) Wrote(string, string, int)               {}
func (uncounted) Published(string, string, time.Duration) {}
func (uncounted) Failed(string, string)                   {}
