package conformance

// shapes are Services that come in a shape which a simple reader does not
// expect: several slices, duplicates, odd ports.
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
			Name:  "duplicate",
			Title: "one endpoint in two slices, then in one",
			Steps: []Step{
				{
					Say: "slices a and b both have endpoint 2",
					Apply: []Slice{
						{Name: "a", Endpoints: []Endpoint{{Hosts: "1-2"}}},
						{Name: "b", Endpoints: []Endpoint{{Hosts: "2-3"}}},
					},
					Want: []Want{{Ready: "1-3", Rule: "S6"}},
				},
				{
					Say:   "slice a gives it up",
					Apply: []Slice{{Name: "a", Endpoints: []Endpoint{{Hosts: "1"}}}},
					Want:  []Want{{Ready: "1-3", Rule: "S7"}},
				},
				{
					Say:    "slice b is deleted",
					Delete: []string{"b"},
					Want:   []Want{{Ready: "1", Rule: "S7"}},
				},
			},
		},
		{
			Name:  "unready",
			Title: "an endpoint that is not ready",
			Steps: []Step{
				{
					Say:   "endpoint 2 is not ready",
					Apply: []Slice{{Name: "a", Endpoints: []Endpoint{{Hosts: "1"}, {Hosts: "2", State: "FFF"}, {Hosts: "3"}}}},
					Want:  []Want{{Ready: "1,3", Published: "1-3", Rule: "S9"}},
				},
			},
		},
	}
}
