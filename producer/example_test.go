package producer_test

import (
	"context"
	"fmt"
	"net/netip"

	"k8s.io/client-go/kubernetes"

	"github.com/slicewright/slicewright/endpointset"
	"github.com/slicewright/slicewright/producer"
)

// A database has two machines. What would have to be written, if there were no
// slices yet?
func ExampleDesired_Plan() {
	desired := producer.Desired{
		Service:   endpointset.ServiceKey{Namespace: "shop", Name: "prices"},
		ManagedBy: "vm-publisher.example.com",
		Subsets: []producer.Subset{{
			Ports: []endpointset.Port{{Name: "pg", Number: 5432}},
			Endpoints: []producer.Endpoint{
				{Addr: netip.MustParseAddr("10.1.0.4"), Zone: "a"},
				{Addr: netip.MustParseAddr("10.1.0.5"), Zone: "b", State: producer.Draining},
			},
		}},
	}
	plan, err := desired.Plan(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(plan)
	// Output:
	// create shop/prices-* IPv4 pg:5432/TCP
	//   + 10.1.0.4 ready zone=a
	//   + 10.1.0.5 draining zone=b
}

// A mistake in the source is told by its name, before anything is written.
func ExampleDesired_Validate() {
	desired := producer.Desired{
		Service:   endpointset.ServiceKey{Namespace: "shop", Name: "prices"},
		ManagedBy: "vm-publisher.example.com",
		Subsets:   []producer.Subset{{Endpoints: []producer.Endpoint{{Addr: netip.MustParseAddr("169.254.169.254")}}}},
	}
	fmt.Println(desired.Validate())
	// Output:
	// service shop/prices: subset 0: address 169.254.169.254 is a link-local address: the API refuses it
}

// A publisher syncs whenever its source changes, and once more every so often,
// since others may write to its slices. The Endpoints object that it wrote in
// former times goes after the first Sync.
func ExampleWriter() {
	publish := func(ctx context.Context, client kubernetes.Interface, desired producer.Desired) error {
		writer := &producer.Writer{
			EndpointSlices: func(namespace string) producer.EndpointSlices { return client.DiscoveryV1().EndpointSlices(namespace) },
			Endpoints:      func(namespace string) producer.Endpoints { return client.CoreV1().Endpoints(namespace) },
		}
		if _, err := writer.Sync(ctx, desired); err != nil {
			return err // what is published stays; try again later
		}
		return writer.Retire(ctx, desired, producer.Legacy{Label: "example.com/written-by", Value: "vm-publisher"})
	}
	_ = publish
}

// A manifest from a chart, without a cluster.
func ExampleConvert() {
	c, err := producer.Convert("endpoints.yaml", []byte(`
apiVersion: v1
kind: Endpoints
metadata: {name: prices}
subsets:
- addresses: [{ip: 10.1.0.4}]
  notReadyAddresses: [{ip: 10.1.0.5}]
  ports: [{name: pg, port: 5432}]
`), producer.ConvertOptions{StableNames: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range c.Slices {
		fmt.Println(s.Name, s.AddressType, len(s.Endpoints))
	}
	// Output:
	// prices-f9601e92 IPv4 2
}
