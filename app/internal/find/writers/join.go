package writers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/objects"
	"github.com/slicewright/slicewright/app/internal/find/workloads"
)

// join names the workload behind a writer, where exactly one of that name may
// write the object: a name alone would join unrelated programs, a permission alone
// everyone.
func (f *finder) join(finding *evidence.Finding, e *objects.Endpoints, names ...string) {
	w, several := f.candidate(e, names)
	switch {
	case several:
		finding.Notes = append(finding.Notes, "Several workloads are called so and may write it; which of them did is not known from here.")
	case w != nil:
		take(finding, w)
		finding.Notes = append(finding.Notes, fmt.Sprintf(
			"Joined by name: %s %s/%s is the only workload called so that may write it.", w.Kind, w.Namespace, w.Name))
	}
}

// candidate finds the one workload with one of the names that may write e, and
// stops at the second.
func (f *finder) candidate(e *objects.Endpoints, names []string) (one *workloads.Workload, several bool) {
	for _, name := range names {
		for _, w := range f.called[name] {
			if w == one || !f.grants.MayWrite(w.Account, e.Namespace, e.Name) {
				continue
			}
			if one != nil {
				return nil, true
			}
			one = w
		}
	}
	return one, false
}

// take fills in who a workload is.
func take(finding *evidence.Finding, w *workloads.Workload) {
	finding.Subject.Application = w.Application
	finding.Subject.Owner = w.Owner
	finding.Subject.Workload = w.Workload
	finding.Subject.Images = w.Images
	if w.Account == (workloads.Account{}) {
		return // a static Pod
	}
	finding.Subject.ServiceAccount = w.Account.String()
	finding.Subject.User = w.Account.Username()
}

// byName lists workloads under every name that they go by.
func byName(index *workloads.Index) map[string][]*workloads.Workload {
	out := make(map[string][]*workloads.Workload)
	for _, account := range index.Accounts() {
		for _, w := range index.Of(account) {
			for _, name := range w.Names() {
				out[name] = append(out[name], w)
			}
		}
	}
	return out
}

// isTool: the name of a program that writes what somebody else has decided, or
// of a client library that does not say whose program it is in.
func isTool(manager string) bool {
	switch manager {
	case "helm", "Helm", "argocd-controller", "argocd-application-controller", "kustomize-controller", "helm-controller",
		"before-first-apply", "velero-server", "HashiCorp", "Terraform", "pulumi-kubernetes", "unknown", "",
		// Libraries' default user agents.
		"OpenAPI-Generator", "Swagger-Codegen", "python-requests", "Python-urllib", "Go-http-client", "curl", "Wget", "Mozilla",
		"okhttp", "axios", "node-fetch", "kubernetes-client", "kube-rs":
		return true
	}
	return strings.HasPrefix(manager, "kubectl") || strings.HasPrefix(manager, "fabric8-kubernetes-client") ||
		strings.HasPrefix(manager, "Kubernetes Java Client") || strings.HasPrefix(manager, "terraform-provider-")
}

const mirroringController = "endpointslicemirroring-controller.k8s.io"

// serviceNotes say what hangs on the object.
func (f *finder) serviceNotes(e *objects.Endpoints) []string {
	var notes []string
	service, found := f.service(e)
	switch {
	case !found:
		notes = append(notes, fmt.Sprintf("No Service %s/%s was read.", e.Namespace, e.Name))
	case service.Selector:
		notes = append(notes, fmt.Sprintf("Service %s/%s has a selector, so that the endpoints controller writes there too.", e.Namespace, e.Name))
	}
	mirrored := 0
	var others []string
	for _, slice := range f.slices[nameKey{e.Namespace, e.Name}] {
		if slice.ManagedBy == mirroringController {
			mirrored++
		} else if !slices.Contains(others, slice.ManagedBy) {
			others = append(others, slice.ManagedBy)
		}
	}
	if mirrored > 0 {
		notes = append(notes, fmt.Sprintf(
			"The EndpointSlices of Service %s/%s are mirrored from it (%d): readers of slices depend on it as long as nobody publishes slices.", e.Namespace, e.Name, mirrored))
		if len(others) > 0 {
			slices.Sort(others)
			notes = append(notes, fmt.Sprintf("Beside them stand slices of %s: the same backend may be there twice.", strings.Join(others, ", ")))
		}
	}
	return notes
}
