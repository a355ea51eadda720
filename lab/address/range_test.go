package address

import (
	"net/netip"
	"testing"
)

func TestRanges(t *testing.T) {
	for text, want := range map[string]string{
		"10.42.0.7":             "10.42.0.7",
		"10.42.0.1-10.42.0.240": "10.42.0.1-10.42.0.240",
		"10.43.0.0/24":          "10.43.0.1-10.43.0.254",
		"10.43.0.4/31":          "10.43.0.4-10.43.0.5",
		"10.43.0.4/32":          "10.43.0.4",
		"fd44:1::/64":           "fd44:1::1-fd44:1::ffff:ffff:ffff:fffe",
		"::ffff:10.1.1.1":       "10.1.1.1",
	} {
		got, err := ParseRanges(text)
		if err != nil || len(got) != 1 || got[0].String() != want {
			t.Errorf("%s: %v, %v; want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "a", "10.0.0.1-", "10.0.0.1-fd00::1", "127.0.0.1", "fe80::1%eth0", "224.0.0.1", "0.0.0.0"} {
		if got, err := ParseRanges(text); err == nil {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}

func FuzzParseRanges(f *testing.F) {
	for _, seed := range []string{"10.42.0.1-10.42.0.240", "fd44::/64", "0.0.0.0/0", "::/0", "255.255.255.255", "1.1.1.1,2.2.2.2/31"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ranges, err := ParseRanges(text)
		if err != nil {
			return
		}
		for _, r := range ranges {
			all := r.All()
			if len(all) == 0 || len(all) > MaxRange {
				t.Fatalf("%q: %d addresses", text, len(all))
			}
			for _, a := range []netip.Addr{all[0], all[len(all)-1]} {
				if !r.Contains(a) {
					t.Fatalf("%q: %s lists %s, which is outside", text, r, a)
				}
			}
		}
	})
}
