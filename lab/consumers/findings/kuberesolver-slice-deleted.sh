#!/usr/bin/env bash
# kuberesolver: the addresses of a slice that is deleted become the whole set
# (S7), since the event's type is not looked at.
. "$(dirname "$0")/lib.sh"
slice b web http:8080 10.42.0.2
follow kuberesolver http
slice a web http:8080 10.42.0.1
unslice b
wants "slice b is gone" 10.42.0.1:8080
restart
wants "slice b is gone" 10.42.0.1:8080
finish
