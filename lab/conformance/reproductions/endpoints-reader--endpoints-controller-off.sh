#!/bin/sh
# the Endpoints controller is off, and the Pods get new addresses
# a client-go informer on Endpoints (the old way) (the lab's reader of this checkout)
#
# Wanted, by rule Endpoints: 1-3
# Seen, in 3 of 3 plays: none; its own view is 1-3; 32 of 32 requests failed
# Restarted: a restart does not heal it.
#
# Addresses are written by their last part: 7 is 10.42.37.7, 6:7 is fd42:25::7.
# The consumer follows Service web in namespace reproduction. In the lab, with the consumer:
#   slicewright-lab conformance --scenario endpoints-controller-off --consumer endpoints-reader
set -eu
kubectl create namespace reproduction
kubectl -n reproduction apply --server-side --force-conflicts -f - <<'END'
apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  ports: [{name: http, port: 80, targetPort: 8080}]
  selector: {app: web}
END
# The rest needs Pods with known addresses, or a control plane to take apart: play it in the lab.
