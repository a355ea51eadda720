package live

//lint:file-ignore SA1019 the deprecated API is what is compared

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/slicewright/slicewright/app/internal/shadow"
	"github.com/slicewright/slicewright/endpointset"
	"github.com/slicewright/slicewright/internal/manifest"
)

// maxManifest bounds a document, in bytes: a dump of a large cluster has some
// hundred megabytes.
const maxManifest = 1 << 30

// Files are objects from manifests, compared as they are: they do not change, so
// there is nothing to wait for. The zero value has none.
type Files struct {
	objects objects
	looked  looked
	sources bool // there were Endpoints or slices
}

// Read takes in the objects of a file, a folder (its .yaml, .yml and .json files,
// not deeper) or, for "-", of stdin: YAML or JSON, several documents, Lists.
// Endpoints, EndpointSlices, Services, Pods and Nodes count, others are passed
// over.
func (f *Files) Read(path string, stdin io.Reader) error {
	if path == "-" {
		return f.read("stdin", stdin)
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return f.open(path)
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if entry.Type()&fs.ModeType != 0 || !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(entry.Name())) {
			continue
		}
		if err := f.open(filepath.Join(path, entry.Name())); err != nil {
			return err
		}
	}
	return nil
}

func (f *Files) open(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	return f.read(path, file)
}

func (f *Files) read(name string, r io.Reader) error {
	for docs := manifest.NewReader(r, maxManifest); ; {
		doc, err := docs.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		text := doc.Text
		if err == nil && !doc.JSON {
			text, err = yaml.YAMLToJSON(doc.Text)
		}
		if err == nil {
			err = f.object(text, "", 0)
		}
		if err != nil {
			return fmt.Errorf("%s: document %d, which begins in line %d: %w", name, max(doc.Number, 1), docs.Line(), err)
		}
	}
}

// maxDepth bounds Lists in Lists, which nobody writes on purpose.
const maxDepth = 4

// object takes in one object or a List of them. Items of a typed list need not
// say what they are themselves; kind is then what the list says.
func (f *Files) object(data json.RawMessage, kind string, depth int) error {
	if text := bytes.TrimSpace(data); len(text) == 0 || bytes.Equal(text, []byte("null")) {
		return nil // nothing but comments
	}
	var head struct {
		metav1.TypeMeta `json:",inline"`
		Items           []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return err
	}
	of := head.APIVersion + " " + head.Kind
	if head.Kind == "" {
		of = kind
	}
	item, isList := lists[of]
	if !isList {
		return f.decode(of, data)
	}
	if depth == maxDepth {
		return fmt.Errorf("kind List is nested more than %d deep", maxDepth)
	}
	f.sawList(item)
	for i, inner := range head.Items {
		if err := f.object(inner, item, depth+1); err != nil {
			return fmt.Errorf("items[%d]: %w", i, err)
		}
	}
	return nil
}

const (
	endpointsKind = "v1 Endpoints"
	sliceKind     = "discovery.k8s.io/v1 EndpointSlice"
	serviceKind   = "v1 Service"
	podKind       = "v1 Pod"
	nodeKind      = "v1 Node"
)

// lists are the kinds of lists and what they are of.
var lists = map[string]string{
	"v1 List": "", "v1 EndpointsList": endpointsKind, "discovery.k8s.io/v1 EndpointSliceList": sliceKind,
	"v1 ServiceList": serviceKind, "v1 PodList": podKind, "v1 NodeList": nodeKind,
}

// sawList notes that a kind was looked at, even if the list is empty: an
// empty PodList says that there are no Pods.
func (f *Files) sawList(kind string) {
	switch kind {
	case endpointsKind, sliceKind:
		f.sources = true
	case serviceKind:
		f.looked.services = true
	case podKind:
		f.looked.pods = true
	case nodeKind:
		f.looked.nodes = true
	}
}

func (f *Files) decode(kind string, data json.RawMessage) error {
	var object metav1.Object
	switch kind {
	case endpointsKind:
		object = &corev1.Endpoints{}
	case sliceKind:
		object = &discoveryv1.EndpointSlice{}
	case serviceKind:
		object = &corev1.Service{}
	case podKind:
		object = &corev1.Pod{}
	case nodeKind:
		object = &corev1.Node{}
	default:
		return nil // beside what counts there is more in a manifest
	}
	if err := json.Unmarshal(data, object); err != nil {
		return fmt.Errorf("%s: %w", kind, err)
	}
	if object.GetName() == "" {
		return fmt.Errorf("%s: metadata.name is missing", kind)
	}
	if object.GetNamespace() == "" && kind != nodeKind {
		object.SetNamespace(metav1.NamespaceDefault) // where kubectl would put it
	}
	f.sawList(kind)
	f.objects.put(object)
	return nil
}

// Compare compares the Services that wanted is true for, all if it is nil. named
// are those that were asked for by name: they are in the report even if nothing
// of them is in the files.
func (f *Files) Compare(now time.Time, named []endpointset.ServiceKey, wanted func(endpointset.ServiceKey) bool, reference Reference) (*shadow.Report, error) {
	if !f.sources {
		return nil, errors.New("there are neither Endpoints nor EndpointSlices in the files: what kubectl get endpoints,endpointslices -o yaml writes is needed")
	}
	services := slices.Clone(named)
	for _, key := range f.objects.known() {
		if !slices.Contains(named, key) && (wanted == nil || wanted(key)) {
			services = append(services, key)
		}
	}
	slices.SortFunc(services, compareKeys)
	parts := make([]shadow.ServiceReport, 0, len(services))
	for _, key := range slices.Compact(services) {
		var h shadow.History
		if f.objects.has(key) {
			in := f.objects.input(key, f.looked)
			in.Reference = reference[key]
			h.Add(now, shadow.Verdict{Judged: true, Still: true, Comparison: shadow.Compare(in)})
		}
		parts = append(parts, h.Report(key, "the files have neither Endpoints nor EndpointSlices of that name"))
	}
	return shadow.NewReport(now, now, 0, parts, f.unread()), nil
}

func (f *Files) unread() []shadow.Unread {
	var all []shadow.Unread
	for _, r := range []struct {
		resource
		seen bool
	}{{nodesResource, f.looked.nodes}, {podsResource, f.looked.pods}, {servicesResource, f.looked.services}} {
		if !r.seen {
			all = append(all, shadow.Unread{Resource: r.name, Problem: "the files have none of them", Effect: r.effect})
		}
	}
	return all
}
