#!/bin/sh
# 101 endpoints in two slices, then the second slice deleted
# gRPC with kuberesolver, round\_robin (kuberesolver v6.0.1)
#
# Wanted, by rule S1: 1-101
# Seen, in 3 of 3 plays: 101
# Restarted: a restart does not heal it.
#
# Addresses are written by their last part: 7 is 10.42.1.7, 6:7 is fd42:1::7.
# The consumer follows Service web in namespace reproduction. In the lab, with the consumer:
#   slicewright-lab conformance --scenario two-slices --consumer kuberesolver
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
  - 10.42.1.1
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
  - 10.42.1.2
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
  - 10.42.1.3
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-3
    namespace: reproduction
    uid: 8db71f08-c122-b77b-405a-76153e09fbba
- addresses:
  - 10.42.1.4
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
  - 10.42.1.5
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
  - 10.42.1.6
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-6
    namespace: reproduction
    uid: c7cf4287-7949-60d6-0efc-9d440b3a3b72
- addresses:
  - 10.42.1.7
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-7
    namespace: reproduction
    uid: d7b83dc9-865b-7782-2ae8-d90191392a13
- addresses:
  - 10.42.1.8
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-8
    namespace: reproduction
    uid: 8aaa70be-e52d-8f2a-a6a4-f81e348327f9
- addresses:
  - 10.42.1.9
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-9
    namespace: reproduction
    uid: 8f93efb8-a6b5-c86a-7e24-67b386c1f4f8
- addresses:
  - 10.42.1.10
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-10
    namespace: reproduction
    uid: f2d94b88-af76-881f-2d58-4dd84c9cbed7
- addresses:
  - 10.42.1.11
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-11
    namespace: reproduction
    uid: 9561d860-20c1-2d89-c872-9bcd44bb8b59
- addresses:
  - 10.42.1.12
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-12
    namespace: reproduction
    uid: 7c3fed7c-b1ce-0057-c110-0049e2034109
- addresses:
  - 10.42.1.13
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-13
    namespace: reproduction
    uid: 52f3312b-d13a-e449-014a-e783c622d17a
- addresses:
  - 10.42.1.14
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-14
    namespace: reproduction
    uid: d5130881-050a-0680-81d9-be8f28f89f70
- addresses:
  - 10.42.1.15
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-15
    namespace: reproduction
    uid: 791eab49-8323-0c12-7824-74ddf4c2e391
- addresses:
  - 10.42.1.16
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-16
    namespace: reproduction
    uid: 2ed58f39-a0cf-74ef-5e43-1459af146e64
- addresses:
  - 10.42.1.17
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-17
    namespace: reproduction
    uid: 5a021c6c-d196-ae91-47ff-ccefa7bc6d13
- addresses:
  - 10.42.1.18
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-18
    namespace: reproduction
    uid: 915de8da-7567-fef4-d5c3-4f24ee379fa9
- addresses:
  - 10.42.1.19
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-19
    namespace: reproduction
    uid: d08572c0-22a9-c6de-689d-7fdaa46d8683
- addresses:
  - 10.42.1.20
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-20
    namespace: reproduction
    uid: aa62b0e0-5e81-ed69-a284-2d405b16bbff
- addresses:
  - 10.42.1.21
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-21
    namespace: reproduction
    uid: fc5d1ec7-1014-68ff-0ada-5a2765e5a99c
- addresses:
  - 10.42.1.22
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-22
    namespace: reproduction
    uid: f95c686e-b36e-00bf-31ea-7471f70aece6
- addresses:
  - 10.42.1.23
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-23
    namespace: reproduction
    uid: b5643358-23f1-09a1-f89a-cb6bcf9f019b
- addresses:
  - 10.42.1.24
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-24
    namespace: reproduction
    uid: d20fee58-18da-c665-0688-0f0435c4b441
- addresses:
  - 10.42.1.25
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-25
    namespace: reproduction
    uid: 61aa51ae-766d-b7b4-cdc0-25a66ec16de1
