package haproxy

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/slicewright/slicewright/publish"
)

// Apply sends what Plan of this driver returned, over one connection. Commands of
// one kind form a phase and go out in batches; each answer is checked. After a
// batch with a failure nothing more is sent, and the error names the command.
// Result.Writes counts the commands that HAProxy carried out, those behind a
// failed one in its batch included, and the servers file.
//
// What Plan had to leave out is returned as an error after all the rest was
// done; see [ErrNotEnoughSlots].
func (d *Driver) Apply(ctx context.Context, planned publish.Ops) (publish.Result, error) {
	var result publish.Result
	o, ok := planned.(*ops)
	if !ok || o == nil {
		return result, fmt.Errorf("haproxy: apply: a %T is not what this driver's Plan returns", planned)
	}
	if len(o.commands) > 0 {
		writes, err := d.send(ctx, o)
		result.Writes += writes
		if err != nil {
			return result, d.failed("change", err)
		}
	}
	if o.file != nil {
		if err := o.file.write(); err != nil {
			return result, d.failed("change", err)
		}
		result.Writes++
	}
	return result, o.err()
}

// send sends the commands of o and counts those carried out.
func (d *Driver) send(ctx context.Context, o *ops) (writes int, err error) {
	c, err := d.connect(ctx)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	rest := o.commands
	for len(rest) > 0 {
		phase := rest[:phaseLen(rest)]
		rest = rest[len(phase):]
		unsure := make(map[string]netip.AddrPort)
		n, err := d.sendPhase(c, phase, o, unsure)
		writes += n
		if err == nil {
			err = d.confirm(c, unsure)
		}
		if err != nil {
			return writes, err
		}
	}
	return writes, nil
}

// phaseLen counts the commands at the front that have one verb.
func phaseLen(commands []command) int {
	n := 1
	for n < len(commands) && commands[n].verb == commands[0].verb {
		n++
	}
	return n
}

// sendPhase sends commands of one verb in as few batches as maxBatch allows. It
// puts the servers whose address has to be looked at into unsure.
func (d *Driver) sendPhase(c *client, phase []command, o *ops, unsure map[string]netip.AddrPort) (writes int, err error) {
	var batch []byte
	for len(phase) > 0 {
		batch = batch[:0]
		n := 0
		for n < len(phase) {
			before := len(batch)
			batch = phase[n].appendTo(batch, o.backend, o.options)
			if len(batch)-before > maxLine {
				return writes, fmt.Errorf("%.60q… is longer than the %d bytes that HAProxy is sure to take", batch[before:], maxLine)
			}
			if len(batch) > maxBatch {
				batch = batch[:before]
				break
			}
			n++
		}
		answers, err := c.exchange(batch, n)
		for i, answer := range answers {
			what, refused := judge(phase[i].verb, answer)
			switch {
			case refused != nil:
				if err == nil {
					line := phase[i].appendTo(nil, o.backend, o.options)
					err = fmt.Errorf("%s: %w", line[:len(line)-1], refused)
				}
				continue
			case what == done:
				writes++
			}
			if what == exists || phase[i].verb == verbAddr {
				unsure[phase[i].server] = phase[i].addr
			}
		}
		if err != nil {
			return writes, err
		}
		phase = phase[n:]
	}
	return writes, nil
}

// confirm waits until HAProxy shows each server at its address. A server that was
// there before an "add server" may be another one's; and HAProxy 3.0 answers a
// change of address before it makes it, so that a slot made ready at once could
// send a connection to its old address.
func (d *Driver) confirm(c *client, addrs map[string]netip.AddrPort) error {
	if len(addrs) == 0 {
		return nil
	}
	deadline := time.Now().Add(c.timeout)
	for pause := time.Millisecond; ; pause *= 2 {
		answers, err := c.exchange([]byte("show servers state "+d.config.Backend+"\n"), 1)
		if err != nil {
			return err
		}
		servers, err := parseServersState(answers[0], d.config.Backend)
		if err != nil {
			return err
		}
		wrong := differing(servers, addrs)
		if wrong == nil {
			return nil
		}
		if time.Now().Add(pause).After(deadline) {
			return wrong
		}
		select {
		case <-c.ctx.Done():
			return errors.Join(wrong, c.ctx.Err())
		case <-time.After(pause):
		}
	}
}

// differing names a server that is not at its address.
func differing(servers []Server, addrs map[string]netip.AddrPort) error {
	right := 0
	for _, s := range servers {
		want, asked := addrs[s.Name]
		switch {
		case !asked:
		case s.Addr != want:
			return fmt.Errorf("server %s is at %s and not at %s", s.Name, s.Addr, want)
		default:
			right++
		}
	}
	if right < len(addrs) {
		return fmt.Errorf("%d of %d servers are not there", len(addrs)-right, len(addrs))
	}
	return nil
}
