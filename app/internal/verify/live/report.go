package live

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/slicewright/slicewright/app/internal/verify"
	"github.com/slicewright/slicewright/app/internal/verify/hold"
	"github.com/slicewright/slicewright/app/internal/verify/publication"
)

// Report is a [verify.Report] with what else was asked for. Its schema is
// docs/schemas/verifyreport.schema.json.
type Report struct {
	*verify.Report
	// Held is what became of long connections; nil if none were held.
	Held *Held `json:"held,omitempty"`
	// Published has the four facts of publishNotReadyAddresses; nil if they were
	// not asked for.
	Published *publication.Table `json:"published,omitempty"`
}

// Held is what became of long connections.
type Held struct {
	Outcome     verify.Outcome   `json:"outcome"`
	Reason      string           `json:"reason,omitempty"`
	Connections []HeldConnection `json:"connections"`
}

// HeldConnection is one of them, and what the slices said of who held it.
type HeldConnection struct {
	hold.Connection
	// Problems say what should not have been.
	Problems []string `json:"problems"`
	// Left is when its holder stopped being active; absent if it did not. After is
	// what became of the connection from then on.
	Left  time.Time   `json:"left,omitzero"`
	After *Afterwards `json:"after,omitempty"`
}

// Afterwards is a [hold.After].
type Afterwards struct {
	OutlivedSeconds float64 `json:"outlivedSeconds"`
	Open            bool    `json:"open"`
	ToHolder        int     `json:"streamsToHolder"`
	Elsewhere       int     `json:"streamsElsewhere"`
	Failed          int     `json:"streamsFailed"`
}

// held judges connections. That one outlives its backend's readiness is as it
// should be (S12): what counts is whether it was cut, moved or lost a message.
func held(report hold.Report, left func(netip.AddrPort, time.Time) time.Time, now time.Time) *Held {
	h := &Held{Outcome: verify.Equal, Connections: []HeldConnection{}}
	bad, notMade := 0, 0
	for _, c := range report.Connections {
		x := HeldConnection{Connection: c, Problems: append([]string{}, c.Problems()...)}
		switch {
		case c.End.Kind == hold.NotMade:
			notMade++
		case len(x.Problems) > 0:
			bad++
		}
		if x.Left = left(c.Holder.Address, c.Opened); !x.Left.IsZero() {
			a := c.After(x.Left, now)
			x.After = &Afterwards{a.Outlived.Seconds(), a.Open, a.ToHolder, a.Elsewhere, a.Failed}
		}
		h.Connections = append(h.Connections, x)
	}
	switch {
	case bad > 0:
		h.Outcome, h.Reason = verify.Different, fmt.Sprintf("%d of %d connections were cut, moved or lost messages", bad, len(h.Connections))
	case notMade > 0:
		h.Outcome, h.Reason = verify.Undetermined, fmt.Sprintf("%d of %d connections were not made", notMade, len(h.Connections))
	}
	return h
}