- addresses:
  - 10.42.1.26
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-26
    namespace: reproduction
    uid: 2618bc3c-2392-36ca-c7fa-9e652db5e7a5
- addresses:
  - 10.42.1.27
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-27
    namespace: reproduction
    uid: 35ec7583-0ccd-d273-d686-2e564f00f1ed
- addresses:
  - 10.42.1.28
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-28
    namespace: reproduction
    uid: ad5c8798-7c2c-5bc0-2298-1eabed80fec9
- addresses:
  - 10.42.1.29
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-29
    namespace: reproduction
    uid: 1e608144-be8f-287d-b5df-64709d953270
- addresses:
  - 10.42.1.30
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-30
    namespace: reproduction
    uid: 2b994aeb-6f15-e9fa-77f4-78fac671e6ed
- addresses:
  - 10.42.1.31
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-31
    namespace: reproduction
    uid: 9e9d473d-5988-8b6c-ce14-954ee80ebf08
- addresses:
  - 10.42.1.32
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-32
    namespace: reproduction
    uid: 496d7981-6c16-c725-7989-422bc22b97bf
- addresses:
  - 10.42.1.33
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-33
    namespace: reproduction
    uid: 5c45a826-75ec-c87b-c94b-b8cdbd5d23fe
- addresses:
  - 10.42.1.34
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-34
    namespace: reproduction
    uid: d6dd0d35-a5ed-d7e4-92ca-dc5fe6de511b
- addresses:
  - 10.42.1.35
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-35
    namespace: reproduction
    uid: 849471b8-914e-963c-37d3-a86e889fb2c0
- addresses:
  - 10.42.1.36
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-36
    namespace: reproduction
    uid: ea465654-21b2-ed81-a8b1-0ba04ea9720f
- addresses:
  - 10.42.1.37
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-37
    namespace: reproduction
    uid: d53dfe90-c2cb-60e5-311f-63517ecfc2c8
- addresses:
  - 10.42.1.38
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-38
    namespace: reproduction
    uid: 4ca27047-25c9-3881-3e6c-0d38336caf70
- addresses:
  - 10.42.1.39
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-39
    namespace: reproduction
    uid: 5d770c42-35df-99d1-b692-70895dfd528b
- addresses:
  - 10.42.1.40
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-40
    namespace: reproduction
    uid: 8c0153a3-2213-1bfd-1484-bfdc859d3694
- addresses:
  - 10.42.1.41
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-41
    namespace: reproduction
    uid: 1db607b8-a0e3-e2d4-1c75-7b724926303d
- addresses:
  - 10.42.1.42
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-42
    namespace: reproduction
    uid: ada11ed9-c956-895a-bc47-27b94c0b7676
- addresses:
  - 10.42.1.43
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-43
    namespace: reproduction
    uid: ef292b0f-ac71-dd26-e4cf-4e4ffdadb265
- addresses:
  - 10.42.1.44
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-44
    namespace: reproduction
    uid: 32df968f-d443-f14c-5f7d-32d702ed3e9f
- addresses:
  - 10.42.1.45
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-45
    namespace: reproduction
    uid: cb866aec-7632-abe8-75ec-2ab604a55b53
- addresses:
  - 10.42.1.46
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-46
    namespace: reproduction
    uid: d3267d27-4507-18d4-771e-ad5fa578d025
- addresses:
  - 10.42.1.47
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-47
    namespace: reproduction
    uid: fac2dcce-eb6c-ba16-2a37-28acbb02a88c
- addresses:
  - 10.42.1.48
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-48
    namespace: reproduction
    uid: 27013b12-e72d-25b6-2991-8e62c6e28be4
- addresses:
  - 10.42.1.49
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-49
    namespace: reproduction
    uid: 467d1e46-ef3b-ba2c-0971-4b31129ce643
- addresses:
  - 10.42.1.50
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-50
    namespace: reproduction
    uid: c9fa5dd9-de5b-b0fa-de79-d5af4e5f2a20
- addresses:
  - 10.42.1.51
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-51
    namespace: reproduction
    uid: 51f01bc8-9d30-a049-f08a-026699c26a10
