package haproxy_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/netip"
	"time"

	"github.com/slicewright/slicewright/driver/haproxy"
	"github.com/slicewright/slicewright/endpointset"
	"github.com/slicewright/slicewright/publish"
)

// A controller of your own brings its backends to HAProxy: it looks, plans and
// applies, and comes back when the plan says so.
func Example() {
	driver, err := haproxy.New(haproxy.Config{
		Socket:  "/run/haproxy/admin.sock",
		Backend: "reports",
		Server:  haproxy.Options{Check: true, Interval: 2 * time.Second},
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	observed, err := driver.Observe(ctx)
	if err != nil {
		log.Fatal(err) // nothing is known: what HAProxy has stays as it is
	}
	plan := driver.Plan(publish.Desired{
		Active: []endpointset.Backend{{ID: endpointset.ID{
			PortName: "http", Protocol: "TCP", Addr: netip.MustParseAddr("10.42.0.1"), Number: 8080,
		}}},
		DrainTimeout: time.Minute,
	}, observed)
	if _, err := driver.Apply(ctx, plan); errors.Is(err, haproxy.ErrPermission) {
		log.Fatal("the socket has no level admin")
	} else if err != nil {
		log.Print(err)
	}
	if waiting, again := plan.Waiting(); len(waiting) > 0 {
		log.Printf("%v: look again in %v", waiting, again)
	}
}

// Plan is pure, and its String is what HAProxy will be sent: a dry run needs no
// HAProxy.
func ExampleDriver_Plan() {
	driver, err := haproxy.New(haproxy.Config{Socket: "/run/haproxy/admin.sock", Backend: "reports"})
	if err != nil {
		log.Fatal(err)
	}
	plan := driver.Plan(publish.Desired{
		Active: []endpointset.Backend{{ID: endpointset.ID{Protocol: "TCP", Addr: netip.MustParseAddr("10.42.0.1"), Number: 8080}}},
	}, &haproxy.Observed{})
	fmt.Print(plan)
	// Output:
	// add server reports/sw-9d5d2ed5d893c78e7911427027378fd1 10.42.0.1:8080 id 691018
	// set server reports/sw-9d5d2ed5d893c78e7911427027378fd1 state ready
}

func ExampleNew() {
	_, err := haproxy.New(haproxy.Config{Socket: "/run/haproxy/admin.sock", Backend: "my reports"})
	fmt.Println(err)
	// Output:
	// haproxy: backend: "my reports" may hold letters, digits and - _ . : only
}
