package hold

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gorilla/websocket"
)

// socket carries messages over WebSocket.
type socket struct{ conn *websocket.Conn }

func openWebSocket(ctx context.Context, conn net.Conn, t *Target) (*socket, error) {
	u, err := url.Parse(t.String())
	if err != nil {
		return nil, err
	}
	u.Scheme = "ws" // the handshake of TLS is done
	dialer := websocket.Dialer{NetDialContext: func(context.Context, string, string) (net.Conn, error) { return conn, nil }}
	ws, answer, err := dialer.DialContext(ctx, u.String(), t.options.Header.Clone())
	switch {
	case errors.Is(err, websocket.ErrBadHandshake) && answer != nil:
		return nil, fmt.Errorf("the server does not take up WebSocket: %d %s", answer.StatusCode, http.StatusText(answer.StatusCode))
	case err != nil:
		return nil, fmt.Errorf("websocket: %w", err)
	}
	ws.SetReadLimit(maxLine)
	return &socket{ws}, nil
}

func (s *socket) send(text string) error {
	return s.conn.WriteMessage(websocket.TextMessage, []byte(text))
}

func (s *socket) receive() (string, error) {
	_, text, err := s.conn.ReadMessage()
	return strings.TrimSuffix(string(text), "\n"), err
}

func (s *socket) end(err error) End {
	var frame *websocket.CloseError
	if !errors.As(err, &frame) {
		return transportEnd(err)
	}
	if frame.Code == websocket.CloseAbnormalClosure {
		// Its word for a connection that ended without a close frame.
		return End{Kind: FIN, Detail: "without a close frame"}
	}
	end := End{Kind: CloseFrame, Code: frame.Code}
	if frame.Text != "" {
		end.Detail = fmt.Sprintf("%.125q", frame.Text)
	}
	return end
}

func (s *socket) goodbye() {
	text := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
	_ = s.conn.WriteControl(websocket.CloseMessage, text, time.Now().Add(time.Second)) // it may have ended already
}

func (s *socket) cut() { _ = s.conn.Close() }
