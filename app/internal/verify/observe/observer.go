package observe

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/slicewright/slicewright/app/internal/verify"
	"github.com/slicewright/slicewright/internal/text"
)

// Timeout bounds one look at a consumer. They answer in milliseconds; this is for
// a machine under load.
const Timeout = 10 * time.Second

// maxDetail bounds a consumer's own words about one backend, maxError what is said
// of a failure, in runes.
const (
	maxDetail = 200
	maxError  = 1000
)

// A Source is the part of an observer that differs between kinds of consumers.
type Source interface {
	// Members asks the consumer once. Its errors name the consumer.
	Members(ctx context.Context) ([]verify.Member, error)
}

// New returns an observer that reads source, within [Timeout], and calls itself
// name. It holds source to what [verify.Member] promises: addresses that are IP
// addresses without a zone, IPv4 never written as IPv6, a use, a printable detail.
func New(name string, source Source) verify.Observer {
	return &observer{name: name, source: source, timeout: Timeout}
}

type observer struct {
	name    string
	source  Source
	timeout time.Duration
}

func (o *observer) String() string { return o.name }

func (o *observer) Observe(ctx context.Context) (verify.View, error) {
	limited, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	view := verify.View{At: time.Now()}
	members, err := o.source.Members(limited)
	if err != nil {
		if errors.Is(limited.Err(), context.DeadlineExceeded) && ctx.Err() == nil {
			err = fmt.Errorf("%w (no whole answer within %v)", err, o.timeout)
		}
		return verify.View{}, shown{err}
	}
	for _, m := range members {
		address := m.Address.Addr()
		switch {
		case !address.IsValid() || address.Zone() != "":
			return verify.View{}, fmt.Errorf("%s: %q is no address that a slice could have", o.name, address)
		case m.Use == 0:
			return verify.View{}, fmt.Errorf("%s: nothing says how %s is used", o.name, m.Address)
		}
		m.Address = unmap(m.Address)
		m.Detail = text.Excerpt(m.Detail, maxDetail)
		view.Members = append(view.Members, m)
	}
	return view, nil
}

// shown is an error whose text is fit for a terminal: it may hold a consumer's own
// words.
type shown struct{ error }

func (s shown) Error() string { return text.Excerpt(s.error.Error(), maxError) }
func (s shown) Unwrap() error { return s.error }
