package audit

import (
	"time"
)

// Bounds of what a ledger keeps. All but the first are per identity. Log lines
// come from outside: a client that sends a new user agent with each request must
// not cost more than these.
const (
	maxIdentities = 1 << 16
	maxProducts   = 64 // user agents' products a user
	maxStats      = 128
	maxNamespaces = 4096
	maxValues     = 16 // each of pods' names, addresses, user agents, reasons
	maxOpen       = 1 << 20
)

// Ledger counts events by identity. It is for one goroutine at a time.
type Ledger struct {
	opts       Options
	identities map[identityKey]*identity
	products   map[string]int
	open       map[idKey]openWatch
	recent     recentIDs

	totals   Totals
	own      map[string]int // excluded requests by user
	problems ledgerProblems
}

// ledgerProblems count what makes a ledger's numbers less than exact.
type ledgerProblems struct {
	Duplicates    int // events that had been counted already
	Started       int // watches of which ResponseStarted was seen
	Ended         int // watches of which the end was seen
	Headless      int // of them those without a beginning in the log
	ReceivedOnly  int // RequestReceived events
	Completed     int // requests that reached their end
	Overflow      int // requests of users or agents beyond the bounds
	OpenOverflow  int // open watches beyond the bound
	NoCode        int // ends without a status
	ControlPlane  int // requests of the control plane for either resource
	Impersonating int // requests made in another user's name
}

type identityKey struct {
	User    string `json:"user"`
	Product string `json:"product"`
	// Lock is set for client-go's leader election, which is another use of
	// Endpoints by the same program.
	Lock bool `json:"lock,omitempty"`
}

type openWatch struct {
	Identity *identity
	Resource Resource
	ID       string
	Since    time.Time
}

// NewLedger returns an empty ledger.
func NewLedger(opts Options) *Ledger {
	return &Ledger{
		opts:       opts.withDefaults(),
		identities: make(map[identityKey]*identity),
		products:   make(map[string]int),
		open:       make(map[idKey]openWatch),
		own:        make(map[string]int),
		totals:     Totals{Requests: make(map[string]int), Self: make(map[string]int)},
	}
}

// Add counts an event and reports whether it is a request that had not been
// counted before.
func (l *Ledger) Add(e *Event) bool {
	switch {
	case e.Stage == requestReceived:
		l.problems.ReceivedOnly++
		return false
	case e.Verb == "watch":
		return l.addWatch(e)
	case e.Stage == responseStarted:
		return false // its end follows
	}
	if !l.recent.add(keyOf(e.ID)) {
		l.problems.Duplicates++
		return false
	}
	l.problems.Completed++
	l.total(e, e.Verb)
	return l.count(e) != nil
}

// addWatch pairs the two events of a watch.
func (l *Ledger) addWatch(e *Event) bool {
	key := keyOf(e.ID)
	if e.Stage == responseStarted {
		if _, open := l.open[key]; open || l.recent.has(key) {
			l.problems.Duplicates++
			return false
		}
		l.problems.Started++
		id := l.count(e)
		if len(l.open) >= maxOpen {
			l.problems.OpenOverflow++
			return id != nil
		}
		l.open[key] = openWatch{id, e.Resource, e.ID, e.received()}
		return id != nil
	}
	if !l.recent.add(key) {
		l.problems.Duplicates++
		return false
	}
	l.total(e, "watch")
	if began, open := l.open[key]; open {
		delete(l.open, key)
		l.problems.Ended++
		if began.Identity != nil {
			began.Identity.ended(e)
		}
		return false
	}
	if e.Outcome() == Allowed {
		l.problems.Ended++
		l.problems.Headless++
	}
	return l.count(e) != nil
}

// total counts for the comparison with the API server's metrics. Refused
// requests never reach the handler that apiserver_request_total counts.
func (l *Ledger) total(e *Event, verb string) {
	if e.Resource != Endpoints || e.Outcome() == Refused {
		return
	}
	l.totals.Requests[verb] += e.times()
	if e.User == "system:apiserver" {
		l.totals.Self[verb] += e.times()
	}
}

// count enters a request under its identity. It returns nil for requests of
// excluded user agents.
func (l *Ledger) count(e *Event) *identity {
	if l.opts.excluded(e.UserAgent) {
		user := e.User
		if _, known := l.own[user]; !known && len(l.own) >= maxValues {
			user = "others"
		}
		l.own[user] += e.times()
		return nil
	}
	if e.Code == 0 {
		l.problems.NoCode += e.times()
	}
	if e.As != "" {
		l.problems.Impersonating += e.times()
	}
	id := l.identity(e)
	id.add(e)
	if id.controlPlane() {
		l.problems.ControlPlane += e.times()
	}
	return id
}

// identity returns the record of who made the request, a new one if need be.
func (l *Ledger) identity(e *Event) *identity {
	key := identityKey{User: e.User}
	key.Product, _ = product(e.UserAgent)
	key.Lock = leaderElection(e.UserAgent)
	if id := l.identities[key]; id != nil {
		return id
	}
	if l.products[key.User] >= maxProducts || len(l.identities) >= maxIdentities {
		l.problems.Overflow++
		key = identityKey{User: e.User, Product: "(many)"}
		if len(l.identities) >= maxIdentities {
			key.User = "(many)"
		}
		if id := l.identities[key]; id != nil {
			return id
		}
	}
	l.products[key.User]++
	id := newIdentity(key)
	l.identities[key] = id
	return id
}

// recentIDs remembers the last audit IDs in two generations: at least as many
// as one holds, at most twice that.
type recentIDs struct {
	young, old map[idKey]struct{}
}

const generation = 1 << 16

func (r *recentIDs) has(k idKey) bool {
	if _, ok := r.young[k]; ok {
		return true
	}
	_, ok := r.old[k]
	return ok
}

// add reports whether k is new.
func (r *recentIDs) add(k idKey) bool {
	if r.has(k) {
		return false
	}
	if r.young == nil || len(r.young) >= generation {
		r.old, r.young = r.young, make(map[idKey]struct{})
	}
	r.young[k] = struct{}{}
	return true
}

func (e *Event) received() time.Time {
	if e.Received.IsZero() {
		return e.At
	}
	return e.Received
}

// Totals returns the counts of all requests so far. Its window is not filled in.
func (l *Ledger) Totals() Totals {
	t := l.totals
	for _, w := range l.open {
		if w.Resource == Endpoints {
			t.OpenWatches++
		}
	}
	return t
}

// ServiceAccount returns "namespace/name" if the event's user is a
// ServiceAccount, "" otherwise.
func (e *Event) ServiceAccount() string { return serviceAccount(e.User) }

// OpenWatches counts the open watches on Endpoints by ServiceAccount; "" are all
// other users.
func (l *Ledger) OpenWatches() map[string]int {
	out := make(map[string]int)
	for _, w := range l.open {
		if w.Identity != nil && w.Resource == Endpoints {
			out[serviceAccount(w.Identity.Key.User)]++
		}
	}
	return out
}
