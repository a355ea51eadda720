package rbac_test

import (
	"fmt"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/slicewright/slicewright/app/internal/find/manifests"
	"github.com/slicewright/slicewright/app/internal/find/rbac"
)

func ExampleAnalyze() {
	const documents = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: sync, namespace: prod}
rules:
- apiGroups: [""]
  resources: [endpoints]
  verbs: [list, watch]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: sync, namespace: prod}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: sync}
subjects: [{kind: ServiceAccount, name: sync}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: upstream-sync, namespace: prod}
spec: {template: {spec: {serviceAccountName: sync, containers: [{name: sync, image: "sync:1"}]}}}
`
	snapshot, _ := manifests.ReadStream("app.yaml", strings.NewReader(documents), manifests.Options{})
	analysis := rbac.Analyze(snapshot)
	for _, f := range analysis.Findings {
		fmt.Println(f.Confidence, f.Class, f.Subject.Workload.Kind, f.Subject.Application, f.Evidence[0].Locator)
	}
	for _, p := range analysis.Patches {
		fmt.Print(p.YAML())
	}
	// Output:
	// possible reader Deployment upstream-sync app.yaml:7:3
	// # Role/prod/sync
	// rules: # add
	// - apiGroups: ["discovery.k8s.io"]
	//   resources: ["endpointslices"]
	//   verbs: ["list", "watch"]
}

func ExampleCarry() {
	added, err := rbac.Carry([]rbacv1.PolicyRule{
		{APIGroups: []string{""}, Resources: []string{"endpoints", "services"}, Verbs: []string{"get", "watch"}},
		{APIGroups: []string{""}, Resources: []string{"endpoints"}, ResourceNames: []string{"lock"}, Verbs: []string{"update"}},
	})
	fmt.Println(added[0].Resources, added[0].Verbs)
	fmt.Println(err != nil)
	// Output:
	// [endpointslices] [get list watch]
	// true
}
