package hold

import (
	"net/netip"
	"strconv"
	"strings"

	"github.com/slicewright/slicewright/app/internal/verify/identify"
)

const (
	hello      = "hold/1" // the client's first line over TCP
	headerHold = "Slicewright-Hold"
	maxLine    = 512
)

// answer is what came back for a message.
type answer struct {
	number uint64
	count  uint64       // 0 if the backend does not count
	who    identify.Who // the zero value if it does not say
}

// parseAnswer reads a backend's line. ok is false for what is no answer.
func parseAnswer(line string) (a answer, ok bool) {
	if len(line) > maxLine {
		return answer{}, false
	}
	fields := strings.Split(strings.TrimSuffix(line, "\r"), " ")
	number, err := strconv.ParseUint(fields[0], 10, 64)
	if err != nil || number == 0 {
		return answer{}, false
	}
	a.number = number
	switch len(fields) {
	case 1: // a server that sends back what it is sent
		return a, true
	case 4:
	default:
		return answer{}, false
	}
	if a.count, err = strconv.ParseUint(fields[1], 10, 64); err != nil || a.count == 0 {
		return answer{}, false
	}
	if fields[2] != "-" {
		address, err := netip.ParseAddrPort(fields[2])
		if err != nil {
			return answer{}, false
		}
		a.who.Address = netip.AddrPortFrom(address.Addr().Unmap().WithZone(""), address.Port())
	}
	if fields[3] != "-" {
		name, err := identify.Read(fields[3])
		if err != nil || name.Name == "" {
			return answer{}, false
		}
		a.who.Name = name.Name
	}
	return a, true
}
