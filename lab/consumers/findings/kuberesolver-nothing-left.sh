#!/usr/bin/env bash
# kuberesolver: a Service without a ready endpoint, or without slices, keeps the
# last set that was not empty (S9, S15): a true empty set is not handed on.
. "$(dirname "$0")/lib.sh"
slice a web http:8080 10.42.0.1
follow kuberesolver http
slice a web http:8080 10.42.0.1/FTT
wants "the only endpoint terminates"
slice a web http:8080 10.42.0.1/FFF
wants "the only endpoint is not ready"
unslice a
wants "the last slice is gone"
restart
wants "the last slice is gone"
finish
