package kubelet

import (
	"bytes"
	"io"
	"net/http"
	"testing"
)

// What gRPC itself makes of it is seen by the consumers that are gRPC clients.
func TestServerAnswersHealthChecksOfGRPC(t *testing.T) {
	_, url := listen(t)
	h2 := client(t, http2)
	for path, want := range map[string]struct {
		status string
		body   []byte
	}{
		"/grpc.health.v1.Health/Check": {"0", []byte{0, 0, 0, 0, 2, 8, 1}},
		"/grpc.health.v1.Health/Watch": {"12", nil},
		"/":                            {"12", nil},
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+path, bytes.NewReader(make([]byte, 5)))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/grpc+proto")
		answer, err := h2.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		status := answer.Trailer.Get("Grpc-Status")
		if want.body == nil {
			status = answer.Header.Get("Grpc-Status")
		}
		if status != want.status || !bytes.Equal(body, want.body) {
			t.Errorf("%s: status %q, body %x", path, status, body)
		}
		if got := answer.Header.Get("Content-Type") + " " + answer.Header.Get("X-Lab-Pod"); got != "application/grpc web-1" {
			t.Errorf("%s: content type and Pod are %q", path, got)
		}
	}
}

// gRPC is HTTP/2: what comes otherwise gets the answer that all get.
func TestGRPCOverHTTP1IsNone(t *testing.T) {
	_, url := listen(t)
	answer, err := client(t, http1).Post(url+"/grpc.health.v1.Health/Check", "application/grpc", bytes.NewReader(make([]byte, 5)))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if got := answer.Header.Get("Content-Type"); got != "application/json" {
		t.Errorf("content type %q", got)
	}
}
