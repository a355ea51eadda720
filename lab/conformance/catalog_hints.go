package conformance

// hints are about topology. The consumer is on the Node lab-a-1 in the zone
// lab-a; who takes no notice of hints sends to all.
func hints() []*Scenario {
	const here, there = "lab-a", "lab-b"
	zone := func(hosts, zone string) Endpoint { return Endpoint{Hosts: hosts, Zones: []string{zone}} }
	one := func(say string, w Want, endpoints ...Endpoint) Step {
		w.Rule, w.KubeProxyRule = "S11", "S11"
		return Step{Say: say, Apply: []Slice{{Name: "a", Endpoints: endpoints}}, Want: []Want{w}}
	}
	return []*Scenario{
		{
			Name:  "hints-complete",
			Title: "hints on all endpoints",
			Steps: []Step{
				one("1 and 2 are for our zone, 3 and 4 for another", Want{Ready: "1-4", KubeProxy: "1-2"}, zone("1-2", here), zone("3-4", there)),
				one("they change places", Want{Ready: "1-4", KubeProxy: "3-4"}, zone("1-2", there), zone("3-4", here)),
			},
		},
		{
			Name:  "hints-partial",
			Title: "one endpoint without a hint",
			Steps: []Step{
				one("3 has no hint: all are used", Want{Ready: "1-3"}, zone("1", here), zone("2", there), Endpoint{Hosts: "3"}),
				one("3 gets one", Want{Ready: "1-3", KubeProxy: "1"}, zone("1", here), zone("2-3", there)),
			},
		},
		{
			Name:  "hints-other-slice",
			Title: "the endpoint without a hint is in another slice",
			Steps: []Step{
				{
					Say: "3, in slice b, has no hint: all are used",
					Apply: []Slice{
						{Name: "a", Endpoints: []Endpoint{zone("1", here), zone("2", there)}},
						{Name: "b", Endpoints: []Endpoint{{Hosts: "3"}}},
					},
					Want: []Want{{Ready: "1-3", Rule: "S11"}},
				},
				{
					Say:   "3 gets one",
					Apply: []Slice{{Name: "b", Endpoints: []Endpoint{zone("3", there)}}},
					Want:  []Want{{Ready: "1-3", KubeProxy: "1", Rule: "S11"}},
				},
			},
		},
		{
			Name:  "hints-other-zone",
			Title: "hints for another zone alone",
			Steps: []Step{
				one("nothing is for our zone: all are used", Want{Ready: "1-2"}, zone("1-2", there)),
			},
		},
		{
			Name:  "hints-on-unready",
			Title: "the hint for our zone only on an endpoint that is not ready",
			Steps: []Step{
				one("1, for our zone, is not ready: all that are ready are used", Want{Ready: "2-3", Published: "1-3"},
					Endpoint{Hosts: "1", State: "FFF", Zones: []string{here}}, zone("2-3", there)),
				one("1 is ready", Want{Ready: "1-3", KubeProxy: "1"}, zone("1", here), zone("2-3", there)),
			},
		},
		{
			Name:  "hints-missing-on-unready",
			Title: "the endpoint without a hint is not ready",
			Steps: []Step{
				one("3 does not count: the hints are complete", Want{Ready: "1-2", KubeProxy: "1", Published: "1-3"},
					zone("1", here), zone("2", there), Endpoint{Hosts: "3", State: "FFF"}),
			},
		},
		{
			Name:  "hints-nodes",
			Title: "hints for Nodes",
			Steps: []Step{
				one("1 is for our Node, 2 for another of our zone, 3 for another zone", Want{Ready: "1-3", KubeProxy: "1"},
					Endpoint{Hosts: "1", Zones: []string{here}, Nodes: []string{"lab-a-1"}},
					Endpoint{Hosts: "2", Zones: []string{here}, Nodes: []string{"lab-a-2"}},
					Endpoint{Hosts: "3", Zones: []string{there}, Nodes: []string{"lab-b-1"}}),
			},
		},
	}
}
