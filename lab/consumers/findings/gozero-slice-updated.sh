#!/usr/bin/env bash
# go-zero: an update of one slice throws away what the others carry (S1). Any
# change of readiness in one slice of a Service of more than 100 Pods is such an
# update.
. "$(dirname "$0")/lib.sh"
slice a web http:8080 10.42.0.1
slice b web http:8080 10.42.0.2
follow gozero 8080
wants "two slices" 10.42.0.1:8080 10.42.0.2:8080
slice a web http:8080 10.42.0.1 10.42.0.3
wants "slice a gained endpoint 3" 10.42.0.1:8080 10.42.0.2:8080 10.42.0.3:8080
restart
wants "slice a gained endpoint 3" 10.42.0.1:8080 10.42.0.2:8080 10.42.0.3:8080
finish
