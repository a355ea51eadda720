package haproxy

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"
)

// ops implements [publish.Ops]. A plan records what it cannot do as problems and
// goes on with the rest; Apply does that rest and then returns the problems.
type ops struct {
	backend, options string
	commands         []command
	file             *serversFile // nil: leave it as it is
	waiting          []string
	again            time.Duration
	problems         []error
}

// add records a command for server.
func (o *ops) add(v verb, server string) {
	o.commands = append(o.commands, command{verb: v, server: server})
}

// wait records that a server has to wait, and for how long at most until it is
// worth another look.
func (o *ops) wait(again time.Duration, format string, args ...any) {
	o.waiting = append(o.waiting, fmt.Sprintf(format, args...))
	if o.again == 0 || again < o.again {
		o.again = again
	}
}

// problem records what cannot be done at all.
func (o *ops) problem(err error) { o.problems = append(o.problems, err) }

// sort puts the commands into phases. It is stable: within a phase the order of
// the desired backends (S8), then of HAProxy's servers, stays.
func (o *ops) sort() {
	slices.SortStableFunc(o.commands, func(a, b command) int { return cmp.Compare(a.verb, b.verb) })
}

// Empty reports that Apply has nothing to send and nothing to complain about.
func (o *ops) Empty() bool { return o.Len() == 0 && len(o.problems) == 0 }

// Len counts the commands, and the servers file as one.
func (o *ops) Len() int {
	if o.file != nil {
		return len(o.commands) + 1
	}
	return len(o.commands)
}

// String is the bytes that go to HAProxy, one command a line. A last line that
// starts with "#" says that the servers file is written.
func (o *ops) String() string {
	var b []byte
	for _, c := range o.commands {
		b = c.appendTo(b, o.backend, o.options)
	}
	if o.file != nil {
		b = fmt.Appendf(b, "# write %s: %d servers\n", o.file.path, o.file.servers)
	}
	return string(b)
}

// Waiting says which servers wait for what, and which backends are left out.
// Problems are not in it: Apply returns them.
func (o *ops) Waiting() ([]string, time.Duration) { return o.waiting, o.again }

// err joins the problems.
func (o *ops) err() error { return errors.Join(o.problems...) }
