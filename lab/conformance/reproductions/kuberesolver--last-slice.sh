#!/bin/sh
# the last slice removed, and a slice that comes back
# gRPC with kuberesolver, round\_robin (kuberesolver v6.0.1)
#
# Wanted, by rule S15: none
# Seen, in 3 of 3 plays: 1-2
# Restarted: a restart heals it.
#
# Addresses are written by their last part: 7 is 10.42.27.7, 6:7 is fd42:1b::7.
# The consumer follows Service web in namespace reproduction. In the lab, with the consumer:
#   slicewright-lab conformance --scenario last-slice --consumer kuberesolver
set -eu
kubectl create namespace reproduction
kubectl -n reproduction apply --server-side --force-conflicts -f - <<'END'
apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  ports: [{name: http, port: 80, targetPort: 8080}]
END
# It takes the steps: start the consumer first, and give it some seconds after each.
# Step 1: two are ready
kubectl -n reproduction apply --server-side --force-conflicts -f - <<'END'
addressType: IPv4
apiVersion: discovery.k8s.io/v1
endpoints:
- addresses:
  - 10.42.27.1
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-1
    namespace: reproduction
    uid: 0f066824-e0c3-c4bd-6d80-f4c182769fa0
- addresses:
  - 10.42.27.2
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-2
    namespace: reproduction
    uid: 4d9f86fb-0fe4-4e3a-a92d-864db1884244
kind: EndpointSlice
metadata:
  labels:
    endpointslice.kubernetes.io/managed-by: conformance.lab.slicewright.dev
    kubernetes.io/service-name: web
  name: a
ports:
- name: http
  port: 8080
  protocol: TCP
END
sleep 5
# Step 2: the slice is deleted
kubectl -n reproduction delete endpointslice a
sleep 5
