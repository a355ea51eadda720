package endpointset_test

import (
	"encoding/json"
	"testing"

	discoveryv1 "k8s.io/api/discovery/v1"

	"github.com/slicewright/slicewright/endpointset"
)

// Nobody who may create a slice may be able to stop this process: everything
// that decodes as an EndpointSlice, from JSON or from protobuf, goes through
// without a panic, and twice in without a change.
func FuzzSlices(f *testing.F) {
	f.Add([]byte(`{"metadata":{"namespace":"t","name":"a","resourceVersion":"1","labels":{"kubernetes.io/service-name":"web"}},
		"addressType":"IPv4","ports":[{"name":"http","port":80},{"port":null},{}],
		"endpoints":[{"addresses":["10.0.0.1","x"],"conditions":{"ready":null},"hints":{"forZones":[{"name":"a\u0000b"}]},
		"targetRef":{"uid":"u"}},{"addresses":null},{"addresses":["fe80::1%lo"]}]}`), []byte("{}"))
	es := discoveryv1.EndpointSlice{AddressType: "IPv6", Endpoints: []discoveryv1.Endpoint{{Addresses: []string{"2001:db8::1"}}}}
	es.Labels = map[string]string{discoveryv1.LabelServiceName: "web"}
	wire, err := es.Marshal()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(wire, wire)
	f.Fuzz(func(t *testing.T, first, second []byte) {
		ix := endpointset.NewIndex(endpointset.Options{})
		for _, data := range [][]byte{first, second} {
			for _, es := range decode(data) {
				ix.Apply(ix.Parse(es))
				if again := ix.Apply(ix.Parse(es)); len(again) > 0 {
					t.Errorf("the same slice again changed %v", again)
				}
			}
		}
		for _, key := range ix.Services() {
			for _, policy := range endpointset.Policies() {
				at := endpointset.Location{Zone: "a", Node: "n", Topology: endpointset.TopologyHints, Mode: endpointset.ModeRequire}
				sel := ix.Service(key).Select(endpointset.Query{Policy: policy, Location: at})
				sel.Explain()
			}
		}
		ix.CheckInvariants(t)
		ix.Replace("", nil)
		if left := ix.Services(); len(left) > 0 {
			t.Errorf("%v are left of nothing", left)
		}
	})
}

func decode(data []byte) []*discoveryv1.EndpointSlice {
	var slices []*discoveryv1.EndpointSlice
	var fromJSON, fromProtobuf discoveryv1.EndpointSlice
	if json.Unmarshal(data, &fromJSON) == nil {
		slices = append(slices, &fromJSON)
	}
	if fromProtobuf.Unmarshal(data) == nil {
		slices = append(slices, &fromProtobuf)
	}
	return slices
}
