package scenario

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestHandwrittenSliceHasTheStatesThatWereAsked(t *testing.T) {
	slice, err := handwritten("a", "web", "10.0.0.1-10.0.0.4", "http:8080",
		[]string{"not-ready=10.0.0.2", "terminating=10.0.0.3", "terminating-not-serving=10.0.0.4"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range slice.Endpoints {
		got = append(got, fmt.Sprintf("%s %t %t %t", e.Addresses[0], *e.Conditions.Ready, *e.Conditions.Serving, *e.Conditions.Terminating))
	}
	want := "10.0.0.1 true true false, 10.0.0.2 false false false, 10.0.0.3 false true true, 10.0.0.4 false false true"
	if strings.Join(got, ", ") != want {
		t.Errorf("got %v", got)
	}
	if slice.AddressType != "IPv4" || *slice.Ports[0].Name != "http" || *slice.Ports[0].Port != 8080 || slice.Labels["kubernetes.io/service-name"] != "web" {
		t.Errorf("got %+v", slice)
	}
	if _, err := handwritten("a", "web", "10.0.0.1", "http:8080", []string{"sleepy=10.0.0.1"}); err == nil {
		t.Error("a state that there is not was taken")
	}
	if six, err := handwritten("a", "web", "fd00::1", "http:8080", nil); err != nil || six.AddressType != "IPv6" {
		t.Errorf("%+v, %v", six, err)
	}
}

func TestEventuallyEndsAtOnceWhenNothingWillHelp(t *testing.T) {
	looks := 0
	err := eventually(t.Context(), func(context.Context) error {
		looks++
		if looks < 3 {
			return errors.New("not yet")
		}
		return fmt.Errorf("%w: it is dead", errFinal)
	})
	if looks != 3 || !errors.Is(err, errFinal) {
		t.Errorf("%d looks, %v", looks, err)
	}
}

func TestEventuallySaysWhatWasWrongWhenTimeIsOver(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	err := eventually(ctx, func(context.Context) error {
		defer cancel(errors.New("out of time"))
		return errors.New("3 instead of 4")
	})
	if err == nil || !strings.Contains(err.Error(), "out of time") || !strings.Contains(err.Error(), "3 instead of 4") {
		t.Errorf("got %v", err)
	}
}

func TestCommandsDoNotHideTestscriptsOwn(t *testing.T) {
	// testscript prefers its own, so that ours of such a name would never run.
	for _, builtin := range []string{"kill", "wait", "exec", "stop", "cmp", "cp", "env", "exists", "grep", "mkdir", "mv", "rm", "skip", "stdin", "stdout", "stderr", "symlink", "cd", "chmod", "unquote"} {
		if _, ours := vocabulary[builtin]; ours {
			t.Errorf("%s is testscript's", builtin)
		}
	}
	if !strings.Contains(Usage(), "slice NAME SERVICE ADDRESSES") {
		t.Error(Usage())
	}
}
