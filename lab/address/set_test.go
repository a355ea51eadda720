package address

import (
	"net/netip"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSetIsWrittenAsItIsRead(t *testing.T) {
	for text, want := range map[string]string{
		"none":                        "none",
		"10.0.0.3,10.0.0.1,10.0.0.2":  "10.0.0.1-10.0.0.3",
		"10.0.0.1-10.0.0.3,10.0.0.2":  "10.0.0.1-10.0.0.3",
		"10.0.0.1,10.0.0.3":           "10.0.0.1,10.0.0.3",
		"10.0.0.255-10.0.1.1,fd00::1": "10.0.0.255-10.0.1.1,fd00::1",
	} {
		all, err := Parse(text)
		if got := Format(all); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", text, got, err, want)
		}
	}
}

func TestDifferenceNamesTheAddresses(t *testing.T) {
	want, _ := Parse("10.0.0.1-10.0.0.4")
	got, _ := Parse("10.0.0.2-10.0.0.4,10.0.0.9")
	if err := Compare(want, want); err != nil {
		t.Errorf("equal sets differ: %v", err)
	}
	err := Compare(want, got)
	if err == nil || !strings.Contains(err.Error(), "missing 10.0.0.1;") || !strings.Contains(err.Error(), "too many 10.0.0.9") {
		// As many in both: a count would not have told.
		t.Errorf("got %v", err)
	}
}

func TestFormatAndParseAreInverse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// Close together, so that there are neighbours.
		numbers := rapid.SliceOfDistinct(rapid.IntRange(0, 400), rapid.ID[int]).Draw(t, "numbers")
		parts := []string{None}
		if len(numbers) > 0 {
			parts = nil
		}
		for _, n := range numbers {
			parts = append(parts, netip.AddrFrom4([4]byte{10, 0, byte(n >> 8), byte(n)}).String())
		}
		all, err := Parse(strings.Join(parts, ","))
		if err != nil || len(all) != len(numbers) {
			t.Fatalf("%d of %d addresses, %v", len(all), len(numbers), err)
		}
		again, err := Parse(Format(all))
		if err != nil {
			t.Fatal(err)
		}
		if err := Compare(all, again); err != nil {
			t.Fatal(err)
		}
	})
}
