package hold

import (
	"bytes"
	"io"
	"net"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// frames returns what a server writes.
func frames(write func(f *http2.Framer)) []byte {
	var out bytes.Buffer
	write(http2.NewFramer(&out, nil))
	return out.Bytes()
}

func head(status string) []byte {
	var block bytes.Buffer
	_ = hpack.NewEncoder(&block).WriteField(hpack.HeaderField{Name: ":status", Value: status})
	return block.Bytes()
}

// Whatever a server sends, the client neither panics nor stays.
func FuzzServersOfHTTP2(f *testing.F) {
	f.Add(frames(func(f *http2.Framer) {
		_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: head("200"), EndHeaders: true})
		_ = f.WriteData(1, false, []byte("1 1 10.0.0.1:80 web\nand no end"))
		_ = f.WriteGoAway(1, http2.ErrCodeNo, []byte("bye\x00"))
		_ = f.WriteData(1, true, nil)
	}))
	f.Add(frames(func(f *http2.Framer) {
		_ = f.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0}, http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: 0})
		_ = f.WriteWindowUpdate(0, 1<<31-1)
		_ = f.WriteWindowUpdate(1, 1<<31-1)
		_ = f.WritePing(false, [8]byte{1})
		_ = f.WriteRSTStream(3, http2.ErrCodeRefusedStream)
		_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: head("nonsense"), EndHeaders: true, EndStream: true})
		_ = f.WriteData(1, true, []byte("after its end"))
		_ = f.WriteRawFrame(http2.FramePushPromise, 0, 1, []byte{0, 0, 0, 2})
	}))
	f.Fuzz(func(t *testing.T, sent []byte) {
		target, err := Parse("h2c://127.0.0.1:1", Options{Every: time.Millisecond, Timeout: 50 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		ours, theirs := net.Pipe()
		go io.Copy(io.Discard, theirs)
		go func() {
			_, _ = theirs.Write(frames(func(f *http2.Framer) { _ = f.WriteSettings() }))
			_, _ = theirs.Write(sent)
			_ = theirs.Close()
		}()
		c, err := openHTTP2(t.Context(), ours, target)
		if err != nil {
			ours.Close()
			return
		}
		go c.ask(t.Context())
		for {
			if _, err := c.receive(); err != nil {
				break
			}
		}
		if end := c.end(nil); end.Kind == "" {
			t.Error("it ended, and how is not known")
		}
		c.cut()
	})
}
