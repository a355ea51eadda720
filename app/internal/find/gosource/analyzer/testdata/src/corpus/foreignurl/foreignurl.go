// Package foreignurl has the same path, of another program.
package foreignurl

import "net/http"

func portainer(host string) {
	_, _ = http.Get(host + "/api/v1/endpoints") // want `go/raw-url list \(reader, possible`
	_, _ = http.Get(host + "/api/endpoints")
	_, _ = http.Get(host + "/v1/api/v1/endpoint")
}
