package producer

//lint:file-ignore SA1019 the deprecated API is what this file reads

import (
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"

	corev1 "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/slicewright/slicewright/endpointset"
	"github.com/slicewright/slicewright/internal/manifest"
)

// DefaultConvertManagedBy is the managed-by of converted slices when the caller
// gives none.
const DefaultConvertManagedBy = "convert.slicewright.dev"

// annotationLeaderElection is on an Endpoints object that is the lock of a leader
// election. It is LeaderElectionRecordAnnotationKey of
// k8s.io/client-go/tools/leaderelection/resourcelock, copied because that package
// imports the whole clientset.
const annotationLeaderElection = "control-plane.alpha.kubernetes.io/leader"

// ConvertOptions say how manifests are converted. The zero value is usable.
type ConvertOptions struct {
	// ManagedBy goes on the slices' label, "" for DefaultConvertManagedBy.
	ManagedBy string
	// MaxEndpoints is how many endpoints a slice gets, 0 for DefaultMaxEndpoints.
	MaxEndpoints int
	// Namespace is for objects that name none. "" leaves them without.
	Namespace string
	// StableNames gives each slice a name made of its Service, family and ports
	// instead of a generateName, for tools that apply rather than create.
	StableNames bool
	// Carry converts Roles and ClusterRoles. Without it they are skipped.
	Carry CarryRules
}

// Conversion is what manifests were converted to.
type Conversion struct {
	// Slices say what the Endpoints said, in the order of the manifests.
	Slices []*discovery.EndpointSlice
	// Objects counts the Endpoints objects.
	Objects int
	// Roles are the Roles and ClusterRoles that lacked a rule, with it.
	Roles []runtime.Object
	// Skipped counts the documents and list items of other kinds, and roles that
	// lack nothing.
	Skipped int
	// Warnings are sentences, each with its place: what cannot be known from the
	// manifest, and what a person should look at.
	Warnings []string
}

// Convert turns the Endpoints in a manifest into EndpointSlices, and gives its
// roles the rules for them. data is YAML or
// JSON, of any number of documents and Lists; objects of other kinds are counted
// and skipped. source names it in errors and warnings.
//
// An Endpoints object that cannot be read, that the API server would refuse or
// that is a leader's lock is an error that says where, and so is an incomplete list;
// nothing is returned then.
func Convert(source string, data []byte, options ConvertOptions) (Conversion, error) {
	options.ManagedBy = cmp.Or(options.ManagedBy, DefaultConvertManagedBy)
	if err := ValidateManagedBy(options.ManagedBy); err != nil {
		return Conversion{}, err
	}
	docs, err := documents(source, data)
	if err != nil {
		return Conversion{}, err
	}
	c := converter{options: options}
	for _, doc := range docs {
		if err := c.document(doc); err != nil {
			return Conversion{}, err
		}
	}
	return c.Conversion, nil
}

type converter struct {
	Conversion
	options ConvertOptions
}

