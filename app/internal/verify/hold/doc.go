// Package hold keeps connections open while a Service changes, and reports for
// each what became of it: which backend held it, when it ended and how, whether
// a message was lost, delivered twice or out of order, whether it was moved to
// another backend, and, over HTTP/2, where new streams on the old connection went.
//
// # The messages
//
// To say more than when a connection ended, the backend has to answer messages.
// The protocol, hold/1, is small enough to be put into any server; package
// verify/hold/echo is one, and examples/echo a program to deploy.
//
// The client sends numbers, beginning with 1, each in decimal digits. The server
// answers each at once, with
//
//	NUMBER COUNT ADDRESS NAME
//
// NUMBER is the number that it answers, COUNT how many messages have come in over
// this connection, this one included, ADDRESS its own as IP:PORT (the local end of
// the connection) and NAME what it calls itself, without spaces; "-" means an
// address or a name that it does not know. Both sides count, so what is lost on
// the way there can be told from what is lost on the way back, and a proxy that
// goes on with another backend shows, since that one begins to count at 1.
//
// It travels in three ways:
//
//	tcp, tls   The client's first line is "hold/1". Then a line is a message; lines
//	           end with "\n" and have at most 512 bytes.
//	ws, wss    A text message of WebSocket is a message, without a line end.
//	h2c, h2    A POST to the target's path, header "Slicewright-Hold: 1", whose
//	           body's lines are the messages. The answer has status 200, its head is
//	           sent at once, and its body's lines are the answers. An ordinary GET
//	           to the same path says who answers, in one of the ways of package
//	           verify/identify; such requests are the new streams.
//
// # Other backends
//
// A backend that sends back what it gets counts as a backend that does not say
// who it is. A backend that answers nothing gets no more messages after a
// while, and the report tells when its connection ended and how. Options.Silent
// is for a backend that would close the connection on unknown text: nothing is
// sent at all over TCP and WebSocket, and over HTTP/2 only the GET requests.
//
// # What ends mean
//
// FIN and RST are what TCP tells. A proxy in the middle ends connections in its
// own way: a backend that was cut off by RST can show as FIN to the client, and
// HAProxy 2.6, told to end a server's sessions, ended the client's HTTP/2 streams
// in order (END_STREAM). What was lost then shows in the messages alone. A close frame, GOAWAY and the end of a stream are what the protocols above say; a
// proxy that speaks the protocol makes its own.
//
// A goodbye and a message can meet on their way, and no protocol here answers
// such a message; a client has to be ready for it. It is counted as in flight, and
// as lost where the connection ended in any other way, or where there was time
// enough for an answer. HAProxy 2.6 in HTTP mode, between HTTP/2 and HTTP/1.1, was
// seen to take up to 211 ms for a message and its answer, and 3 ms with
// "option http-no-delay".
package hold
