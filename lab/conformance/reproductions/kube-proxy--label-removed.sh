#!/bin/sh
# a slice loses its label, and is deleted
# kube-proxy, nftables (Kubernetes v1.37.2)
#
# Wanted, by rule S1: 1-2
# Seen, in 3 of 3 plays: 1-3
# Restarted: a restart heals it.
#
# Addresses are written by their last part: 7 is 10.42.17.7, 6:7 is fd42:11::7.
# The consumer follows Service web in namespace reproduction. In the lab, with the consumer:
#   slicewright-lab conformance --scenario label-removed --consumer kube-proxy
set -eu
kubectl create namespace reproduction
kubectl -n reproduction apply --server-side --force-conflicts -f - <<'END'
apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  ports: [{name: http, port: 80, targetPort: 8080}]
END
kubectl -n reproduction apply --server-side --force-conflicts -f - <<'END'
apiVersion: v1
kind: Service
metadata: {name: other}
spec:
  ports: [{name: http, port: 80, targetPort: 8080}]
END
# It takes the steps: start the consumer first, and give it some seconds after each.
# Step 1: slices a and b are of web, slice c of other
kubectl -n reproduction apply --server-side --force-conflicts -f - <<'END'
addressType: IPv4
apiVersion: discovery.k8s.io/v1
endpoints:
- addresses:
  - 10.42.17.1
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
  - 10.42.17.2
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
---
addressType: IPv4
apiVersion: discovery.k8s.io/v1
endpoints:
- addresses:
  - 10.42.17.11
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-11
    namespace: reproduction
    uid: 9561d860-20c1-2d89-c872-9bcd44bb8b59
kind: EndpointSlice
metadata:
  labels:
    endpointslice.kubernetes.io/managed-by: conformance.lab.slicewright.dev
    kubernetes.io/service-name: other
  name: c
ports:
- name: http
  port: 8080
  protocol: TCP
---
addressType: IPv4
apiVersion: discovery.k8s.io/v1
endpoints:
- addresses:
  - 10.42.17.3
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
  name: b
ports:
- name: http
  port: 8080
  protocol: TCP
END
sleep 5
# Step 2: slice b has no label any more
kubectl -n reproduction apply --server-side --force-conflicts -f - <<'END'
addressType: IPv4
apiVersion: discovery.k8s.io/v1
endpoints:
- addresses:
  - 10.42.17.3
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
  name: b
ports:
- name: http
  port: 8080
  protocol: TCP
END
sleep 5
