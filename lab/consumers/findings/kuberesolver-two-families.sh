#!/usr/bin/env bash
# kuberesolver: of a Service of two families, the family whose slice changed last
# is all there is (S1, S3).
. "$(dirname "$0")/lib.sh"
slice four web http:8080 10.42.0.1
slice six web http:8080 fd42::1
follow kuberesolver http
wants "a slice of each family" 10.42.0.1:8080 '[fd42::1]:8080'
restart
wants "a slice of each family" 10.42.0.1:8080 '[fd42::1]:8080'
finish
