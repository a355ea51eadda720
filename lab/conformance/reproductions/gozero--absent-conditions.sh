#!/bin/sh
# conditions that are absent
# gRPC with go-zero's zrpc, p2c\_ewma (go-zero v1.10.3)
#
# Wanted, by rule S4: 1-3
# Seen, in 3 of 3 plays: 1-4
# Restarted: a restart does not heal it.
#
# Addresses are written by their last part: 7 is 10.42.25.7, 6:7 is fd42:19::7.
# The consumer follows Service web in namespace reproduction. In the lab, with the consumer:
#   slicewright-lab conformance --scenario absent-conditions --consumer gozero
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
  - 10.42.25.1
  conditions: {}
  targetRef:
    kind: Pod
    name: pod-1
    namespace: reproduction
    uid: 0f066824-e0c3-c4bd-6d80-f4c182769fa0
- addresses:
  - 10.42.25.2
  conditions:
    ready: true
  targetRef:
    kind: Pod
    name: pod-2
    namespace: reproduction
    uid: 4d9f86fb-0fe4-4e3a-a92d-864db1884244
- addresses:
  - 10.42.25.3
  conditions:
    serving: true
  targetRef:
    kind: Pod
    name: pod-3
    namespace: reproduction
    uid: 8db71f08-c122-b77b-405a-76153e09fbba
- addresses:
  - 10.42.25.4
  conditions:
    ready: false
  targetRef:
    kind: Pod
    name: pod-4
    namespace: reproduction
    uid: 03817bd0-1413-57ce-67e6-09a2294437e4
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
