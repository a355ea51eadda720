package verify_test

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/slicewright/slicewright/app/internal/verify"
)

// A consumer keeps an address for longer than it may after the slices dropped it.
func ExampleLog() {
	start := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	a, b := netip.MustParseAddrPort("10.0.0.1:8080"), netip.MustParseAddrPort("10.0.0.2:8080")
	l := verify.NewLog(verify.Options{Consumers: []string{"my load balancer"}})
	l.Slices(verify.Slices{At: start, Standings: map[netip.AddrPort]verify.Standing{a: verify.Active, b: verify.Active}})
	for second := range 20 {
		at := start.Add(time.Duration(second) * time.Second)
		if second == 5 {
			l.Slices(verify.Slices{At: at, Standings: map[netip.AddrPort]verify.Standing{a: verify.Active}})
		}
		l.Viewed(0, verify.View{At: at, Members: []verify.Member{{Address: a, Use: verify.New}, {Address: b, Use: verify.New}}})
	}
	report := l.Report(start.Add(20 * time.Second))
	fmt.Println(report.Outcome)
	for _, d := range report.Consumers[0].Differences {
		fmt.Printf("%s %s for %.0f s at least\n", d.Kind, d.Address, d.Seconds)
	}
	// Output:
	// different
	// stale 10.0.0.2:8080 for 14 s at least
}
