package hold

import (
	"time"

	"github.com/slicewright/slicewright/app/internal/verify/identify"
)

// Messages counts what was sent over one connection and what came back.
type Messages struct {
	// Sent and Answered count messages; one that was answered twice counts once.
	Sent     uint64 `json:"sent"`
	Answered uint64 `json:"answered"`
	// Lost were sent and have no answer, although a later one has or the connection
	// has ended; except those InFlight. LostBack of all answers were given and did
	// not arrive: the backend counted them.
	Lost     uint64 `json:"lost"`
	LostBack uint64 `json:"lostBack"`
	// InFlight were sent last, and the connection is still open; or the other side
	// said goodbye so soon after them that the two may have met on their way.
	InFlight uint64 `json:"inFlight"`
	// Duplicated is how many answers came for messages that had one, Reordered how
	// many came after that of a later message.
	Duplicated uint64 `json:"duplicated"`
	Reordered  uint64 `json:"reordered"`
	// Strange is how many lines were no answer to anything that was sent.
	Strange uint64 `json:"strange"`
}

// Move is a connection that another backend went on with.
type Move struct {
	At   time.Time `json:"at"`
	From Backend   `json:"from"`
	To   Backend   `json:"to"`
}

// maxOutstanding is how many messages may be without an answer before no more
// are sent: a connection that has gone silent is not filled up.
const maxOutstanding = 64

// maxMoves bounds what a backend that answers with ever new names can have us
// keep.
const maxMoves = 100

// ledger keeps account of one connection. It is pure: its owner guards it.
type ledger struct {
	messages    Messages
	outstanding map[uint64]time.Time // when each was sent
	slowest     time.Duration        // of the answers so far
	highest     uint64               // number answered
	count       uint64               // the backend's last
	holder      identify.Who
	names       identify.Names
	moves       []Move
	heard       time.Time // when the last answer came
}

// crossing is how long before a goodbye a message may at least have been sent to
// have met it on its way: the 200 ms for which small parts of a stream are held
// back on their way through HAProxy, and what a machine under load adds. Where
// answers took longer, it is as long as the slowest of them.
const crossing = 250 * time.Millisecond

// next returns the number of the next message, which is sent now, and false if
// one has to wait.
func (l *ledger) next(now time.Time) (uint64, bool) {
	if len(l.outstanding) >= maxOutstanding {
		return 0, false
	}
	if l.outstanding == nil {
		l.outstanding = map[uint64]time.Time{}
	}
	l.messages.Sent++
	l.outstanding[l.messages.Sent] = now
	return l.messages.Sent, true
}

// unsend takes back the last message, which could not be written.
func (l *ledger) unsend(number uint64) {
	if _, sent := l.outstanding[number]; sent && number == l.messages.Sent {
		delete(l.outstanding, number)
		l.messages.Sent--
	}
}

// line takes in what came.
func (l *ledger) line(text string, at time.Time) {
	a, ok := parseAnswer(text)
	if !ok || a.number > l.messages.Sent {
		l.messages.Strange++
		return
	}
	l.heard = at
	sent, first := l.outstanding[a.number]
	if !first {
		l.messages.Duplicated++
	} else {
		delete(l.outstanding, a.number)
		l.slowest = max(l.slowest, at.Sub(sent))
		l.messages.Answered++
		if a.number < l.highest {
			l.messages.Reordered++
		}
		l.highest = max(l.highest, a.number)
	}
	l.from(a, at)
	l.counted(a.count, !first)
}

// from looks at who gave an answer. A backend that begins to count again is
// another backend, even if it does not say who it is.
func (l *ledger) from(a answer, at time.Time) {
	who := a.who.Resolve(l.names)
	unknown := identify.Who{}
	anew := a.count == 1 && l.count > 0 && a.number > 1
	if !anew && (l.holder == unknown || who == unknown || who == l.holder) {
		if l.holder == unknown {
			l.holder = who
		}
		return
	}
	if len(l.moves) < maxMoves {
		l.moves = append(l.moves, Move{At: at, From: backend(l.holder), To: backend(who)})
	}
	l.holder, l.count = who, a.count
}

// counted follows the backend's own count. A jump means that answers were given
// and have not arrived; one that comes late takes its part back.
func (l *ledger) counted(count uint64, again bool) {
	switch {
	case count == 0:
	case count > l.count:
		// No backend can have got more than a few times what was sent: such a count
		// is nonsense.
		if jump := count - l.count - 1; jump <= l.messages.Sent {
			l.messages.LostBack += jump
			l.count = count
		}
	case count < l.count && !again && l.messages.LostBack > 0:
		l.messages.LostBack--
	}
}

// speaks reports whether the backend has answered at all.
func (l *ledger) speaks() bool { return l.messages.Answered > 0 }

// close returns the account of a connection with that end.
func (l *ledger) close(end End, goodbye bool) Messages {
	m := l.messages
	for number, sent := range l.outstanding {
		underWay := end.Kind == Open || goodbye && end.At.Sub(sent) <= max(l.slowest, crossing)
		if underWay && number > l.highest {
			m.InFlight++
		} else {
			m.Lost++
		}
	}
	return m
}
