#!/bin/sh
# the API server is away, the world changes, its history is lost
# gRPC with go-zero's zrpc, p2c\_ewma (go-zero v1.10.3)
#
# Wanted, by rule S1: 1-3,6-8,20
# Seen, in 3 of 3 plays: 6-8,20
# Restarted: a restart heals it.
#
# Addresses are written by their last part: 7 is 10.42.36.7, 6:7 is fd42:24::7.
# The consumer follows Service web in namespace reproduction. In the lab, with the consumer:
#   slicewright-lab conformance --scenario relist --consumer gozero
set -eu
kubectl create namespace reproduction
kubectl -n reproduction apply --server-side --force-conflicts -f - <<'END'
apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  ports: [{name: http, port: 80, targetPort: 8080}]
END
# The rest needs Pods with known addresses, or a control plane to take apart: play it in the lab.
