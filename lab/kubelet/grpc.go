package kubelet

import (
	"net/http"
	"strings"
)

// gRPC's codes (https://grpc.github.io/grpc/core/md_doc_statuscodes.html) that
// are answered.
const (
	grpcOK            = "0"
	grpcUnimplemented = "12"
)

// grpcHealthy is a HealthCheckResponse of status SERVING, as it goes over the
// wire: not compressed, two bytes long, field 1 is 1.
var grpcHealthy = []byte{0, 0, 0, 0, 2, 0x08, 0x01}

func isGRPC(r *http.Request) bool {
	return r.ProtoMajor == 2 && strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc")
}

// answerGRPC answers a call of grpc.health.v1.Health/Check. Who answered is in
// the headers, which gRPC hands to its callers as metadata. The protocol is
// short enough to need no library: every Pod of a lab would carry it.
func answerGRPC(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Type", "application/grpc")
	if r.URL.Path != "/grpc.health.v1.Health/Check" {
		// Without a body, what would be trailers are headers.
		header.Set("Grpc-Status", grpcUnimplemented)
		return
	}
	header.Set("Trailer", "Grpc-Status")
	_, _ = w.Write(grpcHealthy) // the client went away: nobody to tell
	header.Set("Grpc-Status", grpcOK)
}
