package kubelet

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// A holder has sent the first message and got its answer; end waits for the end
// and says how it was.
type holder struct {
	protocol string
	answer   string
	end      func() string
}

func reading(err error) string {
	switch {
	case err == nil:
		return "another line"
	case errors.Is(err, syscall.ECONNRESET):
		return "reset"
	case errors.Is(err, io.EOF):
		return "end"
	}
	return err.Error()
}

// holdAll holds a connection of each kind to a server.
func holdAll(t *testing.T, url string) []holder {
	t.Helper()
	address := strings.TrimPrefix(url, "http://")

	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	// In two parts, as TCP may deliver it.
	io.WriteString(c, "hol")
	time.Sleep(10 * time.Millisecond)
	io.WriteString(c, "d/1\n7\n")
	in := bufio.NewReader(c)
	line, err := in.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	all := []holder{{"tcp", strings.TrimSpace(line), func() string {
		_, err := in.ReadString('\n')
		return reading(err)
	}}}

	ws, _, err := websocket.DefaultDialer.Dial("ws://"+address, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	if err := ws.WriteMessage(websocket.TextMessage, []byte("7")); err != nil {
		t.Fatal(err)
	}
	_, text, err := ws.ReadMessage()
	if err != nil {
		t.Fatal(err)
	}
	all = append(all, holder{"websocket", string(text), func() string {
		_, _, err := ws.ReadMessage()
		var frame *websocket.CloseError
		if errors.As(err, &frame) {
			return fmt.Sprint("close ", frame.Code)
		}
		return reading(err)
	}})

	for name, protocol := range map[string]func(*http.Protocols){"http/2": http2, "http/1": http1} {
		body, send := io.Pipe()
		request, err := http.NewRequest(http.MethodPost, url, body)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set(holdHeader, "1")
		go io.WriteString(send, "7\n")
		t.Cleanup(func() { send.Close() })
		answer, err := client(t, protocol).Do(request)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { answer.Body.Close() })
		in := bufio.NewReader(answer.Body)
		line, err := in.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, holder{name, strings.TrimSpace(line), func() string {
			_, err := in.ReadString('\n')
			return reading(err)
		}})
	}
	return all
}

func TestPodHoldsConnectionsAndSaysGoodbye(t *testing.T) {
	s, url := listen(t)
	all := holdAll(t, url)
	for _, h := range all {
		if want := "7 1 " + strings.TrimPrefix(url, "http://") + " web-1"; h.answer != want {
			t.Errorf("%s: %q, want %q", h.protocol, h.answer, want)
		}
	}
	drained := make(chan error, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		drained <- s.Drain(ctx)
	}()
	for _, h := range all {
		want := "end"
		if h.protocol == "websocket" {
			want = "close 1001"
		}
		if got := h.end(); got != want {
			t.Errorf("%s ended with %q, want %q", h.protocol, got, want)
		}
	}
	if err := <-drained; err != nil {
		t.Error(err)
	}
	s.Close()
}

func TestPodCutsConnectionsWhenItIsClosed(t *testing.T) {
	s, url := listen(t)
	all := holdAll(t, url)
	s.Close()
	for _, h := range all {
		if got := h.end(); got != "reset" && !strings.Contains(got, "reset") {
			t.Errorf("%s ended with %q", h.protocol, got)
		}
	}
}

// The holder's own goodbye has to be seen too, or a Pod would keep what it holds.
func TestPodLetsGoOfWhoHasGone(t *testing.T) {
	s, url := listen(t)
	c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(c, holdHello+"1\n2\nnonsense\n")
	in := bufio.NewReader(c)
	for _, want := range []string{"1 1 ", "2 2 ", "not a number"} {
		if line, err := in.ReadString('\n'); err != nil || !strings.HasPrefix(line, want) {
			t.Errorf("%q, %v; want %s", line, err, want)
		}
	}
	c.Close()
	s.holds.wait(t.Context())
	if requests, _ := s.Served(); requests != 3 {
		t.Errorf("%d messages counted", requests)
	}
}

func TestWordsThatOnlyBeginLikeThoseOfAHolder(t *testing.T) {
	_, url := listen(t)
	c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	io.WriteString(c, "hold/2\nand more than a few words\r\n\r\n")
	answer, _ := io.ReadAll(c)
	if !strings.HasPrefix(string(answer), "HTTP/1.1 400") {
		t.Errorf("answered %q", answer)
	}
}

func TestHealthzFollowsReadiness(t *testing.T) {
	s, url := listen(t)
	for _, well := range []bool{true, false, true} {
		s.Well(well)
		for path, want := range map[string]int{"/": 200, "/healthz": map[bool]int{true: 200, false: 503}[well]} {
			answer, err := client(t, http1).Get(url + path)
			if err != nil {
				t.Fatal(err)
			}
			answer.Body.Close()
			if answer.StatusCode != want {
				t.Errorf("well %t: %s is %d", well, path, answer.StatusCode)
			}
		}
	}
}
