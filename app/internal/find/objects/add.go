package objects

import (
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/validate/content"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/slicewright/slicewright/internal/text"
)

// bootstrapLabel marks, with the value bootstrapValue, the roles and bindings
// that the API server makes by itself in every cluster.
const (
	bootstrapLabel = "kubernetes.io/bootstrapping"
	bootstrapValue = "rbac-defaults"
)

// Bootstrap says whether the API server made the role, as it does in every
// cluster.
func (r Role) Bootstrap() bool { return r.Labels[bootstrapLabel] == bootstrapValue }

// Add copies what matters of object into the snapshot. It takes the API types
// of the kinds that a Snapshot has, and for Endpoints, EndpointSlices,
// ReplicaSets and ReplicationControllers also a PartialObjectMetadata that says
// its kind. It keeps no reference to object.
//
// It fails, and adds nothing, if object has another type, or a name or a namespace
// that no API server would store.
func (s *Snapshot) Add(object runtime.Object, at Locators) error {
	accessor, ok := object.(metav1.Object)
	if !ok {
		return fmt.Errorf("%T is no object that the inventory reads", object)
	}
	if err := checkNames(accessor); err != nil {
		return err
	}
	switch o := object.(type) {
	case *rbacv1.Role:
		return s.addRole(Role{Ref: refOf("Role", o), Labels: clone(o.Labels), Rules: o.Rules, Locators: at})
	case *rbacv1.ClusterRole:
		role := Role{Ref: refOf("ClusterRole", o), Labels: clone(o.Labels), Rules: o.Rules, Locators: at}
		if o.AggregationRule != nil {
			role.Aggregation = o.AggregationRule.DeepCopy().ClusterRoleSelectors
		}
		return s.addRole(role)
	case *rbacv1.RoleBinding:
		return s.addBinding("RoleBinding", o, o.RoleRef, o.Subjects, at)
	case *rbacv1.ClusterRoleBinding:
		return s.addBinding("ClusterRoleBinding", o, o.RoleRef, o.Subjects, at)
	case *corev1.ServiceAccount:
		s.ServiceAccounts = append(s.ServiceAccounts, ServiceAccount{
			Ref: refOf("ServiceAccount", o), Automount: o.AutomountServiceAccountToken, Locators: at,
		})
	case *corev1.Pod:
		s.Pods = append(s.Pods, podFrom(o, at))
	case *corev1.Service:
		s.Services = append(s.Services, Service{Ref: refOf("Service", o), Selector: len(o.Spec.Selector) > 0, Locators: at})
	//lint:ignore SA1019 who writes the deprecated objects is what is asked
	case *corev1.Endpoints:
		s.Endpoints = append(s.Endpoints, endpointsFrom(o, at))
	case *discoveryv1.EndpointSlice:
		s.Slices = append(s.Slices, sliceFrom(o, at))
	case *metav1.PartialObjectMetadata:
		return s.addMetadata(o, at)
	default:
		w, ok := workloadFrom(object, at)
		if !ok {
			return fmt.Errorf("%T is no object that the inventory reads", object)
		}
		s.Workloads = append(s.Workloads, w)
	}
	return nil
}

// addMetadata takes the kinds whose metadata alone says enough: what is in an
// Endpoints object is nobody's business here, and a ReplicaSet is a hop to its
// Deployment.
func (s *Snapshot) addMetadata(o *metav1.PartialObjectMetadata, at Locators) error {
	switch o.Kind {
	case "Endpoints":
		s.Endpoints = append(s.Endpoints, endpointsFrom(o, at))
	case "EndpointSlice":
		s.Slices = append(s.Slices, sliceFrom(o, at))
	case "ReplicaSet", "ReplicationController":
		s.Workloads = append(s.Workloads, Workload{
			Ref: refOf(o.Kind, o), Labels: kept(o.Labels), Annotations: kept(o.Annotations),
			Controller: controllerOf(o), Locators: at,
		})
	default:
		return fmt.Errorf("metadata alone of kind %q says too little", o.Kind)
	}
	return nil
}

func (s *Snapshot) addRole(role Role) error {
	rules := make([]rbacv1.PolicyRule, len(role.Rules))
	for i := range role.Rules {
		role.Rules[i].DeepCopyInto(&rules[i])
	}
	role.Rules = rules
	for _, rule := range rules {
		for _, name := range rule.ResourceNames {
			if !printable(name) {
				return fmt.Errorf("a resource name of a rule has characters that no name has: %.80q", name)
			}
		}
	}
	s.Roles = append(s.Roles, role)
	return nil
}

