// Package observe reads what a consumer of a Service has at this moment, each
// kind of consumer by the means that it has itself: HAProxy's runtime API, an
// nginx configuration, an xDS server's answers, kube-proxy's rules, DNS,
// Prometheus' list of targets, a file or a URL with addresses.
//
// A consumer is named by a spec, which [Parse] turns into an observer:
//
//	haproxy:/run/haproxy/admin.sock/reports       or haproxy:127.0.0.1:9999/reports
//	nginx:/etc/nginx/nginx.conf#reports
//	xds:127.0.0.1:18000/reports?node=edge-1
//	kube-proxy:shop/reports:http?netns=/proc/4711/ns/net
//	dns:10.96.0.10/reports.shop.svc.cluster.local?type=SRV&port=http
//	prometheus:http://127.0.0.1:9090#reports
//	file:/var/lib/lb/reports.txt
//	http:http://127.0.0.1:8080/backends
//
// What each reads new, draining and idle from, and what it cannot know, is in
// the documentation of its package.
//
// What holds for all of them:
//
//   - An error is never an empty view. Empty is what a consumer said, in so many
//     words: a backend without servers, a name that does not exist, an empty list.
//   - A backend that gets connections and is no IP address (a unix socket, a host
//     name) makes the view unknown, since it can be held against no slice. One that
//     gets none is left out.
//   - One look is bounded in time ([Timeout]) and in bytes.
//   - Nothing in the consumer is changed.
//
// Observers keep nothing between two looks, need no closing and may be used by
// several goroutines.
package observe
