package verify

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slicewright/slicewright/endpointset"
)

// zero is the moment at which every story begins; seconds count from it.
var zero = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func sec(s float64) time.Time { return zero.Add(time.Duration(s * float64(time.Second))) }

func key(t testing.TB, text string) netip.AddrPort {
	t.Helper()
	if a, err := netip.ParseAddrPort(text); err == nil {
		return a
	}
	a, err := netip.ParseAddr(text)
	if err != nil {
		t.Fatal(err)
	}
	return netip.AddrPortFrom(a, 0)
}

// story tells facts in a line each, in the order of their moments:
//
//	5 slices a=active b=terminating c=excluded    what the slices say from then on
//	5 lost | back                                 the slices cannot be read
//	5 view a=new b=draining d=idle                what the consumer has
//	5 bad                                         the consumer does not say
//	5 answer a                                    a request that took no time
//	5 failed refused [a]                          one that failed [at a]
//
// a is 10.0.0.1:80, b is 10.0.0.2:80 and so on; @a is the address without its port.
// A number behind a use, "a=new:7", is how many connections it counts.
func story(t testing.TB, text string) *Log {
	t.Helper()
	l := NewLog(Options{
		Service: endpointset.ServiceKey{Namespace: "shop", Name: "web"}, Policy: endpointset.PolicyReady,
		Consumers: []string{"consumer"}, Probes: []string{"probe"},
	})
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		var seconds float64
		if _, err := fmt.Sscan(words[0], &seconds); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		tell(t, l, sec(seconds), words[1], words[2:])
	}
	return l
}

func letter(t testing.TB, word string) netip.AddrPort {
	if bare, ok := strings.CutPrefix(word, "@"); ok {
		return netip.AddrPortFrom(letter(t, bare).Addr(), 0)
	}
	return key(t, fmt.Sprintf("10.0.0.%d:80", word[0]-'a'+1))
}

func tell(t testing.TB, l *Log, at time.Time, what string, words []string) {
	t.Helper()
	switch what {
	case "slices":
		s := Slices{At: at, Standings: map[netip.AddrPort]Standing{}, Reasons: map[netip.AddrPort]endpointset.Reason{}}
		for _, word := range words {
			name, standing, _ := strings.Cut(word, "=")
			s.Standings[letter(t, name)] = Standing(slices.Index(standingNames[:], standing))
		}
		l.Slices(s)
	case "lost":
		l.SlicesLost(at, "connection refused")
	case "back":
		l.SlicesBack(at)
	case "view":
		v := View{At: at}
		for _, word := range words {
			name, use, _ := strings.Cut(word, "=")
			use, total, counted := strings.Cut(use, ":")
			m := Member{Address: letter(t, name), Use: Use(slices.Index(useNames[:], use)), Open: Unknown, Total: Unknown}
			if counted {
				if _, err := fmt.Sscan(total, &m.Total); err != nil {
					t.Fatal(err)
				}
			}
			v.Members = append(v.Members, m)
		}
		l.Viewed(0, v)
	case "bad":
		l.ViewFailed(0, at, errors.New("no such socket"))
	case "answer":
		l.Answered(0, Answer{Began: at, Ended: at, From: letter(t, words[0])})
	case "unidentified":
		l.Answered(0, Answer{Began: at, Ended: at, Failure: Unidentified})
	case "failed":
		a := Answer{Began: at, Ended: at, Failure: Failure(words[0]), Detail: "said so"}
		if len(words) > 1 {
			a.From = letter(t, words[1])
		}
		l.Answered(0, a)
	default:
		t.Fatalf("%q is no fact", what)
	}
}

