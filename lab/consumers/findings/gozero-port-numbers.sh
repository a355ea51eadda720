#!/usr/bin/env bash
# go-zero: all endpoints get the one number that the target gives, or else that of
# the first port of the first slice (S2).
. "$(dirname "$0")/lib.sh"
slice a web http:8080 10.42.0.1
slice b web http:9090 10.42.0.2
slice c web - 10.42.0.3
follow gozero ''
wants "b has another number, c no port" 10.42.0.1:8080 10.42.0.2:9090
restart
wants "b has another number, c no port" 10.42.0.1:8080 10.42.0.2:9090
finish
