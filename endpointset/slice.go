package endpointset

import (
	"cmp"
	"encoding/binary"
	"net/netip"
	"sort"
	"time"
	"unique"
)

// Slice is what this package keeps of an EndpointSlice: a fraction of the
// decoded object, immutable, and all that a join needs. [Index.Parse] makes it.
//
// An informer whose transform is [Index.Parse] keeps the same Slices that the
// Index does, so that nothing is held twice.
type Slice struct {
	key     SliceKey
	service string // the Service's name, "" when the slice belongs to none (S1)
	version string // resourceVersion, "" unless well formed
	trigger int64  // last-change-trigger-time in Unix nanoseconds, 0 when absent
	manager unique.Handle[string]
	family  Family // 0 for an addressType without a meaning
	refused bool   // the manager is not accepted
	ports   []unique.Handle[Port]
	records []record // sorted by address; equal addresses in the slice's order
	// text holds the names of the targets and those UIDs that are no UUIDs;
	// prefix is what all the names begin with, for the Pods of one workload
	// differ in a few letters. With version, they are parts of one string.
	text, prefix string
	found        []Diagnostic
}

// Key returns the slice's namespace and name.
func (s *Slice) Key() SliceKey { return s.key }

// Service returns the Service that the slice belongs to. Its Name is "" when
// the slice has no service-name label and so belongs to none (S1).
func (s *Slice) Service() ServiceKey { return ServiceKey{s.key.Namespace, s.service} }

// ResourceVersion returns the slice's version, "" when it has none.
func (s *Slice) ResourceVersion() string { return s.version }

// Manager returns the slice's managed-by label.
func (s *Slice) Manager() string { return s.manager.Value() }

// TriggerTime returns when, by the producer's word, the change happened that
// the slice was written for. It is zero when the producer did not say.
func (s *Slice) TriggerTime() time.Time {
	if s.trigger == 0 {
		return time.Time{}
	}
	return time.Unix(0, s.trigger)
}

// Len returns how many endpoints of the slice have a usable address.
func (s *Slice) Len() int { return len(s.records) }

// Ports returns the ports of the slice that have a number, sorted. Every endpoint
// of the slice has all of them (S2).
func (s *Slice) Ports() []Port {
	ports := make([]Port, len(s.ports))
	for i, p := range s.ports {
		ports[i] = p.Value()
	}
	return ports
}

// A record is one endpoint of a slice. There may be a million of them, so it is
// 48 bytes and holds no string of its own: what many endpoints have in common is
// interned in place, and what only one has is in the slice's text.
type record struct {
	addr   address
	uid    [16]byte // the target's UID if it is a UUID, else see flagTextUID
	place  unique.Handle[place]
	offset uint32 // where the target's name, without the prefix, begins in the slice's text
	length uint16 // how long it is
	flags  flags
}

// address is an IP address in its 16-byte form, a third smaller than a
// [netip.Addr] and as good a map key. Within a family it orders as a number.
type address [16]byte

func (a address) netip() netip.Addr { return netip.AddrFrom16(a).Unmap() }

// last4 returns an IPv4 address as its 4 bytes.
func (a address) last4() [4]byte { return [4]byte(a[12:]) }

func (a address) compare(b address) int {
	// As two numbers, which is half the time of bytes.Compare.
	if x, y := binary.BigEndian.Uint64(a[:8]), binary.BigEndian.Uint64(b[:8]); x != y {
		return cmp.Compare(x, y)
	}
	return cmp.Compare(binary.BigEndian.Uint64(a[8:]), binary.BigEndian.Uint64(b[8:]))
}

// flags are an endpoint's conditions and how its record is to be read.
type flags uint8

const (
	flagReady flags = 1 << iota
	flagServing
	flagTerminating
	flagRefused // the address is not accepted
	flagTarget  // there is an object behind the endpoint
	// flagTextUID: the UID is not a UUID and is in the text after the name;
	// uid then holds its length in its first two bytes.
	flagTextUID
)

func (f flags) has(flag flags) bool { return f&flag != 0 }

// conditions returns the conditions that are among the flags.
func (f flags) conditions() Conditions {
	return Conditions{Ready: f.has(flagReady), Serving: f.has(flagServing), Terminating: f.has(flagTerminating)}
}

// flags returns the conditions as flags.
func (c Conditions) flags() flags {
	var f flags
	if c.Ready {
		f |= flagReady
	}
	if c.Serving {
		f |= flagServing
	}
	if c.Terminating {
		f |= flagTerminating
	}
	return f
}

// targetName returns the name of the object behind r, "" without an object.
func (s *Slice) targetName(r *record) string {
	if !r.flags.has(flagTarget) {
		return ""
	}
	return s.prefix + s.ownName(r)
}

// ownName is the part of the target's name that is not the prefix.
func (s *Slice) ownName(r *record) string { return s.text[r.offset : r.offset+uint32(r.length)] }

// sameName reports whether two records name one target, without putting the
// names together.
func sameName(s *Slice, r *record, t *Slice, q *record) bool {
	if s.prefix == t.prefix || !r.flags.has(flagTarget) {
		return s.ownName(r) == t.ownName(q)
	}
	return s.targetName(r) == t.targetName(q)
}

// targetUID returns the UID of the object behind r, "" without an object.
func (s *Slice) targetUID(r *record) string {
	if !r.flags.has(flagTextUID) {
		return formatUUID(r.uid)
	}
	start := r.offset + uint32(r.length)
	return s.text[start : start+uint32(r.uid[0])<<8+uint32(r.uid[1])]
}

// sameTarget reports whether two records are about one object (S6). Records
// without a UID count as one target.
func sameTarget(s *Slice, r *record, t *Slice, q *record) bool {
	if r.flags.has(flagTextUID) != q.flags.has(flagTextUID) {
		return false
	}
	if r.flags.has(flagTextUID) {
		return s.targetUID(r) == t.targetUID(q)
	}
	return r.uid == q.uid
}

// sameMeaning reports whether two records say the same about an endpoint (S18).
func sameMeaning(s *Slice, r *record, t *Slice, q *record) bool {
	return r.addr == q.addr && r.flags == q.flags && r.place == q.place &&
		sameTarget(s, r, t, q) && sameName(s, r, t, q)
}

// group returns the records of the slice with this address: usually one, none
// if the slice does not carry it, more if it lists the address repeatedly.
func (s *Slice) group(addr address) []record {
	first := sort.Search(len(s.records), func(i int) bool { return s.records[i].addr.compare(addr) >= 0 })
	return groupAt(s.records, first, addr)
}

// distinct counts the addresses of the slice.
func (s *Slice) distinct() int {
	n := 0
	for i := range s.records {
		if i == 0 || s.records[i].addr != s.records[i-1].addr {
			n++
		}
	}
	return n
}

// groupAt returns the run of records with this address that begins at first.
func groupAt(records []record, first int, addr address) []record {
	end := first
	for end < len(records) && records[end].addr == addr {
		end++
	}
	return records[first:end]
}
