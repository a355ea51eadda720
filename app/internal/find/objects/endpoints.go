package objects

import (
	"encoding/json"
	"slices"

	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// managedByLabel is set by the endpoints controller since Kubernetes 1.33.
	managedByLabel = "endpoints.kubernetes.io/managed-by"
	// leaderAnnotation is where client-go's Endpoints lock kept its record:
	// LeaderElectionRecordAnnotationKey of k8s.io/client-go/tools/leaderelection/resourcelock,
	// copied because that package brings all of client-go.
	leaderAnnotation = "control-plane.alpha.kubernetes.io/leader"
	// maxLeader is many times a record's length (some 200 bytes).
	maxLeader = 4096
)

func endpointsFrom(o metav1.Object, at Locators) Endpoints {
	e := Endpoints{
		Ref:       refOf("Endpoints", o),
		Live:      o.GetUID() != "" || o.GetResourceVersion() != "",
		ManagedBy: Clean(o.GetLabels()[managedByLabel]),
		Labels:    kept(o.GetLabels()),
		Locators:  at,
	}
	for key, value := range o.GetAnnotations() {
		e.AnnotationKeys = append(e.AnnotationKeys, Clean(key))
		if key == leaderAnnotation && len(value) <= maxLeader {
			e.Leader = value
		}
	}
	slices.Sort(e.AnnotationKeys)
	for _, entry := range o.GetManagedFields() {
		e.Managers = append(e.Managers, managerFrom(entry))
	}
	return e
}

// managerFrom reads one entry of managedFields. Its FieldsV1 is a JSON tree in
// which a key f:x stands for a field x that was written.
func managerFrom(entry metav1.ManagedFieldsEntry) Manager {
	m := Manager{Name: Clean(entry.Manager), Operation: string(entry.Operation)}
	if entry.Time != nil {
		t := entry.Time.UTC()
		m.Time = &t
	}
	if entry.FieldsV1 == nil {
		return m
	}
	var fields struct {
		Subsets  json.RawMessage `json:"f:subsets"`
		Metadata struct {
			Labels      map[string]json.RawMessage `json:"f:labels"`
			Annotations map[string]json.RawMessage `json:"f:annotations"`
		} `json:"f:metadata"`
	}
	// A tree that does not parse is a manager of whom only the name is known.
	if json.Unmarshal(entry.FieldsV1.GetRawBytes(), &fields) != nil {
		return m
	}
	m.Subsets = fields.Subsets != nil
	m.Annotations = len(fields.Metadata.Annotations) > 0
	_, m.ManagedByLabel = fields.Metadata.Labels["f:"+managedByLabel]
	return m
}

func sliceFrom(o metav1.Object, at Locators) Slice {
	return Slice{
		Ref:       refOf("EndpointSlice", o),
		Service:   Clean(o.GetLabels()[discoveryv1.LabelServiceName]),
		ManagedBy: Clean(o.GetLabels()[discoveryv1.LabelManagedBy]),
		Locators:  at,
	}
}
