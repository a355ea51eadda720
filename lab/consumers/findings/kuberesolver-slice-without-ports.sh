#!/usr/bin/env bash
# kuberesolver: endpoints of a slice that does not have the port get the port's
# name for a number, which the dialer takes for port 80; a port without a number
# gets 0 (S2). Neither can be connected to, or worse, something else answers.
. "$(dirname "$0")/lib.sh"
slice a web - 10.42.0.1
follow kuberesolver http
wants "the slice has no ports"
slice a web metrics:9100 10.42.0.1
wants "the slice has another port alone"
slice a web http 10.42.0.1
wants "the port has no number"
restart
wants "the port has no number"
finish
