#!/bin/sh
# the API server is away, the world changes, its history is lost
# gRPC with kuberesolver, round\_robin (kuberesolver v6.0.1)
#
# Wanted, by rule S1: 1-6
# Seen, in 3 of 3 plays: 4-6
# Restarted: a restart does not heal it.
#
# Addresses are written by their last part: 7 is 10.42.36.7, 6:7 is fd42:24::7.
# The consumer follows Service web in namespace reproduction. In the lab, with the consumer:
#   slicewright-lab conformance --scenario relist --consumer kuberesolver
set -eu
kubectl create namespace reproduction
kubectl -n reproduction apply --server-side --force-conflicts -f - <<'END'
apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  ports: [{name: http, port: 80, targetPort: 8080}]
END
# The state after step 1; whoever starts on it sees it:
kubectl -n reproduction apply --server-side --force-conflicts -f - <<'END'
addressType: IPv4
apiVersion: discovery.k8s.io/v1
endpoints:
- addresses:
  - 10.42.36.1
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
  - 10.42.36.2
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-2
    namespace: reproduction
    uid: 4d9f86fb-0fe4-4e3a-a92d-864db1884244
- addresses:
  - 10.42.36.3
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-3
    namespace: reproduction
    uid: 8db71f08-c122-b77b-405a-76153e09fbba
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
---
addressType: IPv4
apiVersion: discovery.k8s.io/v1
endpoints:
- addresses:
  - 10.42.36.4
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-4
    namespace: reproduction
    uid: 03817bd0-1413-57ce-67e6-09a2294437e4
- addresses:
  - 10.42.36.5
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-5
    namespace: reproduction
    uid: 7a89cd87-2797-cd03-acb3-b5f56498eca6
- addresses:
  - 10.42.36.6
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-6
    namespace: reproduction
    uid: c7cf4287-7949-60d6-0efc-9d440b3a3b72
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
