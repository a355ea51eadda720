package inventory

import (
	"strings"

	"github.com/slicewright/slicewright/inventory/evidence"
	"github.com/slicewright/slicewright/inventory/workloads"
)

// AttributeWorkloads names the workload of findings that know only a Pod or a
// ServiceAccount, as an audit log does. Permissions would not do for that: who
// asks and is refused has none, and still is somebody's program.
//
// A Pod decides; one that is gone, or none, leaves the one workload that runs
// under the ServiceAccount, and of several none.
func AttributeWorkloads(findings []evidence.Finding, index *workloads.Index) {
	for i := range findings {
		s := &findings[i].Subject
		if s.Workload.Name != "" || s.ServiceAccount == "" {
			continue
		}
		w := workloadOf(*s, index)
		if w == nil {
			continue
		}
		s.Workload = w.Workload
		if len(s.Images) == 0 {
			s.Images = w.Images
		}
		if s.Owner == "" {
			s.Owner = w.Owner
		}
	}
}

func workloadOf(s evidence.Subject, index *workloads.Index) *workloads.Workload {
	// A Pod of the same name under another account is a later one.
	namespace, pod, _ := strings.Cut(s.Pod, "/")
	if w := index.ByPod(namespace, pod); w != nil && w.Account.String() == s.ServiceAccount {
		return w
	}
	namespace, name, _ := strings.Cut(s.ServiceAccount, "/")
	if all := index.Of(workloads.Account{Namespace: namespace, Name: name}); len(all) == 1 {
		return all[0]
	}
	return nil
}
