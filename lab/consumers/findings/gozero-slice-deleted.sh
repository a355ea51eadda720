#!/usr/bin/env bash
# go-zero: an address that two slices carry is dropped when one of them is deleted
# (S7).
. "$(dirname "$0")/lib.sh"
slice a web http:8080 10.42.0.1 10.42.0.2
slice b web http:8080 10.42.0.2
follow gozero 8080
wants "2 is in both slices" 10.42.0.1:8080 10.42.0.2:8080
unslice b
wants "2 is still in slice a" 10.42.0.1:8080 10.42.0.2:8080
restart
wants "2 is still in slice a" 10.42.0.1:8080 10.42.0.2:8080
finish
