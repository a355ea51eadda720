package hold_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slicewright/slicewright/app/internal/verify/hold"
)

// The headers that were asked for go out with each HTTP/2 stream. A Host among
// them is the authority, and no header beside it.
func TestHeadersOfHTTP2(t *testing.T) {
	type request struct {
		host, tenant string
		hosts        int
	}
	got := make(chan request, 100)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got <- request{r.Host, r.Header.Get("X-Tenant"), len(r.Header.Values("Host"))}
	}))
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	defer server.Close()
	options := hold.Options{Every: once, Header: http.Header{"Host": {"web.example"}, "X-Tenant": {"red"}}}
	run(t, targets(t, options, "h2c://"+server.Listener.Addr().String()), func(hold.Report) bool { return true })
	if diff := cmp.Diff(request{"web.example", "red", 0}, <-got, cmp.AllowUnexported(request{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
