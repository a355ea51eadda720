package observe

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/slicewright/slicewright/app/internal/verify"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Each kind's own example is a spec, so that the help that people get works.
func TestExamplesAreSpecs(t *testing.T) {
	if len(Kinds()) != len(kinds) || len(kinds) == 0 {
		t.Fatal(Kinds())
	}
	for _, example := range Kinds() {
		o, err := Parse(example)
		if err != nil {
			t.Error(err)
		} else if o.String() != example {
			t.Errorf("%s calls itself %s", example, o)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, spec := range []string{"", "x", ":", "haproxy", "haproxy:", "envoy:x", "HAPROXY:/run/x/y", "file:", "http:x", "file:/tmp/a\x1b[2J", "file:a\nb"} {
		o, err := Parse(spec)
		if err == nil || o != nil {
			t.Errorf("%q is taken: %v", spec, o)
			continue
		}
		if !strings.HasPrefix(err.Error(), "consumer ") || strings.ContainsAny(err.Error(), "\n\x1b") {
			t.Errorf("%q: %v", spec, err)
		}
	}
	for _, k := range kinds {
		if _, err := Parse(k.name + ":"); err == nil || !strings.Contains(err.Error(), k.example) {
			t.Errorf("%s: %v has no example", k.name, err)
		}
	}
	if o, err := Parse("http:http://me:secret@127.0.0.1/"); err != nil || strings.Contains(o.String(), "secret") {
		t.Errorf("%v, %v", o, err)
	}
	if _, err := Parse("http:ftp://me:secret@127.0.0.1/"); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("a password in %v", err)
	}
}

type source func(ctx context.Context) ([]verify.Member, error)

func (s source) Members(ctx context.Context) ([]verify.Member, error) { return s(ctx) }

func TestObserve(t *testing.T) {
	at := netip.MustParseAddrPort
	members := []verify.Member{
		{Address: at("[::ffff:10.0.0.1]:80"), Use: verify.New, Detail: "a\x1b[2Jb" + strings.Repeat("é", 1000)},
		{Address: at("[2001:db8::1]:80"), Use: verify.Idle},
	}
	before := time.Now()
	view, err := New("x", source(func(context.Context) ([]verify.Member, error) { return members, nil })).Observe(t.Context())
	if err != nil || len(view.Members) != 2 {
		t.Fatal(view, err)
	}
	if view.At.Before(before) || view.At.After(time.Now()) {
		t.Error(view.At)
	}
	m := view.Members[0]
	if m.Address != at("10.0.0.1:80") || strings.Contains(m.Detail, "\x1b") || len([]rune(m.Detail)) != maxDetail+1 {
		t.Errorf("%+v", m)
	}

	for says, m := range map[string]verify.Member{
		"invalid IP": {Use: verify.New},
		"fe80::1":    {Address: at("[fe80::1%eth0]:80"), Use: verify.New},
		"nothing":    {Address: at("10.0.0.1:80")},
	} {
		view, err := New("x", source(func(context.Context) ([]verify.Member, error) { return []verify.Member{m}, nil })).Observe(t.Context())
		if err == nil || !strings.Contains(err.Error(), says) || len(view.Members) != 0 {
			t.Errorf("%+v: %v, %v", m, view, err)
		}
	}
}

func TestErrorsArePrintable(t *testing.T) {
	cause := errors.New("no\x1b[2J\n" + strings.Repeat("é", 5000))
	_, err := New("x", source(func(context.Context) ([]verify.Member, error) { return nil, cause })).Observe(t.Context())
	if !errors.Is(err, cause) || strings.ContainsAny(err.Error(), "\x1b\n") || len([]rune(err.Error())) > maxError+1 {
		t.Errorf("%.100q", err)
	}
}

func TestObserveIsBounded(t *testing.T) {
	hangs := source(func(ctx context.Context) ([]verify.Member, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	o := &observer{name: "x", source: hangs, timeout: time.Millisecond}
	if _, err := o.Observe(t.Context()); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "1ms") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := New("x", hangs).Observe(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