func (s *Snapshot) addBinding(kind string, o metav1.Object, role rbacv1.RoleRef, subjects []rbacv1.Subject, at Locators) error {
	if !printable(role.Kind) || !printable(role.Name) {
		return fmt.Errorf("the roleRef has characters that no name has: %.80q", role.Name)
	}
	for _, subject := range subjects {
		if !printable(subject.Name) || !printable(subject.Namespace) {
			return fmt.Errorf("a subject has characters that no name has: %.80q", subject.Name)
		}
	}
	s.Bindings = append(s.Bindings, Binding{
		Ref: refOf(kind, o), Bootstrap: o.GetLabels()[bootstrapLabel] == bootstrapValue,
		Role: role, Subjects: slices.Clone(subjects), Locators: at,
	})
	return nil
}

func workloadFrom(object runtime.Object, at Locators) (Workload, bool) {
	switch o := object.(type) {
	case *appsv1.Deployment:
		return newWorkload("Deployment", o, &o.Spec.Template, scaledToZero(o.Spec.Replicas), at), true
	case *appsv1.StatefulSet:
		return newWorkload("StatefulSet", o, &o.Spec.Template, scaledToZero(o.Spec.Replicas), at), true
	case *appsv1.DaemonSet:
		return newWorkload("DaemonSet", o, &o.Spec.Template, "", at), true
	case *appsv1.ReplicaSet:
		// One that has an owner is a hop, and a cluster is asked only for its
		// metadata: a dump must not know more.
		if controllerOf(o) != (Ref{}) {
			return newWorkload("ReplicaSet", o, nil, "", at), true
		}
		return newWorkload("ReplicaSet", o, &o.Spec.Template, scaledToZero(o.Spec.Replicas), at), true
	case *corev1.ReplicationController:
		return newWorkload("ReplicationController", o, o.Spec.Template, scaledToZero(o.Spec.Replicas), at), true
	case *batchv1.Job:
		idle := ""
		switch {
		case o.Spec.Suspend != nil && *o.Spec.Suspend:
			idle = "suspended"
		case o.Status.CompletionTime != nil:
			idle = "finished"
		}
		return newWorkload("Job", o, &o.Spec.Template, idle, at), true
	case *batchv1.CronJob:
		idle := ""
		if o.Spec.Suspend != nil && *o.Spec.Suspend {
			idle = "suspended"
		}
		return newWorkload("CronJob", o, &o.Spec.JobTemplate.Spec.Template, idle, at), true
	}
	return Workload{}, false
}

func scaledToZero(replicas *int32) string {
	if replicas != nil && *replicas == 0 {
		return "scaled to zero"
	}
	return ""
}

func newWorkload(kind string, o metav1.Object, template *corev1.PodTemplateSpec, idle string, at Locators) Workload {
	w := Workload{
		Ref: refOf(kind, o), Labels: kept(o.GetLabels()), Annotations: kept(o.GetAnnotations()),
		Controller: controllerOf(o), Idle: idle, Locators: at,
	}
	if template != nil {
		spec := podSpecFrom(&template.Spec, &template.ObjectMeta)
		w.Template = &spec
	}
	return w
}

// mirrorAnnotation is on the image that a kubelet shows of a static Pod.
const mirrorAnnotation = "kubernetes.io/config.mirror"

func podFrom(o *corev1.Pod, at Locators) Pod {
	pod := Pod{Ref: refOf("Pod", o), Controller: controllerOf(o), Spec: podSpecFrom(&o.Spec, &o.ObjectMeta), Locators: at}
	_, mirror := o.Annotations[mirrorAnnotation]
	pod.Static = mirror || pod.Controller.Kind == "Node"
	pod.Node = o.Spec.NodeName

	// Joined by container name, never by image: the status spells the image as
	// the runtime does, "docker.io/library/x:1" for "x:1".
	digests := make(map[string]string)
	for _, list := range [][]corev1.ContainerStatus{
		o.Status.ContainerStatuses, o.Status.InitContainerStatuses, o.Status.EphemeralContainerStatuses,
	} {
		for _, status := range list {
			digests[status.Name] = digestOf(status.ImageID)
		}
	}
	for i := range pod.Spec.Containers {
		c := &pod.Spec.Containers[i]
		if digest := digests[c.Name]; digest != "" {
			c.Digest = digest
		}
	}
	return pod
}