- addresses:
  - 10.42.1.52
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-52
    namespace: reproduction
    uid: dba5726d-029d-bdf4-a1a3-2b0766eead82
- addresses:
  - 10.42.1.53
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-53
    namespace: reproduction
    uid: 2d84b6b0-877f-992b-5506-15e86086d15d
- addresses:
  - 10.42.1.54
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-54
    namespace: reproduction
    uid: 526c5145-d7fd-7eec-3832-2a2f5efe9cbe
- addresses:
  - 10.42.1.55
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-55
    namespace: reproduction
    uid: afd2b05f-ff94-df6c-5d94-7dd6eb1fa6e3
- addresses:
  - 10.42.1.56
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-56
    namespace: reproduction
    uid: bedf6679-4ce9-cbcc-cb5b-fde54f997689
- addresses:
  - 10.42.1.57
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-57
    namespace: reproduction
    uid: 7c48fb4a-5153-13a8-2a8c-8b374898a51b
- addresses:
  - 10.42.1.58
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-58
    namespace: reproduction
    uid: 737f7574-fc4d-6926-ba7b-0b1cd9a896b7
- addresses:
  - 10.42.1.59
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-59
    namespace: reproduction
    uid: 27643dc5-7d33-c285-67d5-1017597ffde2
- addresses:
  - 10.42.1.60
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-60
    namespace: reproduction
    uid: fc918e06-6ba5-41dd-cfaf-99b692ea5ebe
- addresses:
  - 10.42.1.61
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-61
    namespace: reproduction
    uid: 696a4b27-8a8d-32b6-ccbe-bbd2e74ef4ca
- addresses:
  - 10.42.1.62
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-62
    namespace: reproduction
    uid: 5be9bab9-ec52-8914-aed9-3b837f4d6a8c
- addresses:
  - 10.42.1.63
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-63
    namespace: reproduction
    uid: ebb81e10-e91b-cba3-d9ab-728dbde88a03
- addresses:
  - 10.42.1.64
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-64
    namespace: reproduction
    uid: 6984ba4a-4510-9cee-2270-e97fcee9df7e
- addresses:
  - 10.42.1.65
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-65
    namespace: reproduction
    uid: 97ae406e-529a-3759-5b8d-f8bcf7353c8d
- addresses:
  - 10.42.1.66
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-66
    namespace: reproduction
    uid: 676b5ce0-a8dc-d0e4-b0bd-decfc344c850
- addresses:
  - 10.42.1.67
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-67
    namespace: reproduction
    uid: 230d9b2c-1ddf-e8b9-db09-e6b993b862e6
- addresses:
  - 10.42.1.68
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-68
    namespace: reproduction
    uid: c805c4ee-a3f4-3416-b928-d0b8bbe763b3
- addresses:
  - 10.42.1.69
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-69
    namespace: reproduction
    uid: 18000736-f067-56d3-f7af-0663a2db4b88
- addresses:
  - 10.42.1.70
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-70
    namespace: reproduction
    uid: 1f6aec6c-8424-7f34-e4a5-3634cebe93a0
- addresses:
  - 10.42.1.71
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-71
    namespace: reproduction
    uid: f44c1d16-a58b-4c2d-f5ee-b770baf6354d
- addresses:
  - 10.42.1.72
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-72
    namespace: reproduction
    uid: cea510a4-3033-8321-1c2b-eed778aa3a0c
- addresses:
  - 10.42.1.73
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-73
    namespace: reproduction
    uid: 1de3c6b4-d88b-886d-0388-0476e9a7ea8e
- addresses:
  - 10.42.1.74
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-74
    namespace: reproduction
    uid: 11b0c545-04ae-0597-5386-42f2e32244d5
- addresses:
  - 10.42.1.75
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-75
    namespace: reproduction
    uid: f2f243ab-e67d-1fab-6038-3baad1028aee
- addresses:
  - 10.42.1.76
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-76
    namespace: reproduction
    uid: c35a89a4-1c5a-ad0e-a2e3-450fc3a253df
