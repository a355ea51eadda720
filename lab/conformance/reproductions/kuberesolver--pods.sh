#!/bin/sh
# 101 Pods, whose slices Kubernetes writes; then all are deleted and go on serving
# gRPC with kuberesolver, round\_robin (kuberesolver v6.0.1)
#
# Wanted, by rule S1: 1-101
# Seen, in 3 of 3 plays: 65-101
# Restarted: a restart does not heal it.
#
# Addresses are written by their last part: 7 is 10.42.35.7, 6:7 is fd42:23::7.
# The consumer follows Service web in namespace reproduction. In the lab, with the consumer:
#   slicewright-lab conformance --scenario pods --consumer kuberesolver
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