// document converts the objects of a document.
func (c *converter) document(doc *document) error {
	value, err := doc.value(false)
	if err != nil {
		return err
	}
	strict := false
	for o, err := range manifest.ObjectsOf(value) {
		at := pathOf(o.Place)
		switch {
		case errors.Is(err, manifest.ErrNoKind):
			// Such as a chart's values beside its manifests.
			c.warn(doc, at, "no Kubernetes object (it has no kind): skipped")
			c.Skipped++
			continue
		case err != nil:
			return doc.errorf(doc.lineOf(at), "%w", err)
		case o.List:
			continue
		}
		endpoints := o.APIVersion == "v1" && o.Kind == "Endpoints"
		if !endpoints && !(isRole(o) && c.options.Carry != nil) {
			c.Skipped++
			continue
		}
		if !strict {
			if _, err := doc.value(true); err != nil {
				return err
			}
			strict = true
		}
		if endpoints {
			err = c.endpoints(doc, o.JSON, at)
		} else {
			err = c.role(doc, o.JSON, at, o.Kind)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// pathOf leads to an object in the Lists of its document.
func pathOf(place manifest.Place) (at path) {
	for _, i := range place.Items {
		at = at.with("items", i)
	}
	return at
}

// endpoints converts one Endpoints object.
func (c *converter) endpoints(doc *document, value []byte, at path) error {
	var endpoints corev1.Endpoints
	if err := doc.decode(value, &endpoints, at); err != nil {
		return err
	}
	r := reader{doc: doc, at: at, name: endpointset.ServiceKey{
		Namespace: cmp.Or(endpoints.Namespace, c.options.Namespace),
		Name:      endpoints.Name,
	}}
	if _, lock := endpoints.Annotations[annotationLeaderElection]; lock {
		r.problem(at.with("metadata", "annotations"), "it is the lock of a leader election (annotation %s), and no Service's: elect by a Lease (coordination.k8s.io/v1) instead, there is nothing to convert", annotationLeaderElection)
		return r.problems.err()
	}
	desired := Desired{
		Service:      r.name,
		ManagedBy:    c.options.ManagedBy,
		MaxEndpoints: c.options.MaxEndpoints,
		Labels:       carried(endpoints.Labels, droppedLabels),
		Annotations:  carried(endpoints.Annotations, droppedAnnotations),
		Subsets:      r.subsets(endpoints.Subsets),
	}
	if err := r.problems.err(); err != nil {
		return err
	}
	slices, err := c.slices(desired)
	if err != nil {
		return doc.errorf(doc.lineOf(at.with("metadata")), "endpoints %w", err)
	}
	r.lookAt(&endpoints)
	c.Slices = append(c.Slices, slices...)
	for _, w := range r.warnings {
		c.warn(doc, w.at, "endpoints %s: %s", r.name, w.text)
	}
	c.Objects++
	return nil
}

// slices packs what is desired as a plan for no slices does.
func (c *converter) slices(desired Desired) ([]*discovery.EndpointSlice, error) {
	nowhere := desired.Service.Namespace == ""
	if nowhere {
		// A manifest may leave the namespace to the person who applies it.
		desired.Service.Namespace = "default"
	}
	plan, err := desired.Plan(nil)
	if err != nil {
		return nil, err
	}
	slices := make([]*discovery.EndpointSlice, plan.Len())
	names := map[string]bool{}
	for i, w := range plan.Writes {
		slices[i] = w.Slice
		slices[i].APIVersion, slices[i].Kind = discovery.SchemeGroupVersion.String(), "EndpointSlice"
		if nowhere {
			slices[i].Namespace = ""
		}
		if c.options.StableNames {
			slices[i].Name, slices[i].GenerateName = stableName(slices[i], names), ""
		}
	}
	return slices, nil
}

// stableName names a slice by what it is for, so that the same input gives the
// same name. Slices that are alike are numbered by way of the hash.
func stableName(s *discovery.EndpointSlice, taken map[string]bool) string {
	for n := 0; ; n++ {
		h := fnv.New32a()
		fmt.Fprintf(h, "%s %s %d", s.AddressType, keyOfPorts(portsOf(s)), n)
		name := fmt.Sprintf("%s%08x", s.GenerateName, h.Sum32())
		if !taken[name] {
			taken[name] = true
			return name
		}
	}
}

func (c *converter) warn(doc *document, at path, format string, args ...any) {
	c.Warnings = append(c.Warnings, fmt.Sprintf("%s: document %d, line %d: %s", doc.source, doc.number, doc.lineOf(at), fmt.Sprintf(format, args...)))
}

// What means something on Endpoints only. The rest is carried over: a Helm
// release still knows its objects, a selector still finds them.
var (
	droppedLabels = map[string]bool{
		labelEndpointsManagedBy:    true,
		discovery.LabelSkipMirror:  true,
		discovery.LabelServiceName: true,
		discovery.LabelManagedBy:   true,
	}
	droppedAnnotations = map[string]bool{
		corev1.EndpointsLastChangeTriggerTime: true, // a moment in the life of another object
		corev1.EndpointsOverCapacity:          true,
		corev1.LastAppliedConfigAnnotation:    true, // it would have kubectl apply compare with Endpoints
	}
)

func carried(have map[string]string, dropped map[string]bool) map[string]string {
	var kept map[string]string
	for k, v := range have {
		if !dropped[k] {
			if kept == nil {
				kept = map[string]string{}
			}
			kept[k] = v
		}
	}
	return kept
}