- addresses:
  - 10.42.1.77
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-77
    namespace: reproduction
    uid: 8c231326-29fb-8d2d-abe9-fe8a7f29ad09
- addresses:
  - 10.42.1.78
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-78
    namespace: reproduction
    uid: 2a2e162a-aa03-5854-9aab-cdcee7af9150
- addresses:
  - 10.42.1.79
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-79
    namespace: reproduction
    uid: e7972fb4-d02c-f67b-ab91-69cf45d90ad0
- addresses:
  - 10.42.1.80
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-80
    namespace: reproduction
    uid: a7b41724-9aa0-0fe6-aa2e-6ccd8939be93
- addresses:
  - 10.42.1.81
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-81
    namespace: reproduction
    uid: 2dbe4cbb-83b3-eb15-8304-3d5d8c70427b
- addresses:
  - 10.42.1.82
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-82
    namespace: reproduction
    uid: 3d8f42dd-c238-aa4a-826b-7974b672deb0
- addresses:
  - 10.42.1.83
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-83
    namespace: reproduction
    uid: c7cc7da0-855a-bb05-73e0-712748d2a2a2
- addresses:
  - 10.42.1.84
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-84
    namespace: reproduction
    uid: a7933808-e1e1-95be-e8a9-37905588f42d
- addresses:
  - 10.42.1.85
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-85
    namespace: reproduction
    uid: 50a70025-e38e-7766-c574-c2d99ace4031
- addresses:
  - 10.42.1.86
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-86
    namespace: reproduction
    uid: 8809fd4a-f5c9-9917-67e0-8cdbe3afe052
- addresses:
  - 10.42.1.87
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-87
    namespace: reproduction
    uid: 694b89cb-d312-11e6-91e9-930ec043847d
- addresses:
  - 10.42.1.88
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-88
    namespace: reproduction
    uid: 8cdb33eb-cf98-e3f8-aa5e-a35acc2e1f51
- addresses:
  - 10.42.1.89
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-89
    namespace: reproduction
    uid: 0efe1722-d02b-aa95-26b9-2a6dfc04d364
- addresses:
  - 10.42.1.90
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-90
    namespace: reproduction
    uid: 45538046-c5f4-e695-1fa1-b349eec17b4c
- addresses:
  - 10.42.1.91
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-91
    namespace: reproduction
    uid: c127f4b0-a50d-3555-d1d9-2113e85df7ef
- addresses:
  - 10.42.1.92
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-92
    namespace: reproduction
    uid: 1abb306d-8f98-5baa-b81a-f0b0dea7b0b5
- addresses:
  - 10.42.1.93
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-93
    namespace: reproduction
    uid: 38f0c092-00ed-d101-4b55-08a26ecb858d
- addresses:
  - 10.42.1.94
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-94
    namespace: reproduction
    uid: d0845e96-5f05-5589-69ab-0cef27af1950
- addresses:
  - 10.42.1.95
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-95
    namespace: reproduction
    uid: 55596bd2-695d-0208-9022-3a1e136c7a12
- addresses:
  - 10.42.1.96
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-96
    namespace: reproduction
    uid: 2486b9c0-d100-2cfd-acff-17912122d9a5
- addresses:
  - 10.42.1.97
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-97
    namespace: reproduction
    uid: e5ef17a6-367e-b36b-82b6-3f14ea903c7b
- addresses:
  - 10.42.1.98
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-98
    namespace: reproduction
    uid: 9b7c2aa3-6a41-5793-fc4f-b983c9af106e
- addresses:
  - 10.42.1.99
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-99
    namespace: reproduction
    uid: 42f7c4da-e2ef-ac5a-81e7-4e2c9e373c89
- addresses:
  - 10.42.1.100
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-100
    namespace: reproduction
    uid: 501a510c-4e24-2c74-ae15-dbc8cd9c9202
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
  - 10.42.1.101
  conditions:
    ready: true
    serving: true
    terminating: false
  targetRef:
    kind: Pod
    name: pod-101
    namespace: reproduction
    uid: 5ffccb5a-68f2-de77-55ab-9625b03d82d7
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
