#!/usr/bin/env bash
# kuberesolver: an endpoint that says nothing of ready is not taken (S4).
. "$(dirname "$0")/lib.sh"
slice a web http:8080 10.42.0.1 10.42.0.2/---
follow kuberesolver http
wants "endpoint 2 has no conditions" 10.42.0.1:8080 10.42.0.2:8080
restart
wants "endpoint 2 has no conditions" 10.42.0.1:8080 10.42.0.2:8080
finish
