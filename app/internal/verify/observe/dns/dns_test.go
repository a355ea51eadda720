package dns

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/miekg/dns"
	"go.uber.org/goleak"

	"github.com/slicewright/slicewright/app/internal/verify"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve runs a DNS server on one port, UDP and TCP, until the test ends.
func serve(t testing.TB, handle func(w dns.ResponseWriter, question *dns.Msg, network string)) string {
	t.Helper()
	packets, listener := samePort(t)
	for _, s := range []*dns.Server{{PacketConn: packets, Net: "udp"}, {Listener: listener, Net: "tcp"}} {
		network := s.Net
		s.Handler = dns.HandlerFunc(func(w dns.ResponseWriter, q *dns.Msg) { handle(w, q, network) })
		started, ended := make(chan struct{}), make(chan struct{})
		s.NotifyStartedFunc = func() { close(started) }
		go func() { defer close(ended); _ = s.ActivateAndServe() }()
		<-started
		t.Cleanup(func() { _ = s.Shutdown(); <-ended })
	}
	return packets.LocalAddr().String()
}

// samePort listens on one port over UDP and TCP.
func samePort(t testing.TB) (net.PacketConn, net.Listener) {
	t.Helper()
	for range 100 {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		packets, err := net.ListenPacket("udp", listener.Addr().String())
		if err == nil {
			return packets, listener
		}
		listener.Close() // somebody has it over UDP
	}
	t.Fatal("no port is free over UDP and TCP")
	return nil, nil
}

// zone answers from records, as an authoritative server does.
func zone(t testing.TB, texts ...string) func(dns.ResponseWriter, *dns.Msg, string) {
	var records []dns.RR
	for _, text := range texts {
		r, err := dns.NewRR(text)
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
	}
	return func(w dns.ResponseWriter, q *dns.Msg, network string) {
		m := new(dns.Msg)
		m.SetReply(q)
		m.Authoritative = true
		exists, name := false, q.Question[0].Name
		for _, r := range records {
			if !strings.EqualFold(r.Header().Name, name) {
				continue
			}
			exists = true
			if r.Header().Rrtype == q.Question[0].Qtype || r.Header().Rrtype == dns.TypeCNAME {
				m.Answer = append(m.Answer, r)
			}
			if alias, ok := r.(*dns.CNAME); ok {
				name = alias.Target
			}
		}
		if !exists {
			m.Rcode = dns.RcodeNameError
		}
		if network == "udp" {
			m.Truncate(dns.MinMsgSize)
		}
		_ = w.WriteMsg(m)
	}
}

