package hold

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/net/http2"
)

// serve reads frames until the connection ends.
func (c *http2Conn) serve() {
	defer close(c.done)
	for first := true; ; first = false {
		frame, err := c.framer.ReadFrame()
		c.mu.Lock()
		if _, settings := frame.(*http2.SettingsFrame); first && err == nil && !settings {
			err = errors.New("its first frame is no SETTINGS")
		}
		if err == nil {
			err = c.frame(frame)
		}
		if first && err == nil {
			close(c.taken)
		}
		var stream http2.StreamError
		if errors.As(err, &stream) {
			c.endStream(stream.StreamID, End{Kind: Failed, Code: int(stream.Code), Detail: "protocol error: " + stream.Code.String()})
			err = c.framer.WriteRSTStream(stream.StreamID, stream.Code)
		}
		if err != nil {
			c.over(err)
			c.mu.Unlock()
			_ = c.conn.Close() // nothing more will be read
			return
		}
		c.mu.Unlock()
	}
}

// over notes the connection's end, which is that of its streams too.
func (c *http2Conn) over(err error) {
	end := transportEnd(err)
	end.At = time.Now()
	if !c.leaving {
		c.result.End = end
	}
	for id := range c.open {
		c.endStream(id, end)
	}
}

// frame acts on one. c.mu is held.
func (c *http2Conn) frame(frame http2.Frame) error {
	id := frame.Header().StreamID
	switch f := frame.(type) {
	case *http2.SettingsFrame:
		return c.settings(f)
	case *http2.PingFrame:
		if !f.IsAck() {
			return c.framer.WritePing(true, f.Data)
		}
	case *http2.WindowUpdateFrame:
		if id == 0 {
			c.window += int64(f.Increment)
		} else if s := c.open[id]; s != nil {
			s.window += int64(f.Increment)
		}
	case *http2.GoAwayFrame:
		// Many servers answer ours with theirs.
		if !c.leaving && len(c.result.GoAways) < maxGoAways {
			g := GoAway{At: time.Now(), LastStream: f.LastStreamID, Code: uint32(f.ErrCode)}
			if debug := f.DebugData(); len(debug) > 0 {
				g.Debug = fmt.Sprintf("%.200q", debug)
			}
			c.result.GoAways = append(c.result.GoAways, g)
		}
	case *http2.RSTStreamFrame:
		end := End{Kind: ResetStream, Code: int(f.ErrCode), Detail: f.ErrCode.String()}
		if f.ErrCode == http2.ErrCodeNo {
			end.Kind = EndStream // the answer is whole, and the rest of the request not wanted
		}
		c.endStream(id, end)
	case *http2.MetaHeadersFrame:
		if s := c.open[id]; s != nil {
			s.headers(f)
			if f.StreamEnded() {
				return c.answered(s)
			}
		}
	case *http2.DataFrame:
		return c.data(f)
	}
	return nil
}

func (c *http2Conn) settings(f *http2.SettingsFrame) error {
	if f.IsAck() {
		return nil
	}
	err := f.ForeachSetting(func(s http2.Setting) error {
		switch s.ID {
		case http2.SettingInitialWindowSize:
			for _, open := range c.open {
				open.window += int64(s.Val) - c.initial
			}
			c.initial = int64(s.Val)
		case http2.SettingMaxConcurrentStreams:
			c.limit = int(min(s.Val, 1<<20))
		}
		return s.Valid()
	})
	if err != nil {
		return err
	}
	return c.framer.WriteSettingsAck()
}

// data takes in a part of a body, and lets the other side send as much again.
func (c *http2Conn) data(f *http2.DataFrame) error {
	if size := f.Length; size > 0 {
		if err := c.framer.WriteWindowUpdate(0, size); err != nil {
			return err
		}
	}
	s := c.open[f.StreamID]
	if s == nil {
		return nil // of a stream that we gave up
	}
	if f.Length > 0 && !f.StreamEnded() {
		if err := c.framer.WriteWindowUpdate(f.StreamID, f.Length); err != nil {
			return err
		}
	}
	for _, line := range s.data(f.Data()) {
		// Not under the lock: what takes the lines can wait for it.
		c.mu.Unlock()
		select {
		case s.lines <- line:
		case <-s.ended:
		case <-time.After(c.target.options.Timeout):
		}
		c.mu.Lock()
	}
	if f.StreamEnded() {
		return c.answered(s)
	}
	return nil
}

// answered ends a stream whose answer is whole. A client ends its own side then;
// a stream that is left half open keeps a proxy from letting go of its server.
func (c *http2Conn) answered(s *stream) error {
	c.endStream(s.id, s.ending())
	if s.lines == nil {
		return nil // a request, which was whole from the beginning
	}
	return c.framer.WriteData(s.id, true, nil)
}

// endStream notes a stream's end; the first counts.
func (c *http2Conn) endStream(id uint32, end End) {
	s := c.open[id]
	if s == nil {
		return
	}
	delete(c.open, id)
	s.end = end
	close(s.ended)
}
