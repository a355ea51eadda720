package haproxy

import (
	"net/netip"
	"strconv"
)

// A verb is one kind of command. The order of the constants is the order in
// which a plan's commands are sent, one verb a phase: new servers come in before
// old ones go out, and a server is cut off and deleted only in maintenance.
type verb uint8

const (
	verbAdd verb = iota
	verbAddr
	verbHealthUp
	verbEnableHealth
	verbReady
	verbDrain
	verbMaint
	verbShutdown
	verbDelete
)

// A command is one line for HAProxy. Its text is made of the validated backend
// and options of a Config, a server's name that passed a grammar, and an address
// from netip: nothing else can get in.
type command struct {
	verb   verb
	server string
	addr   netip.AddrPort // for verbAdd and verbAddr
	id     uint32         // for verbAdd
}

// appendTo appends the command as it goes over the wire.
func (c command) appendTo(b []byte, backend, options string) []byte {
	name := backend + "/" + c.server
	switch c.verb {
	case verbAdd:
		// An IPv6 address is in brackets here, and bare after "addr" below:
		// each is the form that HAProxy documents for that command.
		b = append(b, "add server "+name+" "+c.addr.String()+" id "+strconv.FormatUint(uint64(c.id), 10)+options...)
	case verbAddr:
		b = append(b, "set server "+name+" addr "+c.addr.Addr().String()+" port "+strconv.Itoa(int(c.addr.Port()))...)
	case verbHealthUp:
		b = append(b, "set server "+name+" health up"...)
	case verbEnableHealth:
		b = append(b, "enable health "+name...)
	case verbReady:
		b = append(b, "set server "+name+" state ready"...)
	case verbDrain:
		b = append(b, "set server "+name+" state drain"...)
	case verbMaint:
		b = append(b, "set server "+name+" state maint"...)
	case verbShutdown:
		b = append(b, "shutdown sessions server "+name...)
	case verbDelete:
		b = append(b, "del server "+name...)
	}
	return append(b, '\n')
}

// leaving reports that the command takes something out: that the server is gone
// already is then no error.
func (v verb) leaving() bool { return v >= verbDrain }
