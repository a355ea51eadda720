package web_test

import (
	"bytes"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/slicewright/slicewright/app/internal/verify"
	"github.com/slicewright/slicewright/app/internal/verify/hold"
	"github.com/slicewright/slicewright/app/internal/verify/live"
	"github.com/slicewright/slicewright/app/internal/verify/publication"
	"github.com/slicewright/slicewright/app/internal/web"
	"github.com/slicewright/slicewright/endpointset"
)

// someVerification is a rollout in which a consumer keeps an address that left,
// and requests are lost; name is wherever untrusted text can be.
func someVerification(name string) *live.Report {
	a, b, c := netip.MustParseAddrPort("10.0.0.1:8080"), netip.MustParseAddrPort("10.0.0.2:8080"), netip.MustParseAddrPort("[fd00::3]:8080")
	at := func(s float64) time.Time { return noon.Add(time.Duration(s * float64(time.Second))) }
	say := func(s float64, standings map[netip.AddrPort]verify.Standing) verify.Slices {
		return verify.Slices{At: at(s), Standings: standings}
	}
	l := verify.NewLog(verify.Options{
		Service: endpointset.ServiceKey{Namespace: "shop", Name: "web" + name}, Port: "http" + name, Policy: endpointset.PolicyReady,
		Consumers: []string{"haproxy:/run/haproxy/admin.sock/web" + name, "file:/quiet", "nginx:/etc/nginx/nginx.conf#web"}, Probes: []string{"http://10.0.0.100:8080/" + name},
	})
	for s := 0.0; s <= 40; s += 0.5 {
		switch s {
		case 0:
			l.Slices(say(s, map[netip.AddrPort]verify.Standing{a: verify.Active, b: verify.Active}))
		case 10:
			l.Slices(say(s, map[netip.AddrPort]verify.Standing{a: verify.Active, b: verify.Terminating, c: verify.Active}))
		case 20:
			l.Slices(say(s, map[netip.AddrPort]verify.Standing{a: verify.Active, c: verify.Active}))
		}
		follows := []netip.AddrPort{a, b}
		if s >= 11 {
			follows = []netip.AddrPort{a, c}
		}
		view := verify.View{At: at(s)}
		for _, address := range follows {
			view.Members = append(view.Members, verify.Member{Address: address, Use: verify.New, Total: verify.Unknown, Open: verify.Unknown})
		}
		l.Viewed(1, view)
		view.Members = append(view.Members[:2:2], verify.Member{Address: b, Use: verify.New, Total: int64(10 * s), Open: 3, Detail: "UP" + name})
		l.Viewed(0, view)
		if s < 20 {
			l.Viewed(2, view)
		} else {
			l.ViewFailed(2, at(s), errString("no such file"+name))
		}
		l.Answered(0, verify.Answer{Began: at(s), Ended: at(s + 0.1), From: a})
		if s > 25 {
			l.Answered(0, verify.Answer{Began: at(s), Ended: at(s + 0.1), Failure: verify.Status, Detail: "503" + name})
		}
		if s > 12 && s < 22 {
			l.Answered(0, verify.Answer{Began: at(s), Ended: at(s + 0.1), From: b})
		}
	}
	r := &live.Report{Report: l.Report(at(40))}
	r.Command = &verify.CommandReport{Command: "kubectl rollout restart deployment/web" + name, Began: at(8), Ended: at(24)}
	r.Held = &live.Held{Outcome: verify.Different, Reason: "1 of 1", Connections: []live.HeldConnection{{
		Connection: hold.Connection{Target: "ws://10.0.0.100:8080/", Protocol: "websocket", Opened: at(8), Holder: hold.Backend{Address: b, Name: "web-b" + name}, End: hold.End{Kind: hold.RST, At: at(25), Detail: name}},
		Problems:   []string{"ended without a goodbye: rst" + name}, Left: at(10), After: &live.Afterwards{OutlivedSeconds: 15},
	}}}
	r.Published = &publication.Table{Rows: []publication.Row{{
		Address: a, Name: "web-a" + name, Health: publication.Yes, Ready: publication.Yes, Serving: publication.No, Terminating: publication.No,
		Discovered: []publication.Fact{publication.Yes}, Answered: 7, Notes: []publication.Note{{Code: "x", Text: "a note" + name}},
	}}, Discovery: []publication.Consumer{{Name: "dns:10.96.0.10/web" + name}}}
	return r
}

type errString string

func (e errString) Error() string { return string(e) }

func verifyPage(t *testing.T, r *live.Report) string {
	return written(t, func(w *bytes.Buffer) error { return web.WriteVerify(w, r) })
}

func TestVerifyPage(t *testing.T) {
	b := openBrowser(t)
	path := verifyPage(t, someVerification(""))
	for _, s := range screens {
		t.Run(s.name, func(t *testing.T) {
			b.reads(t, path, "verify", s, []string{
				"shop/web is not used as its slices say.", "stale", "10.0.0.2:8080", "30 lost: status", "12:00:20.000", "kubectl rollout restart",
				"used-after-left", "no such file", "a note", "ended without a goodbye", "It followed changes within 1s",
			})
			// Where a bar is says when: the command's begins after a fifth of the time.
			var at []string
			b.eval(`[...document.querySelectorAll(".lane rect")].slice(0, 1).map((r) => r.getAttribute("x") + " " + r.getAttribute("width"))`, &at)
			if len(at) != 1 || at[0] != "200 400" {
				t.Errorf("the command is drawn at %q, want 200 400", at)
			}
		})
	}
}

// What a consumer, a backend or a slice calls itself is text.
func TestVerifyPageNamesAreText(t *testing.T) {
	const bad = `</style></script><script>window.hacked=1</script><img/src=x/onerror=hacked=1>'"&{{.}}` + "\u202egpj\u2066"
	b := openBrowser(t)
	b.open(verifyPage(t, someVerification(bad)))
	var hacked bool
	b.eval("window.hacked === 1", &hacked)
	if hacked || b.count("script")+b.count("img") > 0 {
		t.Error("a name was run")
	}
	if body := b.text("body"); strings.ContainsAny(body, "\u202e\u2066") || strings.Count(body, "window.hacked=1") < 10 {
		t.Errorf("the names are not shown as they are:\n%s", body)
	}
	b.quiet(t)
}
