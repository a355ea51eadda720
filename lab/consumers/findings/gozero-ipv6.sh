#!/usr/bin/env bash
# go-zero: an IPv6 address is joined with its port without brackets (S3), which no
# dialer can connect to.
. "$(dirname "$0")/lib.sh"
slice six web http:8080 fd42::1
follow gozero 8080
wants "an IPv6 endpoint" '[fd42::1]:8080'
restart
wants "an IPv6 endpoint" '[fd42::1]:8080'
finish
