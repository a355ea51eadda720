package conformance

// conditions are endpoints in every state.
func conditions() []*Scenario {
	one := func(say string, w Want, endpoints ...Endpoint) Step {
		return Step{Say: say, Apply: []Slice{{Name: "a", Endpoints: endpoints}}, Want: []Want{w}}
	}
	return []*Scenario{
		{
			Name:  "unready",
			Title: "an endpoint that is not ready",
			Steps: []Step{
				one("endpoint 2 is not ready", Want{Ready: "1,3", Published: "1-3", Rule: "S9"},
					Endpoint{Hosts: "1"}, Endpoint{Hosts: "2", State: "FFF"}, Endpoint{Hosts: "3"}),
				one("endpoint 2 is ready, endpoint 3 no longer is", Want{Ready: "1-2", Published: "1-3", Rule: "S9"},
					Endpoint{Hosts: "1-2"}, Endpoint{Hosts: "3", State: "FFF"}),
			},
		},
		{
			Name:  "terminating",
			Title: "F/T/T beside ready",
			Steps: []Step{
				one("both are ready", Want{Ready: "1-2", Rule: "S9"}, Endpoint{Hosts: "1-2"}),
				one("endpoint 2 terminates and still serves", Want{Ready: "1", Published: "1-2", Rule: "S12"},
					Endpoint{Hosts: "1"}, Endpoint{Hosts: "2", State: "FTT"}),
			},
		},
		{
			Name:  "all-terminating",
			Title: "all F/T/T, then all F/F/T",
			Steps: []Step{
				one("both are ready", Want{Ready: "1-2", Rule: "S9"}, Endpoint{Hosts: "1-2"}),
				one("both terminate and still serve", Want{Ready: none, KubeProxy: "1-2", Published: "1-2", Rule: "S12", KubeProxyRule: "S10"},
					Endpoint{Hosts: "1-2", State: "FTT"}),
				one("neither serves any more", Want{Ready: none, Published: "1-2", Rule: "S12", KubeProxyRule: "S10"},
					Endpoint{Hosts: "1-2", State: "FFT"}),
			},
		},
		{
			Name:  "terminating-not-serving",
			Title: "F/F/T beside ready, and beside F/T/T alone",
			Steps: []Step{
				one("endpoint 2 terminates and serves no more", Want{Ready: "1", Published: "1-2", Rule: "S12"},
					Endpoint{Hosts: "1"}, Endpoint{Hosts: "2", State: "FFT"}),
				one("endpoint 1 terminates as well, and serves", Want{Ready: none, KubeProxy: "1", Published: "1-2", Rule: "S12", KubeProxyRule: "S10"},
					Endpoint{Hosts: "1", State: "FTT"}, Endpoint{Hosts: "2", State: "FFT"}),
			},
		},
		{
			Name:  "ready-not-serving",
			Title: "T/F/F: an unready Pod of a Service with publishNotReadyAddresses",
			Steps: []Step{
				one("endpoint 2 is published as ready and does not serve", Want{Ready: "1-2", Rule: "S13"},
					Endpoint{Hosts: "1"}, Endpoint{Hosts: "2", State: "TFF"}),
			},
		},
		{
			Name:  "ready-terminating",
			Title: "T/T/T: a terminating Pod of a Service with publishNotReadyAddresses",
			Steps: []Step{
				one("endpoint 2 is published as ready and terminates", Want{Ready: "1", KubeProxy: "1-2", Published: "1-2", Rule: "S12", KubeProxyRule: "S13"},
					Endpoint{Hosts: "1"}, Endpoint{Hosts: "2", State: "TTT"}),
			},
		},
		{
			Name:  "absent-conditions",
			Title: "conditions that are absent",
			Steps: []Step{
				one("endpoint 1 has none, 2 only ready, 3 only serving, 4 is not ready", Want{Ready: "1-3", Published: "1-4", Rule: "S4"},
					Endpoint{Hosts: "1", State: "---"}, Endpoint{Hosts: "2", State: "T--"}, Endpoint{Hosts: "3", State: "-T-"}, Endpoint{Hosts: "4", State: "F--"}),
			},
		},
		{
			Name:  "all-not-ready",
			Title: "all going not ready, and one coming back",
			Steps: []Step{
				one("all are ready", Want{Ready: "1-3", Rule: "S9"}, Endpoint{Hosts: "1-3"}),
				one("none is", Want{Ready: none, Published: "1-3", Rule: "S9"}, Endpoint{Hosts: "1-3", State: "FFF"}),
				one("endpoint 3 is ready again", Want{Ready: "3", Published: "1-3", Rule: "S9"},
					Endpoint{Hosts: "1-2", State: "FFF"}, Endpoint{Hosts: "3"}),
			},
		},
		{
			Name:  "last-slice",
			Title: "the last slice removed, and a slice that comes back",
			Steps: []Step{
				one("two are ready", Want{Ready: "1-2", Rule: "S9"}, Endpoint{Hosts: "1-2"}),
				{Say: "the slice is deleted", Delete: []string{"a"}, Want: []Want{{Ready: none, Rule: "S15"}}},
				one("a slice of that name comes, with other endpoints", Want{Ready: "3", Rule: "S1"}, Endpoint{Hosts: "3"}),
			},
		},
	}
}
