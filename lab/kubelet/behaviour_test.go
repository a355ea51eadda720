package kubelet

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/slicewright/slicewright/lab/address"
)

var compareAddrs = cmpopts.EquateComparable(netip.Addr{})

func TestPodWithoutAnnotationsBehavesAsGoodPracticeSays(t *testing.T) {
	got, err := ParseBehaviour(nil)
	if err != nil {
		t.Fatal(err)
	}
	want := Behaviour{Ready: true, ReadyWhileTerminating: true, ServeAfterDeletion: 2 * time.Second}
	if diff := cmp.Diff(want, got, compareAddrs); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestAnnotationsSayHowAPodBehaves(t *testing.T) {
	got, err := ParseBehaviour(map[string]string{
		AnnotationIP:                    "10.42.0.7, fd42::7",
		AnnotationPool:                  "10.9.0.0/24", // the address is stronger
		AnnotationReady:                 "false",
		AnnotationReadyAfter:            "1s",
		AnnotationReadyWhileTerminating: "false",
		AnnotationServeAfterDeletion:    "0s",
		AnnotationOnStop:                "cut",
		AnnotationAnswerAfter:           "20ms",
	})
	if err != nil {
		t.Fatal(err)
	}
	four, six := netip.MustParseAddr("10.42.0.7"), netip.MustParseAddr("fd42::7")
	want := Behaviour{
		Wanted:     []address.Range{{First: four, Last: four}, {First: six, Last: six}},
		ReadyAfter: time.Second, CutOnStop: true, AnswerAfter: 20 * time.Millisecond,
	}
	if diff := cmp.Diff(want, got, compareAddrs); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestUnreadableAnnotationIsNamedAndHasItsDefault(t *testing.T) {
	for name, value := range map[string]string{
		AnnotationIP:                 "10.42.0",
		AnnotationPool:               "10.0.0.9-10.0.0.1",
		AnnotationReady:              "perhaps",
		AnnotationServeAfterDeletion: "-1s",
		AnnotationAnswerAfter:        "1h",
		AnnotationOnStop:             "explode",
	} {
		got, err := ParseBehaviour(map[string]string{name: value})
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %s: error %v does not name the annotation", name, value, err)
		}
		standard, _ := ParseBehaviour(nil)
		if diff := cmp.Diff(standard, got, compareAddrs); diff != "" {
			t.Errorf("%s: -default +got:\n%s", name, diff)
		}
	}
}
