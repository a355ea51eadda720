// Command bench writes a synthetic audit log for speed comparisons: the same
// bytes for the same arguments. One line in eight is about Endpoints, the
// others are what a busy cluster writes most of: leases, Pods, nodes, events.
//
//	go run ./app/internal/find/audit/bench -size 1073741824 > audit.log
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"time"
)

func main() {
	size := flag.Int64("size", 1<<30, "bytes to write, at least")
	every := flag.Int("every", 8, "one line in so many is about Endpoints")
	flag.Parse()
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	if err := generate(out, *size, *every); err != nil {
		fmt.Fprintln(os.Stderr, "Error: writing the log: "+err.Error())
		os.Exit(1)
	}
	if err := out.Flush(); err != nil {
		fmt.Fprintln(os.Stderr, "Error: writing the log: "+err.Error())
		os.Exit(1)
	}
}

// others are resources with the share of a log that they have.
var others = []struct{ group, resource, verb, path string }{
	{"coordination.k8s.io", "leases", "update", "/apis/coordination.k8s.io/v1"},
	{"coordination.k8s.io", "leases", "get", "/apis/coordination.k8s.io/v1"},
	{"", "pods", "patch", "/api/v1"},
	{"", "pods", "get", "/api/v1"},
	{"", "configmaps", "watch", "/api/v1"},
	{"", "events", "create", "/api/v1"},
	{"apps", "deployments", "list", "/apis/apps/v1"},
	{"", "secrets", "watch", "/api/v1"},
}

func generate(w io.Writer, size int64, every int) error {
	r := rand.New(rand.NewPCG(1, 2))
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var buf []byte
	for n, written := 0, int64(0); written < size; n++ {
		at = at.Add(time.Duration(1+r.IntN(4000)) * time.Microsecond)
		o := others[r.IntN(len(others))]
		if n%every == 0 {
			o.group, o.resource, o.path = "", "endpoints", "/api/v1"
			o.verb = []string{"get", "list", "update"}[r.IntN(3)]
		}
		buf = appendEvent(buf[:0], r, at, o.group, o.resource, o.verb, o.path)
		if _, err := w.Write(buf); err != nil {
			return err
		}
		written += int64(len(buf))
	}
	return nil
}

// appendEvent writes one event as the API server writes it at level Metadata,
// with the claims that tokens of Pods carry: some 1300 bytes.
func appendEvent(b []byte, r *rand.Rand, at time.Time, group, resource, verb, path string) []byte {
	app := fmt.Sprintf("app-%02d", r.IntN(60))
	ns := fmt.Sprintf("team-%d", r.IntN(12))
	name := fmt.Sprintf("object-%04d", r.IntN(5000))
	id := fmt.Sprintf("%08x-%04x-4%03x-a%03x-%012x", r.Uint32(), r.Uint32()&0xffff, r.Uint32()&0xfff, r.Uint32()&0xfff, r.Uint64()&0xffffffffffff)
	stamp := at.Format("2006-01-02T15:04:05.000000Z")
	code := 200
	if r.IntN(50) == 0 {
		code = 403
	}
	ref := fmt.Sprintf(`"resource":%q,"namespace":%q,"name":%q`, resource, ns, name)
	if group != "" {
		ref += fmt.Sprintf(`,"apiGroup":%q`, group)
	}
	return fmt.Appendf(b, `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":%q,"stage":"ResponseComplete",`+
		`"requestURI":"%s/namespaces/%s/%s/%s?timeout=10s\u0026resourceVersion=%d","verb":%q,`+
		`"user":{"username":"system:serviceaccount:%s:%s","uid":"7a5b6d0e-37c3-4d8c-9d9e-%012x","groups":["system:serviceaccounts","system:serviceaccounts:%s","system:authenticated"],`+
		`"extra":{"authentication.kubernetes.io/credential-id":["JTI=%s"],"authentication.kubernetes.io/node-name":["node-%02d"],"authentication.kubernetes.io/node-uid":["%s"],`+
		`"authentication.kubernetes.io/pod-name":["%s-7d4b9c6f5-x2x4z"],"authentication.kubernetes.io/pod-uid":["%s"]}},`+
		`"sourceIPs":["10.%d.%d.%d"],"userAgent":"%s/v1.%d.0 (linux/amd64) kubernetes/4cb5f07","objectRef":{%s,"apiVersion":"v1"},"responseStatus":{"metadata":{},"code":%d},`+
		`"requestReceivedTimestamp":%q,"stageTimestamp":%q,"annotations":{"authorization.k8s.io/decision":"allow",`+
		`"authorization.k8s.io/reason":"RBAC: allowed by RoleBinding \"%s/%s\" of Role \"%s\" to ServiceAccount \"%s/%s\""}}`+"\n",
		id, path, ns, resource, name, r.IntN(1e6), verb, ns, app, r.Uint64()&0xffffffffffff, ns, id, r.IntN(40), id, app, id,
		r.IntN(4), r.IntN(250), r.IntN(250), app, r.IntN(3), ref, code, stamp, stamp, app, ns, app, app, ns)
}
