package writers_test

import (
	"fmt"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/slicewright/slicewright/app/internal/find/objects"
	"github.com/slicewright/slicewright/app/internal/find/rbac"
	"github.com/slicewright/slicewright/app/internal/find/writers"
)

// large is a cluster of 1000 namespaces with 10 Deployments and 100 Pods each,
// a binding for each Deployment and one for everyone.
func large() *objects.Snapshot {
	s := &objects.Snapshot{}
	s.Roles = append(s.Roles, objects.Role{
		Ref:   objects.Ref{Kind: "ClusterRole", Name: "reader"},
		Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"endpoints"}, Verbs: []string{"get", "list", "watch", "update"}}},
	})
	role := rbacv1.RoleRef{Kind: "ClusterRole", Name: "reader"}
	s.Bindings = append(s.Bindings, objects.Binding{
		Ref: objects.Ref{Kind: "ClusterRoleBinding", Name: "all"}, Role: role, Subjects: []rbacv1.Subject{{Kind: "Group", Name: "system:authenticated"}},
	})
	for n := range 1000 {
		namespace := fmt.Sprintf("n%d", n)
		for d := range 10 {
			name := fmt.Sprintf("d%d", d)
			template := objects.PodSpec{ServiceAccount: name, Containers: []objects.Container{{Name: "c", Image: name + ":1"}}}
			deployment := objects.Ref{Kind: "Deployment", Namespace: namespace, Name: name}
			set := objects.Ref{Kind: "ReplicaSet", Namespace: namespace, Name: name + "-1"}
			s.Workloads = append(s.Workloads, objects.Workload{Ref: deployment, Template: &template}, objects.Workload{Ref: set, Controller: deployment})
			for p := range 10 {
				s.Pods = append(s.Pods, objects.Pod{
					Ref: objects.Ref{Kind: "Pod", Namespace: namespace, Name: fmt.Sprintf("%s-%d", name, p)}, Controller: set, Spec: template,
				})
			}
			s.Bindings = append(s.Bindings, objects.Binding{
				Ref: objects.Ref{Kind: "RoleBinding", Namespace: namespace, Name: name}, Role: role,
				Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Name: name}},
			})
			s.Endpoints = append(s.Endpoints, objects.Endpoints{
				Ref: objects.Ref{Kind: "Endpoints", Namespace: namespace, Name: name}, Live: true,
				Managers: []objects.Manager{{Name: name, Subsets: true}},
			})
		}
	}
	return s
}

func BenchmarkFindInALargeCluster(b *testing.B) {
	s := large()
	b.ReportAllocs()
	for b.Loop() {
		findings, _ := writers.Find(s, rbac.Analyze(s))
		if len(findings) == 0 {
			b.Fatal("no findings")
		}
	}
}
