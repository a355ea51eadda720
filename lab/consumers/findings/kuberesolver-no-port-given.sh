#!/usr/bin/env bash
# kuberesolver: without a port in the target, a slice that has no ports, as every
# Service without Pods has one, ends the watch in a panic that is caught. The watch
# is tried again after 1, 2, 4, 8 and 16 seconds: endpoints come that much late.
. "$(dirname "$0")/lib.sh"
slice a web - 10.42.0.1
follow kuberesolver ''
sleep 17 # after the try at 15 s, before the one at 31 s
slice a web http:8080 10.42.0.1
wants "slice a got its port, 2 to 10 s ago" 10.42.0.1:8080
PATIENCE=40 wants "slice a got its port, up to 40 s ago" 10.42.0.1:8080
restart
wants "slice a got its port" 10.42.0.1:8080
grep -c 'recovered from panic' "$dir/log" | sed 's/^/  panics in the log: /' || true
finish
