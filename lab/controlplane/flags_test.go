package controlplane

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFlagsOfARestartStandInPlaceOfTheLabsOwn(t *testing.T) {
	own := []string{"--controllers=*", "--leader-elect=false"}
	got := override(own, []string{"--controllers=*,-endpoints-controller", "--v=4"})
	want := []string{"--controllers=*,-endpoints-controller", "--leader-elect=false", "--v=4"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if own[0] != "--controllers=*" {
		t.Error("the lab's own flags were changed, so that a later restart would not be back at them")
	}
}

func TestFlagsThatCouldNotReplaceOthersAreRefused(t *testing.T) {
	for _, flag := range []string{"-v=4", "--v", "v=4", ""} {
		if err := checkFlags([]string{flag}); err == nil {
			t.Errorf("%q is taken", flag)
		}
	}
	if err := checkFlags([]string{"--v=4", "--feature-gates=A=true"}); err != nil {
		t.Error(err)
	}
}

func TestEveryComponentHasFlagsThatOverrideUnderstands(t *testing.T) {
	config := Config{Dir: "/lab", Address: netip.MustParseAddr("10.40.0.1"), ProxyNode: "lab-a-1"}
	for _, name := range Names {
		flags := defaultFlags(name, config)
		if len(flags) == 0 {
			t.Errorf("%s has no flags", name)
		}
		if err := checkFlags(flags); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		seen := map[string]bool{}
		for _, flag := range flags {
			if seen[flagName(flag)] {
				t.Errorf("%s: %s twice", name, flagName(flag))
			}
			seen[flagName(flag)] = true
		}
	}
}

func TestBothFamiliesHaveClusterIPs(t *testing.T) {
	flags := strings.Join(defaultFlags(APIServer, Config{}), " ")
	if !strings.Contains(flags, "--service-cluster-ip-range=10.96.0.0/16,fd00:10:96::/112") {
		t.Error(flags)
	}
}