func podSpecFrom(spec *corev1.PodSpec, meta *metav1.ObjectMeta) PodSpec {
	out := PodSpec{
		ServiceAccount: spec.ServiceAccountName,
		Automount:      spec.AutomountServiceAccountToken,
		Labels:         kept(meta.Labels),
		Annotations:    kept(meta.Annotations),
	}
	if out.ServiceAccount == "" {
		out.ServiceAccount = spec.DeprecatedServiceAccount
	}
	if out.ServiceAccount == "" {
		out.ServiceAccount = "default"
	}
	for _, list := range [][]corev1.Container{spec.InitContainers, spec.Containers} {
		for i := range list {
			out.addContainer(list[i].Name, list[i].Image)
		}
	}
	for i := range spec.EphemeralContainers {
		out.addContainer(spec.EphemeralContainers[i].Name, spec.EphemeralContainers[i].Image)
	}
	for i := range spec.Volumes {
		projected := spec.Volumes[i].Projected
		if projected == nil {
			continue
		}
		// The API server adds such a volume to each Pod that gets its token by
		// itself, under a name with this prefix. Such a volume is no evidence of a
		// wish of one's own.
		if strings.HasPrefix(spec.Volumes[i].Name, "kube-api-access-") {
			continue
		}
		for _, source := range projected.Sources {
			// Another audience than the API server's is of no use there.
			if source.ServiceAccountToken != nil && source.ServiceAccountToken.Audience == "" {
				out.OwnToken = true
			}
		}
	}
	return out
}

func (p *PodSpec) addContainer(name, image string) {
	// A digest in the reference is what runs: the runtime can fetch nothing else.
	p.Containers = append(p.Containers, Container{Name: Clean(name), Image: Clean(image), Digest: digestOf(image)})
}

// digestOf takes the registry digest out of an image reference or an imageID. A
// bare "sha256:…" is the runtime's own ID of an image that no registry gave it:
// it hashes something else, and to take it for a digest would match wrongly.
func digestOf(reference string) string {
	_, digest, found := strings.Cut(reference, "@")
	if !found {
		return ""
	}
	return Clean(digest)
}

func refOf(kind string, o metav1.Object) Ref {
	return Ref{Kind: kind, Namespace: o.GetNamespace(), Name: o.GetName()}
}

func controllerOf(o metav1.Object) Ref {
	for _, owner := range o.GetOwnerReferences() {
		if owner.Controller != nil && *owner.Controller {
			namespace := o.GetNamespace()
			if owner.Kind == "Node" {
				namespace = ""
			}
			return Ref{Kind: Clean(owner.Kind), Namespace: namespace, Name: Clean(owner.Name)}
		}
	}
	return Ref{}
}

func checkNames(o metav1.Object) error {
	if o.GetName() == "" {
		return fmt.Errorf("metadata.name is missing")
	}
	for _, name := range []string{o.GetName(), o.GetNamespace()} {
		if problems := content.IsPathSegmentName(name); len(problems) > 0 {
			return fmt.Errorf("the name %.80q %s", name, problems[0])
		}
		if !printable(name) {
			return fmt.Errorf("the name %.80q has characters that no name has", name)
		}
	}
	return nil
}

// maxName is above every length that Kubernetes allows a name (253).
const maxName = 512

func printable(s string) bool {
	return len(s) <= maxName && text.Printable(s)
}

// Clean is a text that will be shown, at most as long as a name can be.
func Clean(s string) string { return text.Line(text.Clip(s, maxName)) }

// kept are the labels or annotations from which an application or its owner can
// be proposed, and the hash with which a Deployment names its ReplicaSets. A
// Pod's others can be large (annotations up to 256 KiB) and say nothing here.
func kept(all map[string]string) map[string]string {
	var out map[string]string
	for key, value := range all {
		if !keptKey(key) || value == "" {
			continue
		}
		if out == nil {
			out = make(map[string]string)
		}
		out[key] = Clean(value)
	}
	return out
}

func keptKey(key string) bool {
	if strings.HasPrefix(key, "app.kubernetes.io/") {
		return true
	}
	switch key {
	case "app", "k8s-app", "pod-template-hash":
		return true
	}
	// "team" and "owner" are conventions, with or without an organisation's
	// prefix: example.com/team, a8r.io/owner.
	_, name, found := strings.Cut(key, "/")
	if !found {
		name = key
	}
	return (name == "team" || name == "owner") && len(key) <= 317 && printable(key)
}

func clone(labels map[string]string) map[string]string {
	if len(labels) == 0 {
		return nil
	}
	out := make(map[string]string, len(labels))
	for k, v := range labels {
		out[k] = v
	}
	return out
}
