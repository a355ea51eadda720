#!/usr/bin/env bash
# kuberesolver: a slice that moves to another Service becomes the whole set of the
# one it left (S1): a watch with a selector calls it deleted. Calls for web go to
# the Pods of other.
. "$(dirname "$0")/lib.sh"
slice b web http:8080 10.42.0.2
follow kuberesolver http
slice a web http:8080 10.42.0.1
relabel b other
wants "slice b belongs to other" 10.42.0.1:8080
restart
wants "slice b belongs to other" 10.42.0.1:8080
finish