// told writes the differences of a report in a line each.
func told(r *Report) []string {
	seconds := func(at time.Time) string {
		if at.IsZero() {
			return "…"
		}
		return fmt.Sprint(at.Sub(zero).Seconds())
	}
	lines := []string{}
	for _, d := range r.Consumers[0].Differences {
		line := fmt.Sprintf("%s %s %s-%s lasted %g", d.Kind, d.Address, seconds(d.From), seconds(d.To), d.Seconds)
		if d.Finding {
			line += " finding"
		}
		if d.Undecided {
			line += " undecided"
		}
		lines = append(lines, line)
	}
	for _, u := range slices.Concat(r.Consumers[0].Used, r.Probes[0].Used) {
		line := fmt.Sprintf("%s %s %d times, %g late", u.Kind, u.Address, u.Count, u.LateSeconds)
		if u.Finding {
			line += " finding"
		}
		lines = append(lines, line)
	}
	return lines
}

func TestStories(t *testing.T) {
	for _, c := range []struct {
		name, story string
		until       float64
		consumer    Outcome
		want        []string
	}{
		{
			"a consumer that has what the slices have",
			`0 slices a=active b=active
			 1 view a=new b=new
			 20 slices a=active c=active
			 20.5 view a=new c=new
			 21 view a=new c=new`, 22, Undetermined, // nobody looked from 1 to 20.5
			[]string{},
		},
		{
			"what harms comes before what lacks",
			`0 slices a=active
			 0 view b=new
			 4 view b=new
			 8 view b=new`, 8, Different,
			[]string{"stale 10.0.0.2:80 0-… lasted 8 finding", "missing 10.0.0.1:80 0-… lasted 8 finding"},
		},
		{
			"a consumer that follows in time",
			`0 slices a=active
			 0 view a=new
			 4 view a=new
			 5 slices b=active
			 8 view a=new
			 9 view b=new
			 12 view b=new`, 12, Equal,
			[]string{"stale 10.0.0.1:80 5-9 lasted 3", "missing 10.0.0.2:80 5-9 lasted 3"},
		},
		{
			"stale: it keeps what the slices dropped",
			`0 slices a=active b=active
			 0 view a=new b=new
			 2 slices a=active
			 4 view a=new b=new
			 8 view a=new b=new
			 9 view a=new`, 10, Different,
			[]string{"stale 10.0.0.2:80 2-9 lasted 6 finding"},
		},
		{
			"missing from the beginning to the end",
			`0 slices a=active b=active
			 1 view a=new
			 5 view a=new
			 9 view a=new`, 9, Different,
			[]string{"missing 10.0.0.2:80 1-… lasted 8 finding"},
		},
		{
			"an address that the consumer has and gives nothing is missing too",
			`0 slices a=active b=active
			 0 view a=new b=idle
			 4 view a=new b=draining
			 8 view a=new b=idle`, 9, Different,
			[]string{"missing 10.0.0.2:80 0-… lasted 8 finding"},
		},
		{
			"terminating and still new (S12)",
			`0 slices a=active b=active
			 0 view a=new b=new
			 2 slices a=active b=terminating
			 5 view a=new b=new
			 8 view a=new b=new`, 9, Different,
			[]string{"terminating 10.0.0.2:80 2-… lasted 6 finding"},
		},
		{
			"terminating and drained",
			`0 slices a=active b=active
			 0 view a=new b=new
			 2 slices a=active b=terminating
			 3 view a=new b=draining
			 7 view a=new b=draining
			 8 slices a=active
			 11 view a=new b=draining`, 12, Equal,
			[]string{},
		},
		{
			"excluded and used: not ready",
			`0 slices a=active b=excluded
			 0 view a=new b=new
			 4 view a=new b=new
			 8 view a=new b=new`, 8, Different,
			[]string{"excluded 10.0.0.2:80 0-… lasted 8 finding"},
		},
		{
			"a server that somebody took out is missing from the view that shows it",
			`0 slices a=active b=active
			 0 view a=new b=new
			 3 view a=new
			 8 view a=new
			 9 view a=new b=new`, 10, Equal,
			[]string{"missing 10.0.0.2:80 3-9 lasted 5"},
		},
		{
			"a difference that goes on and is not old enough is not decided",
			`0 slices a=active b=active
			 0 view a=new b=new
			 3 view a=new`, 4, Undetermined,
			[]string{"missing 10.0.0.2:80 3-… lasted 0 undecided"},
		},
		{
			"two short ones are not one long one",
			`0 slices a=active b=active
			 0 view a=new
			 3 view a=new
			 4 view a=new b=new
			 5 view a=new
			 8 view a=new
			 9 view a=new b=new`, 10, Equal,
			[]string{"missing 10.0.0.2:80 0-4 lasted 3", "missing 10.0.0.2:80 5-9 lasted 3"},
		},
		{
			"what the slices had between two views was not seen to be missing",
			`0 slices a=active
			 0 view a=new
			 1 slices a=active b=active
			 2 slices a=active
			 3 view a=new`, 4, Equal,
			[]string{},
		},
		{
			"a short failure of the consumer cannot hide what lasts",
			`0 slices a=active
			 0 view a=new
			 2 bad
			 4 view a=new`, 5, Equal,
			[]string{},
		},
		{
			"but beside a difference it can",
			`0 slices a=active b=active
			 0 view a=new b=new
			 2 view a=new
			 5 view a=new
			 6 bad
			 9 view a=new b=new`, 10, Undetermined,
			[]string{"missing 10.0.0.2:80 2-9 lasted 3 undecided"},
		},
		{
			"a long failure leaves a time unknown, and splits what is on both sides of it",
			`0 slices a=active b=active
			 0 view a=new b=new
			 2 view a=new
			 3 view a=new
			 5 bad
			 9 view a=new
			 12 view a=new b=new`, 13, Undetermined,
			[]string{"missing 10.0.0.2:80 2-… lasted 1 undecided", "missing 10.0.0.2:80 9-12 lasted 0 undecided"},
		},
		{
			"a consumer that never says what it has",
			`0 slices a=active
			 1 bad
			 9 bad`, 10, Undetermined,
			[]string{},
		},
		{
			"a consumer without a backend is not one that did not answer",
			`0 slices a=active
			 0 view
			 4 view
			 8 view`, 8, Different,
			[]string{"missing 10.0.0.1:80 0-… lasted 8 finding"},
		},
		{
			"what the consumer had before the slices were known",
			`0 view b=new
			 3 slices a=active
			 4 view a=new`, 5, Equal,
			[]string{},
		},
		{
			"two entries for one address: the one that gets connections counts",
			`0 slices a=active
			 0 view a=idle a=new a=draining`, 1, Equal,
			[]string{},
		},
		{
			"no slices and nothing in the consumer",
			`0 slices
			 0 view
			 1 view`, 2, Equal,
			[]string{},
		},
		{
			"slices that cannot be read for long: nothing is judged by what they said last",
			`0 slices a=active
			 0 view a=new
			 1 lost
			 3 view b=new
			 7 view b=new
			 10 slices b=active
			 11 view b=new`, 12, Undetermined,
			[]string{},
		},
		{
			"slices that could not be read for a moment",
			`0 slices a=active
			 0 view a=new
			 1 lost
			 2 back
			 4 view a=new`, 5, Equal,
			[]string{},
		},
		{
			"a consumer that knows addresses alone",
			`0 slices a=active b=active
			 0 view @a=new
			 4 view @a=new
			 8 view @a=new @b=new`, 8, Equal,
			[]string{"missing 10.0.0.2 0-8 lasted 4"},
		},
		{
			"connections that the consumer counts itself, after the slices dropped the address",
			`0 slices a=active b=active
			 0 view a=new:5 b=new:5
			 1 slices a=active
			 2 view a=new:6 b=draining:7
			 5 view a=new:9 b=draining:7
			 9 view a=new:9 b=draining:7
			 10 view a=new:9 b=draining:8`, 11, Different,
			[]string{"used-after-left 10.0.0.2:80 1 times, 8 late finding"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := story(t, c.story).Report(sec(c.until))
			if r.Consumers[0].Outcome != c.consumer {
				t.Errorf("the outcome is %s (%s), want %s", r.Consumers[0].Outcome, r.Consumers[0].Reason, c.consumer)
			}
			if diff := cmp.Diff(c.want, told(r)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
