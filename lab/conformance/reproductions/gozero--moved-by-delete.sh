#!/bin/sh
# a Pod moves to a new slice and the old slice is deleted
# gRPC with go-zero's zrpc, p2c\_ewma (go-zero v1.10.3)
#
# Wanted, by rule S7: 1-2
# Seen, in 3 of 3 plays: none; 32 of 32 requests failed
# Restarted: a restart heals it.
#
# Addresses are written by their last part: 7 is 10.42.11.7, 6:7 is fd42:b::7.
# The consumer follows Service web in namespace reproduction. In the lab, with the consumer:
#   slicewright-lab conformance --scenario moved-by-delete --consumer gozero
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
# Step 1: endpoints 1 and 2 are in slice a
kubectl -n reproduction apply --server-side --force-conflicts -f - <<'END'
addressType: IPv4
apiVersion: discovery.k8s.io/v1
endpoints:
- addresses:
  - 10.42.11.1
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
  - 10.42.11.2
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
# Step 2: slice b has both, and slice a is deleted
kubectl -n reproduction apply --server-side --force-conflicts -f - <<'END'
addressType: IPv4
apiVersion: discovery.k8s.io/v1
endpoints:
- addresses:
  - 10.42.11.1
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
  - 10.42.11.2
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
  name: b
ports:
- name: http
  port: 8080
  protocol: TCP
END
kubectl -n reproduction delete endpointslice a
sleep 5
