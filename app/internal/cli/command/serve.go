package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Serve serves until stop is called; what names the pages in the log. The address
// is bound before Serve returns, so that a wrong one is an error of the start.
func Serve(address string, handler http.Handler, what string, logger *slog.Logger) (stop func(), err error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("serve metrics and status: %w: choose another --metrics-address", err)
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			logger.Error("metrics and status are not served any more", "err", err)
		}
	}()
	logger.Info("serving "+what, "address", listener.Addr().String())
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = server.Shutdown(ctx) // open requests are cut after a second
		<-done
	}, nil
}
