package conformance

// shapes are Services that come in a shape which a simple reader does not
// expect: several slices, odd ports, more than one address or family.
func shapes() []*Scenario {
	return []*Scenario{
		{
			Name:  "two-slices",
			Title: "101 endpoints in two slices, then the second slice deleted",
			Steps: []Step{
				{
					Say: "slice a has 100 endpoints, slice b has one",
					Apply: []Slice{
						{Name: "a", Endpoints: []Endpoint{{Hosts: "1-100"}}},
						{Name: "b", Endpoints: []Endpoint{{Hosts: "101"}}},
					},
					Want: []Want{{Ready: "1-101", Rule: "S1"}},
				},
				{
					Say:    "slice b is deleted",
					Delete: []string{"b"},
					Want:   []Want{{Ready: "1-100", Rule: "S7"}},
				},
			},
		},
		{
			Name:  "no-ports",
			Title: "a slice without ports beside one with",
			Steps: []Step{
				{
					Say: "slice b has no ports",
					Apply: []Slice{
						{Name: "a", Endpoints: []Endpoint{{Hosts: "1"}}},
						{Name: "b", Ports: []Port{}, Endpoints: []Endpoint{{Hosts: "2"}}},
					},
					Want: []Want{{Ready: "1", Rule: "S2"}},
				},
				{
					Say:   "slice b gets its port",
					Apply: []Slice{{Name: "b", Endpoints: []Endpoint{{Hosts: "2"}}}},
					Want:  []Want{{Ready: "1-2", Rule: "S2"}},
				},
			},
		},
		{
			Name:  "port-without-number",
			Title: "a port without a number beside one with",
			Steps: []Step{
				{
					Say: "the port of slice b has a name and no number",
					Apply: []Slice{
						{Name: "a", Endpoints: []Endpoint{{Hosts: "1"}}},
						{Name: "b", Ports: []Port{{Name: portName}}, Endpoints: []Endpoint{{Hosts: "2"}}},
					},
					Want: []Want{{Ready: "1", Rule: "S2"}},
				},
			},
		},
		{
			Name:  "two-numbers",
			Title: "one port name, two numbers",
			Steps: []Step{
				{
					Say: "port http is 8080 in slice a and 9090 in slice b",
					Apply: []Slice{
						{Name: "a", Endpoints: []Endpoint{{Hosts: "1"}}},
						{Name: "b", Ports: []Port{{portName, 9090}}, Endpoints: []Endpoint{{Hosts: "2"}}},
					},
					Want: []Want{{Ready: "1,2@9090", Rule: "S2"}},
				},
				{
					Say:   "slice b has the address of slice a as well: two backends",
					Apply: []Slice{{Name: "b", Ports: []Port{{portName, 9090}}, Endpoints: []Endpoint{{Hosts: "1-2"}}}},
					Want:  []Want{{Ready: "1,1@9090,2@9090", Rule: "S5"}},
				},
			},
		},
		{
			Name:  "other-port",
			Title: "a slice of another port name beside one of ours",
			Steps: []Step{
				{
					Say: "slice b has a port metrics and no port http",
					Apply: []Slice{
						{Name: "a", Endpoints: []Endpoint{{Hosts: "1"}}},
						{Name: "b", Ports: []Port{{"metrics", 9090}}, Endpoints: []Endpoint{{Hosts: "2"}}},
					},
					Want: []Want{{Ready: "1", Rule: "S2"}},
				},
			},
		},
		{
			Name:  "two-addresses",
			Title: "an endpoint with two addresses",
			Steps: []Step{
				{
					Say:   "endpoint 2 has the address 3 as well",
					Apply: []Slice{{Name: "a", Endpoints: []Endpoint{{Hosts: "1"}, {Hosts: "2", Also: "3"}}}},
					Want:  []Want{{Ready: "1-2", Rule: "S3"}},
				},
			},
		},
		{
			Name:      "dual-stack",
			Title:     "a slice of each family, then one of them deleted",
			DualStack: true,
			Steps: []Step{
				{
					Say: "slice a is IPv4, slice b is IPv6",
					Apply: []Slice{
						{Name: "a", Endpoints: []Endpoint{{Hosts: "1-2"}}},
						{Name: "b", IPv6: true, Endpoints: []Endpoint{{Hosts: "1,3"}}},
					},
					Want: []Want{{Ready: "1-2,6:1,6:3", Rule: "S3"}},
				},
				{
					Say:    "slice b is deleted",
					Delete: []string{"b"},
					Want:   []Want{{Ready: "1-2", Rule: "S7"}},
				},
			},
		},
	}
}
