package pipeline

import (
	"cmp"
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/workloads"
)

// attributeWorkloads names the workload of findings that know only a Pod or a
// ServiceAccount, as an audit log does. Permissions cannot tell: a
// program whose requests are refused has no permission.
//
// The Pod decides. If it is unknown or gone, the only workload of the
// ServiceAccount is taken; several leave the question open.
func attributeWorkloads(findings []evidence.Finding, index *workloads.Index) {
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

// attributeStaticPods names the static Pod that source, or a user with a
// certificate, is: the one whose image, container or name is the program's name.
// Static Pods have no ServiceAccount, so that no grant and no token leads to them;
// a note says on what the workload rests.
func attributeStaticPods(findings []evidence.Finding, index *workloads.Index) {
	called := make(map[string][]*workloads.Workload)
	for _, w := range index.Static() {
		for _, name := range w.Names() {
			called[name] = append(called[name], w)
		}
	}
	for i := range findings {
		f := &findings[i]
		s := &f.Subject
		if s.Workload.Name != "" || s.ServiceAccount != "" || f.Class == evidence.Expected || f.Class == evidence.Tooling {
			continue
		}
		name := s.Application
		if s.User != "" {
			// A kubeconfig can be used with any program: only a user of the program's
			// own name is the program.
			name = s.User[strings.LastIndexByte(s.User, ':')+1:]
		}
		if all := called[name]; len(all) == 1 {
			w := all[0]
			s.Workload, s.Images, s.Owner = w.Workload, w.Images, cmp.Or(s.Owner, w.Owner)
			f.Notes = append(f.Notes, "Joined by name: "+w.Namespace+"/"+w.Name+" is the only static Pod called so. Which credentials it has is in files on its nodes.")
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
