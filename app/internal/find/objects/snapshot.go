package objects

import (
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Snapshot is what was read of one cluster, or of one set of manifests. The
// zero value is empty and ready for [Snapshot.Add]. The order of its lists
// means nothing. An object defined twice is there twice.
type Snapshot struct {
	Roles           []Role // Roles and ClusterRoles
	Bindings        []Binding
	ServiceAccounts []ServiceAccount
	Workloads       []Workload // everything that has a Pod template
	Pods            []Pod
	Services        []Service
	Endpoints       []Endpoints
	Slices          []Slice
}

// Len counts the objects.
func (s *Snapshot) Len() int {
	return len(s.Roles) + len(s.Bindings) + len(s.ServiceAccounts) + len(s.Workloads) +
		len(s.Pods) + len(s.Services) + len(s.Endpoints) + len(s.Slices)
}

// Append adds everything that other has.
func (s *Snapshot) Append(other *Snapshot) {
	s.Roles = append(s.Roles, other.Roles...)
	s.Bindings = append(s.Bindings, other.Bindings...)
	s.ServiceAccounts = append(s.ServiceAccounts, other.ServiceAccounts...)
	s.Workloads = append(s.Workloads, other.Workloads...)
	s.Pods = append(s.Pods, other.Pods...)
	s.Services = append(s.Services, other.Services...)
	s.Endpoints = append(s.Endpoints, other.Endpoints...)
	s.Slices = append(s.Slices, other.Slices...)
}

// Ref names an object. The namespace of a cluster-scoped one is "".
type Ref struct {
	Kind, Namespace, Name string
}

// String is "Kind/namespace/name", or "Kind/name" where there is no namespace:
// the form that a locator has for an object of a cluster.
func (r Ref) String() string {
	if r.Namespace == "" {
		return r.Kind + "/" + r.Name
	}
	return r.Kind + "/" + r.Namespace + "/" + r.Name
}

// Locators say where an object was read. The zero value is that of an object of a
// cluster, whose locator is its Ref.
type Locators struct {
	// Kind is file:line:column of the kind key.
	Kind string
	// Rules are file:line:column of the resources key of each rule of a role.
	Rules []string
}

// Of is where to look up the object ref that was read at l.
func (l Locators) Of(ref Ref) string {
	if l.Kind == "" {
		return ref.String()
	}
	return l.Kind
}

// OfRule is where to look up rule i of the role ref that was read at l.
func (l Locators) OfRule(ref Ref, i int) string {
	if i < len(l.Rules) && l.Rules[i] != "" {
		return l.Rules[i]
	}
	return l.Of(ref)
}

// Role is a Role or a ClusterRole, told apart by its Kind.
type Role struct {
	Ref
	Labels map[string]string
	Rules  []rbacv1.PolicyRule
	// Aggregation selects, by label, the ClusterRoles whose rules this one has
	// too. Any selector is enough.
	Aggregation []metav1.LabelSelector
	Locators    Locators
}

// Binding is a RoleBinding or a ClusterRoleBinding, told apart by its Kind.
type Binding struct {
	Ref
	// Bootstrap: the API server made it, as it makes it in every cluster.
	Bootstrap bool
	Role      rbacv1.RoleRef
	Subjects  []rbacv1.Subject
	Locators  Locators
}

// ServiceAccount is an identity that Pods run under.
type ServiceAccount struct {
	Ref
	// Automount says whether Pods get its token unless they say otherwise; nil
	// is true.
	Automount *bool
	Locators  Locators
}

// PodSpec is what a Pod, or the template of one, says about who runs in it.
type PodSpec struct {
	// ServiceAccount is never "": if the Pod names no account, it is "default".
	ServiceAccount string
	// Automount is nil where the ServiceAccount decides.
	Automount *bool
	// OwnToken: a volume mounts a ServiceAccount token whatever Automount says.
	OwnToken    bool
	Containers  []Container // with init and ephemeral ones: all share the identity
	Labels      map[string]string
	Annotations map[string]string
}

// Container is one container of a Pod or a template.
type Container struct {
	Name, Image string
	// Digest is the registry's digest of what really runs, "sha256:…"; "" in a
	// template, and where the runtime reports only an ID of its own.
	Digest string
}

// Workload is a Deployment, StatefulSet, DaemonSet, ReplicaSet,
// ReplicationController, Job or CronJob.
type Workload struct {
	Ref
	Labels, Annotations map[string]string
	// Controller is the object that made this one; the zero value is nothing.
	Controller Ref
	// Template is nil where only the metadata was read.
	Template *PodSpec
	// Idle says why no Pod of it is expected now: "scaled to zero",
	// "suspended", "finished". "" otherwise.
	Idle     string
	Locators Locators
}

// Pod is a Pod that was there when the snapshot was taken.
type Pod struct {
	Ref
	Controller Ref
	// Static: the kubelet made it from a file of its own, and what is seen here
	// is its mirror. It has no ServiceAccount.
	Static bool
	// Node is the one that it is bound to.
	Node     string
	Spec     PodSpec
	Locators Locators
}

// Service is a Service. Endpoints and slices of its name are made from its
// selector, or without a selector by somebody else.
type Service struct {
	Ref
	Selector bool
	Locators Locators
}

// Endpoints is an object of kind Endpoints without its addresses.
type Endpoints struct {
	Ref
	// Live: an API server has stored it. False for a manifest not yet applied.
	Live bool
	// ManagedBy is the value of the label endpoints.kubernetes.io/managed-by.
	ManagedBy string
	// Leader is the annotation with which client-go's old lock marks an
	// Endpoints object: a JSON record.
	Leader string
	// AnnotationKeys are sorted.
	AnnotationKeys []string
	Labels         map[string]string
	// Managers are empty where the dump left them out, as kubectl does unless
	// it is told --show-managed-fields.
	Managers []Manager
	Locators Locators
}

// Manager is one entry of managedFields, reduced to what it was that somebody
// wrote.
type Manager struct {
	Name      string
	Operation string
	Time      *time.Time
	// Subsets: it wrote addresses or ports. Annotations: it wrote annotations.
	Subsets, Annotations bool
	// ManagedByLabel: it wrote the label endpoints.kubernetes.io/managed-by.
	ManagedByLabel bool
}

// Slice is an EndpointSlice without its endpoints.
type Slice struct {
	Ref
	Service   string // by label, S1
	ManagedBy string
	Locators  Locators
}
