package conformance

// labels are slices that change the Service that they belong to, with clients of
// both Services.
func labels() []*Scenario {
	// Both Services have a slice of their own that stays.
	own := []Slice{
		{Name: "a", Endpoints: []Endpoint{{Hosts: "1-2"}}},
		{Name: "c", Service: "other", Endpoints: []Endpoint{{Hosts: "11"}}},
	}
	b := func(service string) Slice {
		return Slice{Name: "b", Service: service, Endpoints: []Endpoint{{Hosts: "3"}}}
	}
	both := func(web, other, rule string) []Want {
		return []Want{{Ready: web, Rule: rule}, {Service: "other", Ready: other, Rule: rule}}
	}
	return []*Scenario{
		{
			Name:     "label-moved",
			Title:    "a slice goes to another Service, and is deleted there",
			Services: []string{"web", "other"},
			Steps: []Step{
				{Say: "slices a and b are of web, slice c of other", Apply: append(own[:2:2], b("web")), Want: both("1-3", "11", "S1")},
				{Say: "slice b is labelled for other", Apply: []Slice{b("other")}, Want: both("1-2", "3,11", "S1")},
				{Say: "slice b is deleted", Delete: []string{"b"}, Want: both("1-2", "11", "S17")},
			},
		},
		{
			Name:     "label-moved-back",
			Title:    "a slice goes to another Service and comes back",
			Services: []string{"web", "other"},
			Steps: []Step{
				{Say: "slices a and b are of web, slice c of other", Apply: append(own[:2:2], b("web")), Want: both("1-3", "11", "S1")},
				{Say: "slice b is labelled for other", Apply: []Slice{b("other")}, Want: both("1-2", "3,11", "S1")},
				{Say: "slice b is labelled for web again", Apply: []Slice{b("web")}, Want: both("1-3", "11", "S1")},
				{Say: "slice b is deleted", Delete: []string{"b"}, Want: both("1-2", "11", "S17")},
			},
		},
		{
			Name:     "label-removed",
			Title:    "a slice loses its label, and is deleted",
			Services: []string{"web", "other"},
			Steps: []Step{
				{Say: "slices a and b are of web, slice c of other", Apply: append(own[:2:2], b("web")), Want: both("1-3", "11", "S1")},
				{Say: "slice b has no label any more", Apply: []Slice{b(noLabel)}, Want: both("1-2", "11", "S1")},
				{Say: "slice b is deleted", Delete: []string{"b"}, Want: both("1-2", "11", "S17")},
			},
		},
		{
			Name:     "label-gained",
			Title:    "a slice without a label gets one, and is deleted",
			Services: []string{"web", "other"},
			Steps: []Step{
				{Say: "slice a is of web, slice c of other, slice b has no label", Apply: append(own[:2:2], b(noLabel)), Want: both("1-2", "11", "S1")},
				{Say: "slice b is labelled for web", Apply: []Slice{b("web")}, Want: both("1-3", "11", "S1")},
				{Say: "slice b is deleted", Delete: []string{"b"}, Want: both("1-2", "11", "S17")},
			},
		},
	}
}