func source(t testing.TB, server, rest string) *Source {
	t.Helper()
	s, err := Parse(server + "/" + rest)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func text(list []verify.Member, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	var words []string
	for _, m := range list {
		words = append(words, m.Address.String())
		if m.Use != verify.New || m.Open != verify.Unknown || m.Total != verify.Unknown || !strings.HasPrefix(m.Detail, "TTL ") {
			words = append(words, fmt.Sprintf("%+v", m))
		}
	}
	return strings.Join(words, " ")
}

func TestRecords(t *testing.T) {
	const srv = "_http._tcp.web.shop.svc. 5 IN SRV 0 50 8080 "
	server := serve(t, zone(t,
		"web.shop.svc. 5 IN A 10.42.0.1", "web.shop.svc. 5 IN A 10.42.0.2", "web.shop.svc. 5 IN AAAA fd42::1",
		"four.shop.svc. 5 IN A 10.42.0.1",
		"alias.shop.svc. 5 IN CNAME web.shop.svc.", "web.shop.svc. 5 IN TXT \"x\"",
		srv+"a.web.shop.svc.", srv+"b.web.shop.svc.", "a.web.shop.svc. 5 IN A 10.42.0.1", "b.web.shop.svc. 5 IN AAAA fd42::1",
		"_old._tcp.web.shop.svc. 5 IN SRV 0 50 8080 gone.web.shop.svc.", "_zero._tcp.web.shop.svc. 5 IN SRV 0 50 0 a.web.shop.svc.",
	))
	for rest, want := range map[string]string{
		"web.shop.svc":                       "10.42.0.1:0 10.42.0.2:0 [fd42::1]:0",
		"WEB.shop.svc.":                      "10.42.0.1:0 10.42.0.2:0 [fd42::1]:0",
		"web.shop.svc?type=A":                "10.42.0.1:0 10.42.0.2:0",
		"web.shop.svc?type=aaaa":             "[fd42::1]:0",
		"four.shop.svc":                      "10.42.0.1:0",
		"four.shop.svc?type=AAAA":            "", // the name exists, without such a record
		"nobody.shop.svc":                    "", // the name does not exist
		"web.shop.svc?port=http":             "10.42.0.1:8080 [fd42::1]:8080",
		"web.shop.svc?type=SRV&port=http":    "10.42.0.1:8080 [fd42::1]:8080",
		"_http._tcp.web.shop.svc?type=SRV":   "10.42.0.1:8080 [fd42::1]:8080",
		"web.shop.svc?port=dns&protocol=udp": "",
		"web.shop.svc?port=old":              "", // a target without an address
	} {
		if got := text(source(t, server, rest).Members(t.Context())); got != want {
			t.Errorf("%s: %s, want %s", rest, got, want)
		}
	}
	if got := text(source(t, server, "web.shop.svc?port=zero").Members(t.Context())); !strings.Contains(got, "error") || !strings.Contains(got, "port 0") {
		t.Error(got)
	}
}

// A thousand addresses do not fit into a packet.
func TestTruncated(t *testing.T) {
	var records []string
	for i := range 1000 {
		records = append(records, fmt.Sprintf("web.shop.svc. 5 IN A 10.42.%d.%d", i/250, i%250+1))
	}
	server := serve(t, zone(t, records...))
	list, err := source(t, server, "web.shop.svc").Members(t.Context())
	if err != nil || len(list) != 1000 {
		t.Errorf("%d of 1000 addresses, %v", len(list), err)
	}
}

// Answers that say nothing are errors.
func TestNoAnswer(t *testing.T) {
	record := func(text string) dns.RR {
		r, err := dns.NewRR(text)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	type answer func(m *dns.Msg, network string)
	var current atomic.Value // of answer: a late packet may still ask for the one before
	server := serve(t, func(w dns.ResponseWriter, q *dns.Msg, network string) {
		m := new(dns.Msg)
		m.SetReply(q)
		current.Load().(answer)(m, network)
		_ = w.WriteMsg(m)
	})
	s := source(t, server, "web.shop.svc?type=A")
	for _, tc := range []struct {
		want string
		with func(m *dns.Msg, network string)
	}{
		{"error: dns: A web.shop.svc. at " + server + ": the server answers SERVFAIL", func(m *dns.Msg, _ string) { m.Rcode = dns.RcodeServerFailure }},
		{"answers REFUSED", func(m *dns.Msg, _ string) { m.Rcode = dns.RcodeRefused }},
		{"answers code 14", func(m *dns.Msg, _ string) { m.Rcode = 14 }},
		{"does not speak for the zone", func(*dns.Msg, string) {}},
		{"does not speak for the zone", func(m *dns.Msg, _ string) { m.Rcode = dns.RcodeNameError }},
		{"does not speak for the zone", func(m *dns.Msg, _ string) { m.Ns = []dns.RR{record("svc. 5 IN NS elsewhere.")} }},
		{"does not speak for the zone", func(m *dns.Msg, _ string) { m.Answer = []dns.RR{record("other.shop.svc. 5 IN A 10.42.0.1")} }},
		{"does not speak for the zone", func(m *dns.Msg, _ string) {
			m.Answer = []dns.RR{record("web.shop.svc. 5 IN CNAME b.shop.svc."), record("b.shop.svc. 5 IN CNAME web.shop.svc.")}
		}},
		{"says that there is no such name", func(m *dns.Msg, _ string) {
			m.Rcode, m.Answer = dns.RcodeNameError, []dns.RR{record("web.shop.svc. 5 IN A 10.42.0.1")}
		}},
		{"another question", func(m *dns.Msg, _ string) { m.Question[0].Name = "other.shop.svc." }},
		{"another question", func(m *dns.Msg, _ string) { m.Question[0].Qtype = dns.TypeTXT }},
		{"another question", func(m *dns.Msg, _ string) { m.Response = false }},
		{"truncated over TCP too", func(m *dns.Msg, _ string) { m.Truncated = true }},
		{"answers SERVFAIL", func(m *dns.Msg, network string) {
			if m.Truncated = network == "udp"; !m.Truncated {
				m.Rcode = dns.RcodeServerFailure
			}
		}},
	} {
		current.Store(answer(tc.with))
		if got := text(s.Members(t.Context())); !strings.HasPrefix(got, "error") || !strings.Contains(got, tc.want) {
			t.Errorf("%s, want %s", got, tc.want)
		}
	}
	for _, with := range []answer{
		func(m *dns.Msg, _ string) {
			m.Rcode, m.Ns = dns.RcodeNameError, []dns.RR{record("svc. 5 IN SOA a. b. 1 2 3 4 5")}
		},
		func(m *dns.Msg, _ string) { m.Ns = []dns.RR{record("svc. 5 IN SOA a. b. 1 2 3 4 5")} },
		func(m *dns.Msg, _ string) { m.Authoritative = true },
	} {
		current.Store(with)
		if got := text(s.Members(t.Context())); got != "" {
			t.Errorf("%s, want an empty view", got)
		}
	}
	// The chain of aliases is followed, whatever its order.
	current.Store(answer(func(m *dns.Msg, _ string) {
		m.Answer = []dns.RR{
			record("c.shop.svc. 5 IN A 10.42.0.1"), record("b.shop.svc. 5 IN CNAME c.shop.svc."), record("web.shop.svc. 5 IN CNAME b.shop.svc."),
			record("x.shop.svc. 5 IN A 10.42.0.9"),
		}
	}))
	if got := text(s.Members(t.Context())); got != "10.42.0.1:0" {
		t.Error(got)
	}
	// More SRV targets than are looked up one by one.
	current.Store(answer(func(m *dns.Msg, network string) {
		m.Authoritative = true
		if m.Question[0].Qtype == dns.TypeSRV {
			if m.Truncated = network == "udp"; m.Truncated {
				return
			}
			for i := range maxTargets + 1 {
				m.Answer = append(m.Answer, record(fmt.Sprintf("web.shop.svc. 5 IN SRV 0 0 80 t%d.", i)))
			}
		}
	}))
	if got := text(source(t, server, "web.shop.svc?type=SRV").Members(t.Context())); !strings.HasSuffix(got, "more than 200 names to ask for") {
		t.Error(got)
	}
}

// The addresses of SRV targets that come along are taken, and nothing more is
// asked.
func TestTargetsComeAlong(t *testing.T) {
	var queries atomic.Int64
	server := serve(t, func(w dns.ResponseWriter, q *dns.Msg, _ string) {
		queries.Add(1)
		m := new(dns.Msg)
		m.SetReply(q)
		for i := range 3 {
			srv, _ := dns.NewRR(fmt.Sprintf("%s 5 IN SRV 0 0 %d t%d.", q.Question[0].Name, 8080+i, i))
			a, _ := dns.NewRR(fmt.Sprintf("T%d. 5 IN A 10.42.0.%d", i, i+1))
			m.Answer, m.Extra = append(m.Answer, srv), append(m.Extra, a)
		}
		_ = w.WriteMsg(m)
	})
	got := text(source(t, server, "web.shop.svc?port=http").Members(t.Context()))
	if got != "10.42.0.1:8080 10.42.0.2:8081 10.42.0.3:8082" || queries.Load() != 1 {
		t.Errorf("%s, with %d queries", got, queries.Load())
	}
}

// A packet that is lost is asked for again; a server that is silent is an error,
// within the time that the caller gives.
func TestLostPackets(t *testing.T) {
	var queries atomic.Int64
	answer := zone(t, "web.shop.svc. 5 IN A 10.42.0.1")
	server := serve(t, func(w dns.ResponseWriter, q *dns.Msg, network string) {
		if queries.Add(1) > 1 {
			answer(w, q, network)
		}
	})
	s := source(t, server, "web.shop.svc?type=A")
	if got := text(s.Members(t.Context())); got != "10.42.0.1:0" || queries.Load() != 2 {
		t.Errorf("%s after %d queries", got, queries.Load())
	}
	silent := serve(t, func(dns.ResponseWriter, *dns.Msg, string) {})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if list, err := source(t, silent, "web.shop.svc").Members(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, %v", list, err)
	}
	if list, err := source(t, "127.0.0.1:1", "web.shop.svc").Members(t.Context()); err == nil {
		t.Errorf("nobody listens: %v", list)
	}
}

// What is not DNS at all.
func TestGarbage(t *testing.T) {
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		buffer := make([]byte, 2000)
		for {
			n, from, err := conn.ReadFrom(buffer)
			if err != nil {
				return
			}
			// The question's ID, then nonsense.
			_, _ = conn.WriteTo(append(buffer[:2:2], strings.Repeat("\xff", min(n, 60))...), from)
		}
	}()
	if list, err := source(t, conn.LocalAddr().String(), "web.shop.svc").Members(t.Context()); err == nil {
		t.Errorf("%v", list)
	}
	conn.Close()
	<-done
}

func TestParse(t *testing.T) {
	for rest, want := range map[string]string{
		"10.96.0.10/web.shop.svc":       "10.96.0.10:53 web.shop.svc. [1 28]",
		"10.96.0.10:5353/Web.Shop.svc.": "10.96.0.10:5353 web.shop.svc. [1 28]",
		"fd00::a/web":                   "[fd00::a]:53 web. [1 28]",
		"[fd00::a]/web":                 "[fd00::a]:53 web. [1 28]",
		"[fd00::a]:54/web":              "[fd00::a]:54 web. [1 28]",
		"dns.example/web?type=srv":      "dns.example:53 web. [33]",
		"dns.example:54/web?port=http":  "dns.example:54 _http._tcp.web. [33]",
		"::1/web?port=dns&protocol=udp": "[::1]:53 _dns._udp.web. [33]",
	} {
		s, err := Parse(rest)
		if err != nil {
			t.Errorf("%s: %v", rest, err)
		} else if got := fmt.Sprint(s.Server, " ", s.Name, " ", s.Types); got != want {
			t.Errorf("%s: %s, want %s", rest, got, want)
		}
	}
	for _, rest := range []string{
		"", "web", "/web", "10.96.0.10/", "10.96.0.10:0/web", "10.96.0.10:x/web", "10.96.0.10:65536/web", "[::1/web]", "a b/web", ":53/web",
		"10.96.0.10/a..b", "10.96.0.10/a b", "10.96.0.10/" + strings.Repeat("a", 64), "10.96.0.10/a\\000b", "10.96.0.10/é",
		"10.96.0.10/web?type=MX", "10.96.0.10/web?type=A&port=http", "10.96.0.10/web?protocol=udp", "10.96.0.10/web?x=1",
	} {
		if s, err := Parse(rest); err == nil {
			t.Errorf("%q is taken: %+v", rest, s)
		}
	}
}

// FuzzAnswer: any message is an answer or an error, and its addresses are usable.
func FuzzAnswer(f *testing.F) {
	m := new(dns.Msg)
	m.SetQuestion("web.", dns.TypeA)
	for _, text := range []string{"web. 5 IN CNAME b.", "b. 5 IN A 10.0.0.1", "b. 5 IN CNAME web."} {
		r, _ := dns.NewRR(text)
		m.Answer = append(m.Answer, r)
	}
	wire, err := m.Pack()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(wire, dns.TypeA)
	f.Add(wire, dns.TypeSRV)
	f.Fuzz(func(t *testing.T, wire []byte, kind uint16) {
		m := new(dns.Msg)
		if m.Unpack(wire) != nil || kind != dns.TypeA && kind != dns.TypeAAAA {
			return
		}
		records, err := answerTo(m, "web.", kind)
		if err != nil {
			return
		}
		for _, member := range addresses(records, 0) {
			if member.Address.Addr().Zone() != "" {
				t.Errorf("%+v", member)
			}
		}
	})
}
