package haproxy

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"
)

const (
	// maxLine bounds a command. HAProxy drops a connection whose line does not
	// fit into its buffer (tune.bufsize, 16 KB unless changed, less a reserve):
	// half of that leaves room for smaller buffers.
	maxLine = 8 << 10
	// maxBatch bounds what is written before answers are read. It is far below
	// what the kernel buffers for a socket, so that writing never waits for
	// HAProxy, which may itself wait for its answers to be read.
	maxBatch = 16 << 10
	// maxAnswer bounds one answer. "show stat" takes about 500 bytes a server.
	maxAnswer = 128 << 20
)

// prompt ends each answer in HAProxy's interactive mode. No answer that the
// driver asks for has it inside, save texts of health checks in "show stat",
// which is therefore always the last command of its batch.
var prompt = []byte("\n> ")

// ErrNotHAProxy says that what answers at the socket does not speak HAProxy's
// runtime API.
var ErrNotHAProxy = errors.New("this is not HAProxy's runtime API")

// A client is one connection to the runtime API, in interactive mode.
type client struct {
	conn    net.Conn
	in      *bufio.Reader
	ctx     context.Context
	stop    func() bool
	timeout time.Duration
}

// connect opens a connection, and has HAProxy keep it for many commands and put
// a severity in front of each message.
func (d *Driver) connect(ctx context.Context) (*client, error) {
	kind, err := network(d.config.Socket)
	if err != nil {
		return nil, err
	}
	timeout := d.config.Timeout
	dialing, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	conn, err := d.dial(dialing, kind, d.config.Socket)
	if err != nil {
		return nil, fmt.Errorf("connect: %w (is HAProxy running, and is this its stats socket?)", err)
	}
	c := &client{conn: conn, in: bufio.NewReaderSize(conn, 64<<10), ctx: ctx, timeout: timeout}
	// A deadline in the past ends whatever read or write is going on.
	c.stop = context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
	for _, line := range []string{"prompt\n", "set severity-output number\n"} {
		answers, err := c.exchange([]byte(line), 1)
		if err == nil && answers[0] != "" {
			err = fmt.Errorf("%q is no answer to %q: %w", clipped(answers[0]), line[:len(line)-1], ErrNotHAProxy)
		}
		if err != nil {
			c.Close()
			if ctx.Err() == nil && !errors.Is(err, ErrNotHAProxy) {
				err = fmt.Errorf("%w: %w", ErrNotHAProxy, err)
			}
			return nil, err
		}
	}
	return c, nil
}

// Close ends the connection. HAProxy forgets its mode with it.
func (c *client) Close() error {
	c.stop()
	return c.conn.Close()
}

// exchange writes a batch of n commands and reads their answers, without the
// prompts. What it returns with an error came before the error.
func (c *client) exchange(batch []byte, n int) ([]string, error) {
	if err := c.conn.SetDeadline(time.Now().Add(c.timeout)); err != nil {
		return nil, err
	}
	if err := c.ctx.Err(); err != nil {
		return nil, err // AfterFunc may have run before the deadline was set again
	}
	if _, err := c.conn.Write(batch); err != nil {
		return nil, c.explain(err)
	}
	answers := make([]string, 0, n)
	for range n {
		answer, err := readAnswer(c.in, maxAnswer)
		if err != nil {
			return answers, c.explain(err)
		}
		answers = append(answers, answer)
	}
	return answers, nil
}

// explain says what a failed read or write means.
func (c *client) explain(err error) error {
	switch {
	case c.ctx.Err() != nil:
		return c.ctx.Err()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("no whole answer within %v", c.timeout)
	case errors.Is(err, io.EOF):
		return errors.New("the connection was closed in the middle of an answer")
	}
	return err
}

// readAnswer reads up to the next prompt, at most limit bytes.
func readAnswer(in *bufio.Reader, limit int) (string, error) {
	var answer []byte
	for {
		piece, err := in.ReadSlice(' ')
		if len(answer)+len(piece) > limit {
			return "", fmt.Errorf("the answer is longer than %d bytes", limit)
		}
		answer = append(answer, piece...)
		if text, ok := bytes.CutSuffix(answer, prompt); ok {
			return string(text), nil
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return "", err
		}
	}
}
