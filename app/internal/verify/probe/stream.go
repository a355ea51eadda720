package probe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/slicewright/slicewright/app/internal/verify"
	"github.com/slicewright/slicewright/app/internal/verify/connect"
	"github.com/slicewright/slicewright/app/internal/verify/identify"
)

// talk opens a connection, says what is to be said, and reads until the other
// side has told who it is, has ended, or the time is over.
func (t *Target) talk(ctx context.Context, a *verify.Answer) {
	conn, err := t.options.Dial(ctx, t.target, schemes[t.target.Scheme].TLS)
	if err != nil {
		fail(a, connect.Failure(err), err.Error())
		return
	}
	defer conn.Close()
	// The end of ctx, whatever its reason, ends reading and writing.
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	if _, err := io.WriteString(conn, t.options.Send); err != nil {
		fail(a, connect.Failure(err), "send: "+err.Error())
		return
	}
	var body []byte
	buffer := make([]byte, 4<<10)
	for {
		n, err := conn.Read(buffer)
		body = append(body, buffer[:min(n, identify.MaxBody-len(body))]...)
		ended := err != nil || len(body) == identify.MaxBody
		// A line is asked about as a whole: "10.0.0.1" can be the beginning of
		// "10.0.0.12".
		if ended && len(body) > 0 || n > 0 && buffer[n-1] == '\n' {
			who, problem := t.options.Identify.Who(ctx, identify.Answer{
				Body: body, Local: addrPort(conn.LocalAddr()), Remote: addrPort(conn.RemoteAddr()),
			})
			if problem == nil || ended {
				t.answered(a, who, problem)
				return
			}
		}
		if err != nil {
			t.silent(ctx, a, conn, err)
			return
		}
	}
}

// silent is the end of a connection on which nothing came.
func (t *Target) silent(ctx context.Context, a *verify.Answer, conn net.Conn, err error) {
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) && ctx.Err() != nil {
		fail(a, verify.Other, ctx.Err().Error())
		return
	}
	if failure := connect.Failure(err); failure != verify.Timeout {
		fail(a, failure, "nothing was said before the end: "+err.Error())
		return
	}
	// It is connected, and that is all that such a backend tells by itself. What
	// was asked and not answered is another matter.
	if t.options.Send != "" {
		fail(a, verify.Timeout, fmt.Sprintf("no answer within %s", t.options.Timeout))
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), t.options.Timeout)
	defer cancel()
	who, problem := t.options.Identify.Who(ctx, identify.Answer{Local: addrPort(conn.LocalAddr()), Remote: addrPort(conn.RemoteAddr())})
	if problem != nil {
		problem = fmt.Errorf("connected, and nothing was said within %s", t.options.Timeout)
	}
	t.answered(a, who, problem)
}
