package endpointset

// owners names a member for each address. It is a map; only that the key of an
// IPv4 address is its 4 bytes, so that a place in the map takes 16 bytes and
// not 24. That is a sixth of all that a large Service costs. The zero value
// keeps nothing.
type owners struct {
	// One of the two, by the family of the union.
	v4 map[[4]byte]*member
	v6 map[address]*member
}

// newOwners returns an empty map with room for some addresses of a family.
func newOwners(f Family, room int) owners {
	if f == IPv4 {
		return owners{v4: make(map[[4]byte]*member, room)}
	}
	return owners{v6: make(map[address]*member, room)}
}

// kept reports whether it keeps anything at all.
func (o *owners) kept() bool { return o.v4 != nil || o.v6 != nil }

// of returns the owner of the address, nil if it has none.
func (o *owners) of(a address) *member {
	if o.v4 != nil {
		return o.v4[a.last4()]
	}
	return o.v6[a]
}

func (o *owners) set(a address, m *member) {
	if o.v4 != nil {
		o.v4[a.last4()] = m
	} else {
		o.v6[a] = m
	}
}

func (o *owners) remove(a address) {
	if o.v4 != nil {
		delete(o.v4, a.last4())
	} else {
		delete(o.v6, a)
	}
}
