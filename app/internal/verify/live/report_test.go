package live

import (
	"net/netip"
	"testing"
	"time"

	"github.com/slicewright/slicewright/app/internal/verify"
	"github.com/slicewright/slicewright/app/internal/verify/hold"
)

func TestHeld(t *testing.T) {
	zero := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	holder := hold.Backend{Address: netip.MustParseAddrPort("10.0.0.1:80")}
	open := hold.Connection{Holder: holder, Opened: zero, End: hold.End{Kind: hold.Open}, Clean: true}
	cut := hold.Connection{Holder: holder, Opened: zero, End: hold.End{Kind: hold.RST, At: zero.Add(20 * time.Second)}}
	notMade := hold.Connection{End: hold.End{Kind: hold.NotMade, Detail: "refused"}}
	moved := open
	moved.Moves = []hold.Move{{From: holder}}
	lost := open
	lost.Messages = &hold.Messages{Sent: 9, Answered: 8, Lost: 1}
	for _, c := range []struct {
		name string
		all  []hold.Connection
		want verify.Outcome
	}{
		{"open until the end", []hold.Connection{open, open}, verify.Equal},
		{"cut", []hold.Connection{open, cut}, verify.Different},
		{"moved", []hold.Connection{moved}, verify.Different},
		{"a message lost", []hold.Connection{lost}, verify.Different},
		{"not made", []hold.Connection{open, notMade}, verify.Undetermined},
		{"not made, and another cut", []hold.Connection{cut, notMade}, verify.Different},
	} {
		left := func(who netip.AddrPort, since time.Time) time.Time {
			if who == holder.Address && since.Equal(zero) {
				return zero.Add(5 * time.Second)
			}
			return time.Time{}
		}
		h := held(hold.Report{Connections: c.all}, left, zero.Add(30*time.Second))
		if h.Outcome != c.want || len(h.Connections) != len(c.all) {
			t.Errorf("%s: %s (%s), want %s", c.name, h.Outcome, h.Reason, c.want)
		}
		for _, x := range h.Connections {
			switch {
			case x.End.Kind == hold.NotMade && x.After != nil,
				x.End.Kind == hold.RST && (x.After == nil || x.After.OutlivedSeconds != 15 || x.After.Open),
				x.End.Kind == hold.Open && (x.After == nil || x.After.OutlivedSeconds != 25 || !x.After.Open):
				t.Errorf("%s: after its holder left: %+v", c.name, x.After)
			}
		}
	}
}
