#!/usr/bin/env bash
# go-zero: conditions are not looked at (S9). Calls go to endpoints that are not
# ready, and to those that terminate.
. "$(dirname "$0")/lib.sh"
slice a web http:8080 10.42.0.1 10.42.0.2/FFF 10.42.0.3/FTT
follow gozero 8080
wants "2 is not ready, 3 terminates" 10.42.0.1:8080
restart
wants "2 is not ready, 3 terminates" 10.42.0.1:8080
finish
