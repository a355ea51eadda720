package serve

import (
	"context"
	"crypto/subtle"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/slicewright/slicewright/app/internal/find/audit/live"
)

// Webhook is the backend of an API server's audit webhook, over TLS.
type Webhook struct {
	Address string
	// CertFile and KeyFile are PEM. With SelfSigned they are made in the state
	// directory, with a kubeconfig for the API server.
	CertFile, KeyFile string
	SelfSigned        bool
	// ClientCAFile and TokenFile say which clients may send; "" takes all.
	ClientCAFile, TokenFile string
}

// start listens and serves in the group until ctx ends.
func (w *Webhook) start(ctx context.Context, group *errgroup.Group, recorder *live.Recorder, opts Options) error {
	handler := live.Webhook(recorder, opts.Log)
	if w.TokenFile != "" {
		token, err := os.ReadFile(w.TokenFile)
		if err != nil {
			return fmt.Errorf("reading --token-file: %w", err)
		}
		if handler, err = requireToken(strings.TrimSpace(string(token)), handler); err != nil {
			return err
		}
	}
	listener, err := net.Listen("tcp", w.Address)
	if err != nil {
		return fmt.Errorf("listening for the audit webhook: %w", err)
	}
	config, err := w.tls(opts.State, listener.Addr().String())
	if err != nil {
		listener.Close()
		return err
	}
	opts.Log.Info("audit webhook backend", "address", listener.Addr().String())
	runServer(ctx, group, handler, tls.NewListener(listener, config), opts.Log)
	return nil
}

func (w *Webhook) tls(state, address string) (*tls.Config, error) {
	cert, key := w.CertFile, w.KeyFile
	if w.SelfSigned {
		var err error
		if cert, key, err = live.SelfSigned(state, address, time.Now()); err != nil {
			return nil, err
		}
	}
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("reading the certificate of the webhook backend: %w", err)
	}
	config := &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}}
	if w.ClientCAFile != "" {
		pem, err := os.ReadFile(w.ClientCAFile)
		if err != nil {
			return nil, fmt.Errorf("reading --client-ca: %w", err)
		}
		config.ClientCAs = x509.NewCertPool()
		if !config.ClientCAs.AppendCertsFromPEM(pem) {
			return nil, SettingError(fmt.Sprintf("--client-ca %s holds no certificate in PEM", w.ClientCAFile))
		}
		config.ClientAuth = tls.RequireAndVerifyClientCert
	}
	return config, nil
}

func requireToken(token string, next http.Handler) (http.Handler, error) {
	if token == "" {
		return nil, SettingError("--token-file is empty")
	}
	want := []byte("Bearer " + token)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), want) != 1 {
			http.Error(w, "a bearer token is required", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	}), nil
}

// shutdownTimeout is what requests have to finish in: a batch that was read is
// also answered.
const shutdownTimeout = 10 * time.Second

// runServer serves until ctx ends, then lets requests finish.
func runServer(ctx context.Context, group *errgroup.Group, handler http.Handler, listener net.Listener, log *slog.Logger) {
	server := &http.Server{Handler: handler, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn)}
	live.Timeouts(server)
	group.Go(func() error {
		if err := server.Serve(listener); err != http.ErrServerClosed {
			return fmt.Errorf("serving on %s: %w", listener.Addr(), err)
		}
		return nil
	})
	group.Go(func() error {
		<-ctx.Done()
		end, cancel := context.WithTimeout(context.Background(), shutdownTimeout)
		defer cancel()
		if err := server.Shutdown(end); err != nil {
			server.Close()
		}
		return nil
	})
}
