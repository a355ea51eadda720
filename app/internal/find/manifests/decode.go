package manifests

import (
	"fmt"
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/objects"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/json"

	"go.yaml.in/yaml/v3"

	"github.com/slicewright/slicewright/app/internal/yamlnode"
	"github.com/slicewright/slicewright/internal/manifest"
)

// origin is the file of a tree, and how many lines stand before the document
// that the tree is of.
type origin struct {
	file   string
	offset int
	// place says where a line of rendered text was written; nil for a file.
	place func(line, column int) string
}

func (o origin) at(n *yaml.Node) string { return o.locate(n.Line+o.offset, n.Column) }

func (o origin) locate(line, column int) string {
	if o.place != nil {
		return o.place(line, column)
	}
	return fmt.Sprintf("%s:%d:%d", o.file, line, column)
}

// maxLists bounds Lists in Lists. kubectl makes none.
const maxLists = 8

// readNode reads an object, or the objects of a List.
func (r *reader) readNode(from origin, n *yaml.Node, list typeMeta, lists int) {
	n = yamlnode.Target(n)
	if n == nil || n.ShortTag() == "!!null" {
		return
	}
	meta := typeMetaOf(n)
	if meta.kind == "" {
		meta = typeMeta{list.apiVersion, strings.TrimSuffix(list.kind, "List")}
	}
	if meta.kind != "" || list.kind != "" {
		r.hasKind()
	}
	if n.Kind != yaml.MappingNode || meta.kind == "" {
		r.noKind(from.at(n))
		return
	}
	if _, items := yamlnode.Field(n, "items"); items != nil && items.Kind == yaml.SequenceNode && strings.HasSuffix(meta.kind, "List") {
		if lists == maxLists {
			r.skip(from.at(n), "is a List in a List in a List, deeper than is read")
			return
		}
		if _, metadata := yamlnode.Field(n, "metadata"); yamlnode.Text(metadata, "continue") != "" {
			r.skip(from.at(n), manifest.ErrIncomplete.Error())
		}
		for _, item := range items.Content {
			r.readNode(from, item, meta, lists+1)
		}
		return
	}
	kindKey, _ := yamlnode.Field(n, "kind")
	if kindKey == nil {
		kindKey = n
	}
	if _, version := yamlnode.Field(n, "apiVersion"); version != nil && version.Kind != yaml.ScalarNode && meta.kind != "" {
		r.skip(from.at(kindKey), objects.Clean(meta.kind)+": has no text for an apiVersion, as an unrendered {{ }} makes it: "+renderFirst)
		return
	}
	object := newObject(meta)
	if object == nil {
		return
	}
	if err := r.decode(n, object, meta.kind); err != nil {
		r.skip(from.at(kindKey), fmt.Sprintf("%s %s: %v", objects.Clean(meta.kind), objects.Clean(nameOf(n)), plainError(err)))
		return
	}
	place := objects.Place{Kind: from.at(kindKey), Rules: rulePlaces(from, n)}
	if err := r.snapshot.Add(object, place); err != nil {
		r.skip(place.Kind, fmt.Sprintf("%s: %v", objects.Clean(meta.kind), err))
	}
}

// decode fills object from the tree and gives it a namespace where it needs one.
func (r *reader) decode(n *yaml.Node, object runtime.Object, kind string) error {
	// Addresses are not the inventory's business, and a dump has many.
	data, err := toJSON(without(n, "subsets", "endpoints"))
	if err != nil {
		return err
	}
	if err := json.UnmarshalCaseSensitivePreserveInts(data, object); err != nil {
		return fmt.Errorf("is not what the API server takes: %w", err)
	}
	meta := object.(metav1.Object)
	switch {
	case kind == "ClusterRole" || kind == "ClusterRoleBinding":
		meta.SetNamespace("")
	case meta.GetNamespace() == "":
		r.defaulted++
		meta.SetNamespace(r.opts.Namespace)
	}
	return nil
}

// newObject makes an empty object of a kind that a Snapshot has, else nil. The
// version does not matter: the fields that are read are the same in each that a
// cluster has served.
func newObject(meta typeMeta) runtime.Object {
	group, _, found := strings.Cut(meta.apiVersion, "/")
	if !found {
		group = ""
	}
	switch group {
	case "":
		switch meta.kind {
		case "Pod":
			return &corev1.Pod{}
		case "Service":
			return &corev1.Service{}
		case "ServiceAccount":
			return &corev1.ServiceAccount{}
		case "Endpoints":
			//lint:ignore SA1019 who writes the deprecated objects is what is asked
			return &corev1.Endpoints{}
		case "ReplicationController":
			return &corev1.ReplicationController{}
		}
	case "apps", "extensions":
		switch meta.kind {
		case "Deployment":
			return &appsv1.Deployment{}
		case "StatefulSet":
			return &appsv1.StatefulSet{}
		case "DaemonSet":
			return &appsv1.DaemonSet{}
		case "ReplicaSet":
			return &appsv1.ReplicaSet{}
		}
	case "batch":
		switch meta.kind {
		case "Job":
			return &batchv1.Job{}
		case "CronJob":
			return &batchv1.CronJob{}
		}
	case "rbac.authorization.k8s.io":
		switch meta.kind {
		case "Role":
			return &rbacv1.Role{}
		case "ClusterRole":
			return &rbacv1.ClusterRole{}
		case "RoleBinding":
			return &rbacv1.RoleBinding{}
		case "ClusterRoleBinding":
			return &rbacv1.ClusterRoleBinding{}
		}
	case "discovery.k8s.io":
		if meta.kind == "EndpointSlice" {
			return &discoveryv1.EndpointSlice{}
		}
	}
	return nil
}

// without is a mapping less some of its outermost keys.
func without(n *yaml.Node, names ...string) *yaml.Node {
	out := *n
	out.Content = nil
	for i := 0; i+1 < len(n.Content); i += 2 {
		drop := false
		for _, name := range names {
			drop = drop || n.Content[i].Value == name
		}
		if !drop {
			out.Content = append(out.Content, n.Content[i], n.Content[i+1])
		}
	}
	return &out
}

// rulePlaces locates the resources key of every rule, or the rule where it has
// none.
func rulePlaces(from origin, n *yaml.Node) []string {
	_, rules := yamlnode.Field(n, "rules")
	if rules == nil || rules.Kind != yaml.SequenceNode {
		return nil
	}
	places := make([]string, len(rules.Content))
	for i, rule := range rules.Content {
		at := rule
		if key, _ := yamlnode.Field(rule, "resources"); key != nil {
			at = key
		}
		places[i] = from.at(at)
	}
	return places
}

func nameOf(n *yaml.Node) string {
	_, metadata := yamlnode.Field(n, "metadata")
	return yamlnode.Text(metadata, "name")
}
