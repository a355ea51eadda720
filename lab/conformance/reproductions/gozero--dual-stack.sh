#!/bin/sh
# a slice of each family, then one of them deleted
# gRPC with go-zero's zrpc, p2c\_ewma (go-zero v1.10.3)
#
# Wanted, by rule S3: 1-2,6:1,6:3
# Seen, in 3 of 3 plays: 1-2; its own view is 1-2,\[fd42:7::1:8080\]:0,\[fd42:7::3:8080\]:0
# Restarted: a restart does not heal it.
#
# Addresses are written by their last part: 7 is 10.42.7.7, 6:7 is fd42:7::7.
# The consumer follows Service web in namespace reproduction. In the lab, with the consumer:
#   slicewright-lab conformance --scenario dual-stack --consumer gozero
set -eu
kubectl create namespace reproduction
kubectl -n reproduction apply --server-side --force-conflicts -f - <<'END'
apiVersion: v1
kind: Service
metadata: {name: web}
spec:
  ports: [{name: http, port: 80, targetPort: 8080}]
  ipFamilyPolicy: RequireDualStack
END
# The state after step 1; whoever starts on it sees it:
kubectl -n reproduction apply --server-side --force-conflicts -f - <<'END'
addressType: IPv4
apiVersion: discovery.k8s.io/v1
endpoints:
- addresses:
  - 10.42.7.1
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
  - 10.42.7.2
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
addressType: IPv6
apiVersion: discovery.k8s.io/v1
endpoints:
- addresses:
  - fd42:7::1
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
  - fd42:7::3
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
