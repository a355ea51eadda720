package live

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/slicewright/slicewright/app/internal/find/audit"
)

// maxBody bounds a batch, in bytes. The API server sends 400 events by default,
// which at level RequestResponse can be some hundred megabytes; it is read as a
// stream.
const maxBody = 1 << 30

// Webhook returns the handler for an API server's audit webhook.
//
//	200  every event about Endpoints in it is on disk
//	400  it is no EventList; sending it again will not help
//	500  it could not be written; it was not counted and may be sent again
func Webhook(r *Recorder, log *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		answer := func(code int, text string) {
			r.metrics.batch(code)
			http.Error(w, text, code)
		}
		if req.Method != http.MethodPost {
			w.Header().Set("Allow", http.MethodPost)
			answer(http.StatusMethodNotAllowed, "POST an EventList of audit.k8s.io/v1")
			return
		}
		var d audit.Decoder
		events, total, err := d.Batch(http.MaxBytesReader(w, req.Body, maxBody))
		if err != nil {
			log.Warn("refused a batch of audit events", "from", req.RemoteAddr, "error", err)
			code := http.StatusBadRequest
			var tooLarge *http.MaxBytesError
			if errors.As(err, &tooLarge) {
				code = http.StatusRequestEntityTooLarge
			}
			answer(code, err.Error())
			return
		}
		if err := r.Accept(events, total); err != nil {
			log.Error("could not keep a batch of audit events", "error", err)
			answer(http.StatusInternalServerError, "the batch could not be written")
			return
		}
		r.metrics.batch(http.StatusOK)
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = io.WriteString(w, "ok\n")
	})
}

// Timeouts sets the limits of a server that anybody can reach.
func Timeouts(s *http.Server) {
	s.ReadHeaderTimeout = 10 * time.Second
	s.ReadTimeout = 2 * time.Minute
	s.WriteTimeout = 2 * time.Minute
	s.IdleTimeout = 5 * time.Minute
	s.MaxHeaderBytes = 64 << 10
}
