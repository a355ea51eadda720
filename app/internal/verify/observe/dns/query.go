package dns

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/miekg/dns"
)

// query asks server once, over UDP as long as nothing comes back, and over TCP if
// the answer did not fit.
func query(ctx context.Context, server, name string, kind uint16) (*dns.Msg, error) {
	question := new(dns.Msg)
	question.SetQuestion(dns.Fqdn(name), kind)
	question.SetEdns0(udpSize, false)
	var answer *dns.Msg
	var err error
	for range tries {
		if answer, err = exchange(ctx, "udp", server, question); err == nil || ctx.Err() != nil {
			break
		}
	}
	if err == nil && answer.Truncated {
		if answer, err = exchange(ctx, "tcp", server, question); err == nil && answer.Truncated {
			err = errors.New("the answer is truncated over TCP too")
		}
	}
	if err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return nil, err
	}
	return answer, nil
}

func exchange(ctx context.Context, network, server string, question *dns.Msg) (*dns.Msg, error) {
	limited, cancel := context.WithTimeout(ctx, try)
	defer cancel()
	client := &dns.Client{Net: network, Timeout: try, UDPSize: udpSize}
	answer, _, err := client.ExchangeContext(limited, question, server)
	if err != nil {
		return nil, err
	}
	asked := question.Question[0]
	if !answer.Response || len(answer.Question) != 1 || answer.Question[0].Qtype != asked.Qtype ||
		!strings.EqualFold(answer.Question[0].Name, asked.Name) {
		return nil, errors.New("the answer is to another question")
	}
	return answer, nil
}

// answerTo returns the records of a kind that an answer has for name, through
// aliases. No records and no error means that the server says that no records
// exist.
func answerTo(answer *dns.Msg, name string, kind uint16) ([]dns.RR, error) {
	switch answer.Rcode {
	case dns.RcodeSuccess, dns.RcodeNameError:
	default:
		return nil, fmt.Errorf("the server answers %s", rcode(answer.Rcode))
	}
	// The aliases, each at most once: a circle is no way.
	owner := dns.Fqdn(name)
	for range len(answer.Answer) {
		for _, record := range answer.Answer {
			if alias, ok := record.(*dns.CNAME); ok && strings.EqualFold(alias.Hdr.Name, owner) {
				owner = alias.Target
				break
			}
		}
	}
	var found []dns.RR
	for _, record := range answer.Answer {
		h := record.Header()
		if h.Rrtype == kind && h.Class == dns.ClassINET && strings.EqualFold(h.Name, owner) {
			found = append(found, record)
		}
	}
	switch {
	case len(found) > 0 && answer.Rcode == dns.RcodeNameError:
		return nil, errors.New("the answer has records and says that there is no such name")
	case len(found) == 0 && !speaksForZone(answer):
		return nil, errors.New("the server has no answer and does not speak for the zone (neither authoritative nor with its SOA)")
	}
	return found, nil
}

func speaksForZone(answer *dns.Msg) bool {
	if answer.Authoritative {
		return true
	}
	for _, record := range answer.Ns {
		if record.Header().Rrtype == dns.TypeSOA {
			return true
		}
	}
	return false
}

func rcode(code int) string {
	if text, ok := dns.RcodeToString[code]; ok {
		return text
	}
	return fmt.Sprintf("code %d", code)
}
