package conformance

// moves are endpoints that are in two slices, or go from one to another.
func moves() []*Scenario {
	return []*Scenario{
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
			Name:  "moved-gained-first",
			Title: "a Pod moves between slices: gained first, then lost",
			Steps: []Step{
				{
					Say: "endpoint 2 is in slice a",
					Apply: []Slice{
						{Name: "a", Endpoints: []Endpoint{{Hosts: "1-2"}}},
						{Name: "b", Endpoints: []Endpoint{{Hosts: "3"}}},
					},
					Want: []Want{{Ready: "1-3", Rule: "S1"}},
				},
				{
					Say: "slice b gains it, then slice a loses it",
					Apply: []Slice{
						{Name: "b", Endpoints: []Endpoint{{Hosts: "2-3"}}},
						{Name: "a", Endpoints: []Endpoint{{Hosts: "1"}}},
					},
					Want: []Want{{Ready: "1-3", Rule: "S7"}},
				},
				{
					Say: "and back again, the same way",
					Apply: []Slice{
						{Name: "a", Endpoints: []Endpoint{{Hosts: "1-2"}}},
						{Name: "b", Endpoints: []Endpoint{{Hosts: "3"}}},
					},
					Want: []Want{{Ready: "1-3", Rule: "S7"}},
				},
			},
		},
		{
			Name:  "moved-lost-first",
			Title: "a Pod moves between slices: lost first, then gained",
			Steps: []Step{
				{
					Say: "endpoint 2 is in slice a",
					Apply: []Slice{
						{Name: "a", Endpoints: []Endpoint{{Hosts: "1-2"}}},
						{Name: "b", Endpoints: []Endpoint{{Hosts: "3"}}},
					},
					Want: []Want{{Ready: "1-3", Rule: "S1"}},
				},
				{
					Say:   "slice a loses it",
					Apply: []Slice{{Name: "a", Endpoints: []Endpoint{{Hosts: "1"}}}},
					Want:  []Want{{Ready: "1,3", Rule: "S7"}},
				},
				{
					Say:   "slice b gains it",
					Apply: []Slice{{Name: "b", Endpoints: []Endpoint{{Hosts: "2-3"}}}},
					Want:  []Want{{Ready: "1-3", Rule: "S1"}},
				},
				{
					Say: "and back again, at once",
					Apply: []Slice{
						{Name: "b", Endpoints: []Endpoint{{Hosts: "3"}}},
						{Name: "a", Endpoints: []Endpoint{{Hosts: "1-2"}}},
					},
					Want: []Want{{Ready: "1-3", Rule: "S1"}},
				},
			},
		},
		{
			Name:  "moved-by-delete",
			Title: "a Pod moves to a new slice and the old slice is deleted",
			Steps: []Step{
				{
					Say:   "endpoints 1 and 2 are in slice a",
					Apply: []Slice{{Name: "a", Endpoints: []Endpoint{{Hosts: "1-2"}}}},
					Want:  []Want{{Ready: "1-2", Rule: "S1"}},
				},
				{
					Say:    "slice b has both, and slice a is deleted",
					Apply:  []Slice{{Name: "b", Endpoints: []Endpoint{{Hosts: "1-2"}}}},
					Delete: []string{"a"},
					Want:   []Want{{Ready: "1-2", Rule: "S7"}},
				},
			},
		},
		{
			Name:  "ghost",
			Title: "a new Pod has the address of one that is still terminating",
			Steps: []Step{
				{
					Say:   "endpoint 2 is terminating",
					Apply: []Slice{{Name: "a", Endpoints: []Endpoint{{Hosts: "1"}, {Hosts: "2", State: "FTT", Pod: "old"}}}},
					Want:  []Want{{Ready: "1", Published: "1-2", Rule: "S12"}},
				},
				{
					Say:   "a new Pod with its address is ready in slice b",
					Apply: []Slice{{Name: "b", Endpoints: []Endpoint{{Hosts: "2", Pod: "new"}}}},
					Want:  []Want{{Ready: "1-2", Rule: "S6"}},
				},
				{
					Say:   "the old one is written once more, and is the newest record",
					Apply: []Slice{{Name: "a", Endpoints: []Endpoint{{Hosts: "1"}, {Hosts: "2", State: "FFT", Pod: "old"}}}},
					Want:  []Want{{Ready: "1-2", Rule: "S6"}},
				},
				{
					Say:   "the old one is gone",
					Apply: []Slice{{Name: "a", Endpoints: []Endpoint{{Hosts: "1"}}}},
					Want:  []Want{{Ready: "1-2", Rule: "S7"}},
				},
			},
		},
		{
			Name:  "disagreeing",
			Title: "one Pod in two slices that disagree, and one of them deleted, several times",
			Steps: []Step{
				{
					Say: "endpoint 2 is ready in slice a",
					Apply: []Slice{
						{Name: "c", Endpoints: []Endpoint{{Hosts: "1"}}},
						{Name: "a", Endpoints: []Endpoint{{Hosts: "2"}}},
					},
					Want: []Want{{Ready: "1-2", Rule: "S1"}},
				},
				{
					Say:   "slice b, the newer one, says that it is not",
					Apply: []Slice{{Name: "b", Endpoints: []Endpoint{{Hosts: "2", State: "FFF"}}}},
					Want:  []Want{{Ready: "1", Published: "1-2", Rule: "S6"}},
				},
				{
					Say:    "slice a is deleted",
					Delete: []string{"a"},
					Want:   []Want{{Ready: "1", Published: "1-2", Rule: "S7"}},
				},
				{
					Say:   "slice a is back, the newer one, and says that it is ready",
					Apply: []Slice{{Name: "a", Endpoints: []Endpoint{{Hosts: "2"}}}},
					Want:  []Want{{Ready: "1-2", Rule: "S6"}},
				},
				{
					Say:    "slice b is deleted",
					Delete: []string{"b"},
					Want:   []Want{{Ready: "1-2", Rule: "S7"}},
				},
				{
					Say:   "slice b is back and says that it is not ready",
					Apply: []Slice{{Name: "b", Endpoints: []Endpoint{{Hosts: "2", State: "FFF"}}}},
					Want:  []Want{{Ready: "1", Published: "1-2", Rule: "S6"}},
				},
				{
					Say:    "slice b is deleted once more",
					Delete: []string{"b"},
					Want:   []Want{{Ready: "1-2", Rule: "S7"}},
				},
			},
		},
		{
			Name:  "disagreeing-restart",
			Title: "one Pod in two slices that disagree, across restarts of the consumer",
			Alone: true,
			Steps: []Step{
				{
					Say: "endpoint 2 is ready in slice a and, newer, not ready in slice b",
					Apply: []Slice{
						{Name: "c", Endpoints: []Endpoint{{Hosts: "1"}}},
						{Name: "a", Endpoints: []Endpoint{{Hosts: "2"}}},
						{Name: "b", Endpoints: []Endpoint{{Hosts: "2", State: "FFF"}}},
					},
					Want: []Want{{Ready: "1", Published: "1-2", Rule: "S6"}},
				},
				{
					Say:     "the consumer is killed and starts again",
					Restart: true,
					Want:    []Want{{Ready: "1", Published: "1-2", Rule: "S6"}},
				},
				{
					Say:    "slice b is deleted",
					Delete: []string{"b"},
					Want:   []Want{{Ready: "1-2", Rule: "S7"}},
				},
				{
					Say: "slice b is back; the consumer is killed and starts again",
					Apply: []Slice{
						{Name: "b", Endpoints: []Endpoint{{Hosts: "2", State: "FFF"}}},
					},
					Restart: true,
					Want:    []Want{{Ready: "1", Published: "1-2", Rule: "S6"}},
				},
				{
					Say:    "slice a is deleted",
					Delete: []string{"a"},
					Want:   []Want{{Ready: "1", Published: "1-2", Rule: "S7"}},
				},
			},
		},
	}
}
