#!/usr/bin/env bash
# kuberesolver: of the slices of a Service, the one that changed last is all that
# the balancer gets (S1). More than 100 Pods are more than one slice.
. "$(dirname "$0")/lib.sh"
slice a web http:8080 10.42.0.1
slice b web http:8080 10.42.0.2
follow kuberesolver http
wants "two slices" 10.42.0.1:8080 10.42.0.2:8080
restart
wants "two slices" 10.42.0.1:8080 10.42.0.2:8080
finish
