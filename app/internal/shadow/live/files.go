package live

//lint:file-ignore SA1019 the deprecated API is what is compared

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
// over. A file that does not say everything is an error: one with an incomplete
// list, or with something that has no kind beside objects.
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
	for o, err := range manifest.Objects(r, maxManifest) {
		switch {
		case err != nil:
		case o.List:
			item, _ := strings.CutSuffix(o.APIVersion+" "+o.Kind, "List")
			f.sawList(item)
		default:
			if err = f.decode(o.APIVersion+" "+o.Kind, o.JSON); err != nil {
				err = o.Place.Errorf("%w", err)
			}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
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
