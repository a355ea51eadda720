package controllers

import (
	"strings"
	"testing"
)

func TestSwitchOff(t *testing.T) {
	for _, c := range []struct{ why, from, off, want string }{
		{"everything", "*", Endpoints, "*,-endpoints-controller"},
		{"no flag", "", Endpoints, "*,-endpoints-controller"},
		{
			"kubeadm's list is kept", "*,bootstrap-signer-controller,token-cleaner-controller", Endpoints,
			"*,bootstrap-signer-controller,token-cleaner-controller,-endpoints-controller",
		},
		{"others that are off stay off", "*,-ttl-controller", Endpoints, "*,-ttl-controller,-endpoints-controller"},
		{"off already", "-endpoints-controller,*", Endpoints, "-endpoints-controller,*"},
		{"off already, by its older name", "*,-endpoint", Endpoints, "*,-endpoint"},
		{
			"a list of names, of which it is not one", "endpointslice-controller,node-ipam-controller", Endpoints,
			"endpointslice-controller,node-ipam-controller,-endpoints-controller",
		},
		{
			"on by name, before which no other word counts", "*,endpoints-controller,ttl-controller", Endpoints,
			"*,ttl-controller,-endpoints-controller",
		},
		{"on by its older name", "*,endpoint", Endpoints, "*,-endpoints-controller"},
		{"on, and then off in vain", "*,endpoints-controller,-endpoints-controller", Endpoints, "*,-endpoints-controller"},
		{"off, and then on in vain", "*,-endpoints-controller,endpoints-controller", Endpoints, "*,-endpoints-controller,endpoints-controller"},
		{
			"mirroring too", "*", Endpoints + " " + EndpointSliceMirroring,
			"*,-endpoints-controller,-endpointslice-mirroring-controller",
		},
		{"a name that begins alike is another", "*,endpointslice-controller", Endpoints, "*,endpointslice-controller,-endpoints-controller"},
	} {
		names := strings.Fields(c.off)
		got, err := SwitchOff(c.from, names...)
		if err != nil || got != c.want {
			t.Errorf("%s: %q gives %q, %v; want %q", c.why, c.from, got, err, c.want)
			continue
		}
		for _, name := range names {
			if on, err := Runs(got, name); err != nil || on {
				t.Errorf("%s: %s still runs with %q (%v)", c.why, name, got, err)
			}
		}
		for _, name := range []string{EndpointSlice, "ttl-controller"} {
			before, _ := Runs(c.from, name)
			if after, _ := Runs(got, name); before != after {
				t.Errorf("%s: %s: ran %t with %q and %t with %q", c.why, name, before, c.from, after, got)
			}
		}
		if again, err := SwitchOff(got, names...); err != nil || again != got {
			t.Errorf("%s: a second time gives %q, %v", c.why, again, err)
		}
	}
}

func TestRuns(t *testing.T) {
	for list, want := range map[string]bool{
		"":                        true,
		"*":                       true,
		"*,-endpoints-controller": false,
		"-endpoints-controller,*": false,
		"*,-endpoint":             false,
		"endpoint":                true,
		"endpointslice":           false,
		"*,endpoints-controller,-endpoints-controller": true,
	} {
		if got, err := Runs(list, Endpoints); err != nil || got != want {
			t.Errorf("%q: %t, %v; want %t", list, got, err, want)
		}
	}
}

func TestListThatKubernetesWouldNotTakeIsAnError(t *testing.T) {
	for _, list := range []string{",", "*,", "*, -ttl-controller", "-", "-*", `"*"`, "*;rm", "a\nb", "\x1b[31m"} {
		if got, err := SwitchOff(list, Endpoints); err == nil {
			t.Errorf("%q gives %q", list, got)
		} else if strings.ContainsFunc(err.Error(), func(r rune) bool { return r < ' ' }) {
			t.Errorf("%q: the error carries control characters: %q", list, err)
		}
		if _, err := Runs(list, Endpoints); err == nil {
			t.Errorf("%q is understood", list)
		}
	}
}
