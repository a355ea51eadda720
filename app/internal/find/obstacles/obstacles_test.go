package obstacles_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/manifests"
	"github.com/slicewright/slicewright/app/internal/find/obstacles"
	"github.com/slicewright/slicewright/app/internal/find/rbac"
	"github.com/slicewright/slicewright/app/internal/find/registry"
)

func find(t *testing.T, documents ...string) ([]evidence.Obstacle, []evidence.Finding, *rbac.Analysis) {
	t.Helper()
	fsys := fstest.MapFS{"in.yaml": &fstest.MapFile{Data: []byte(strings.Join(documents, "\n---\n"))}}
	snapshot, coverage, err := manifests.Read(t.Context(), fsys, manifests.Options{})
	if err != nil || len(coverage.Problems) > 0 {
		t.Fatalf("the manifests of the test: %v %v", err, coverage.Problems)
	}
	grants := rbac.Analyze(snapshot)
	list, findings := obstacles.Find(snapshot, grants)
	return list, findings, grants
}

func service(name, selector string) string {
	return fmt.Sprintf("{apiVersion: v1, kind: Service, metadata: {name: %s, namespace: shop}, spec: {selector: {%s}}}", name, selector)
}

func slice(service, n, manager string) string {
	label := ""
	if manager != "" {
		label = ", endpointslice.kubernetes.io/managed-by: " + manager
	}
	return fmt.Sprintf("{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, addressType: IPv4, metadata: {name: %s-%s, namespace: shop, labels: {kubernetes.io/service-name: %s%s}}, endpoints: []}", service, n, service, label)
}

func endpoints(name string, managers ...string) string {
	var entries []string
	for _, m := range managers {
		entries = append(entries, fmt.Sprintf(`{manager: %q, operation: Update, apiVersion: v1, time: "2026-01-02T03:04:05Z", fieldsType: FieldsV1, fieldsV1: {"f:subsets":{}}}`, m))
	}
	return fmt.Sprintf("{apiVersion: v1, kind: Endpoints, metadata: {name: %s, namespace: shop, uid: u, managedFields: [%s]}, subsets: [{addresses: [{ip: 10.0.0.1}]}]}", name, strings.Join(entries, ", "))
}

const (
	mirroring  = "endpointslicemirroring-controller.k8s.io"
	controller = "endpointslice-controller.k8s.io"
	publisher  = `{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: w, namespace: shop}, rules: [{apiGroups: [""], resources: [endpoints], verbs: [update]}]}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: w, namespace: shop}, roleRef: {kind: Role, name: w}, subjects: [{kind: ServiceAccount, name: w}]}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: db-publisher, namespace: shop}, spec: {template: {spec: {serviceAccountName: w, containers: [{name: main, image: "db-publisher:1"}]}}}}`
)

// lines say of obstacles what the table compares.
func lines(list []evidence.Obstacle) []string {
	var out []string
	for _, o := range list {
		line := string(o.Code) + " " + o.Object
		for _, w := range o.Writers {
			line += " <- " + strings.TrimSpace(w.Name+" "+w.Workload.Name+" "+w.ServiceAccount) + " (" + w.By + ")"
		}
		out = append(out, line)
	}
	return out
}

func TestServicesThatLiveByMirroring(t *testing.T) {
	for _, test := range []struct {
		name    string
		objects []string
		want    []string
	}{
		{
			"written by a program that is found",
			[]string{service("db", ""), endpoints("db", "db-publisher"), slice("db", "a", mirroring), publisher},
			[]string{"fed-by-mirroring Service/shop/db <- db-publisher db-publisher shop/w (managedFields)"},
		},
		{
			"written by a program of which only the name is known",
			[]string{service("db", ""), endpoints("db", "sync"), slice("db", "a", mirroring)},
			[]string{"fed-by-mirroring Service/shop/db <- sync (managedFields)"},
		},
		{
			"applied by hand",
			[]string{service("db", ""), endpoints("db", "kubectl-client-side-apply"), slice("db", "a", mirroring)},
			[]string{"fed-by-mirroring Service/shop/db <- kubectl-client-side-apply (managedFields)"},
		},
		{
			"written by two",
			[]string{service("db", ""), endpoints("db", "one", "two"), slice("db", "a", mirroring)},
			[]string{"fed-by-mirroring Service/shop/db <- one (managedFields) <- two (managedFields)"},
		},
		{
			"a dump without managedFields",
			[]string{service("db", ""), endpoints("db"), slice("db", "a", mirroring)},
			[]string{"fed-by-mirroring Service/shop/db <- db (nothing names who)"},
		},
		{
			"the Endpoints object is gone, its slices are left",
			[]string{service("db", ""), slice("db", "a", mirroring)},
			[]string{"fed-by-mirroring Service/shop/db"},
		},
		{
			"the Service was not read",
			[]string{endpoints("db", "sync"), slice("db", "a", mirroring)},
			[]string{"fed-by-mirroring Service/shop/db <- sync (managedFields)"},
		},
		{
			"several Services, sorted",
			[]string{service("b", ""), slice("b", "a", mirroring), service("a", ""), slice("a", "a", mirroring), slice("a", "b", mirroring)},
			[]string{"fed-by-mirroring Service/shop/a", "fed-by-mirroring Service/shop/b"},
		},
		{
			"one program writes for two Services",
			[]string{service("a", ""), endpoints("a", "sync"), slice("a", "a", mirroring), service("b", ""), endpoints("b", "sync"), slice("b", "a", mirroring)},
			[]string{"fed-by-mirroring Service/shop/a <- sync (managedFields)", "fed-by-mirroring Service/shop/b <- sync (managedFields)"},
		},
		{
			"beside the controller's",
			[]string{service("web", "a: b"), endpoints("web", "sync", "kube-controller-manager"), slice("web", "a", mirroring), slice("web", "b", controller)},
			[]string{"mirrored-beside-managed Service/shop/web <- sync (managedFields)"},
		},
		{
			"beside a producer's own",
			[]string{service("db", ""), endpoints("db", "sync"), slice("db", "a", mirroring), slice("db", "b", "db.example.com"), slice("db", "c", "")},
			[]string{"mirrored-beside-managed Service/shop/db <- sync (managedFields)"},
		},
		{"a Service of the controllers", []string{service("web", "a: b"), endpoints("web", "kube-controller-manager"), slice("web", "a", controller)}, nil},
		{"a producer's own slices", []string{service("db", ""), slice("db", "a", "db.example.com")}, nil},
		{"a mirrored slice of no Service", []string{strings.Replace(slice("db", "a", mirroring), "kubernetes.io/service-name: db, ", "", 1)}, nil},
		{"Endpoints that nothing mirrors", []string{service("db", ""), endpoints("db", "sync")}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			list, _, _ := find(t, test.objects...)
			if diff := cmp.Diff(test.want, lines(list)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAnObstacleSaysWhatIsSoAndWhatToDo(t *testing.T) {
	list, _, _ := find(t,
		service("db", ""), endpoints("db", "sync"), slice("db", "a", mirroring),
		service("web", "a: b"), slice("web", "a", mirroring), slice("web", "b", controller), slice("web", "c", controller))
	want := []evidence.Obstacle{
		{
			Code: evidence.FedByMirroring, Object: "Service/shop/db", Locator: "in.yaml:1:18",
			Message: "Service shop/db, without a selector, has one slice, mirrored from the Endpoints object of its name: its readers of slices depend on that object, and on mirroring.",
			Advice:  "Let who writes the Endpoints publish EndpointSlices under a managed-by of its own (package producer; slicewright convert for a manifest), then delete the Endpoints.",
			Writers: []evidence.ObstacleWriter{{Name: "sync", By: "managedFields", LastSeen: at("2026-01-02T03:04:05Z")}},
		},
		{
			Code: evidence.MirroredBesideOthers, Object: "Service/shop/web", Locator: "in.yaml:7:18",
			Message: "Service shop/web has one slice that is mirrored from an Endpoints object, beside 2 of endpointslice-controller.k8s.io: the same backend may be there twice, or one that is gone.",
			Advice:  "The Service had no selector once, and its Endpoints object was somebody's: delete that object, and let nobody write it.",
		},
	}
	if diff := cmp.Diff(want, list); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func at(text string) *time.Time {
	moment, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return &moment
}

// An audit log names who wrote in the namespace, and nobody who only read, who is
// the control plane, or who wrote elsewhere.
func TestTheAuditLogNamesWritersToo(t *testing.T) {
	list, _, _ := find(t, service("db", ""), slice("db", "a", mirroring))
	log := func(name, verb, namespace string, class evidence.Class, source evidence.Source) evidence.Finding {
		return evidence.Finding{
			Subject: evidence.Subject{Application: name, ServiceAccount: namespace + "/" + name}, Class: class, Namespaces: []string{namespace},
			Verbs: map[string]int{verb: 3}, Evidence: []evidence.Evidence{{Source: source, LastSeen: at("2026-05-01T00:00:00Z")}},
		}
	}
	obstacles.AddLogged(list, []evidence.Finding{
		log("publisher", "patch", "shop", evidence.Producer, evidence.SourceAudit),
		log("reader", "list", "shop", evidence.Reader, evidence.SourceAudit),
		log("elsewhere", "update", "other", evidence.Producer, evidence.SourceAudit),
		log("controller", "update", "shop", evidence.Expected, evidence.SourceAudit),
		log("grant", "update", "shop", evidence.Producer, evidence.SourceRBAC),
	})
	want := []evidence.ObstacleWriter{{Name: "publisher", ServiceAccount: "shop/publisher", By: "audit log", LastSeen: at("2026-05-01T00:00:00Z")}}
	if diff := cmp.Diff(want, list[0].Writers); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// dns is a Deployment in kube-system with images, under an account with rules.
func dns(name string, rules string, images ...string) string {
	var containers []string
	for i, image := range images {
		containers = append(containers, fmt.Sprintf("{name: c%d, image: %q}", i, image))
	}
	return fmt.Sprintf(`{apiVersion: v1, kind: ServiceAccount, metadata: {name: %[1]s, namespace: kube-system}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: %[1]s, namespace: kube-system}, spec: {template: {spec: {serviceAccountName: %[1]s, containers: [%[2]s]}}}}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: "system:%[1]s"}, rules: [%[3]s]}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: "system:%[1]s"}, roleRef: {kind: ClusterRole, name: "system:%[1]s"}, subjects: [{kind: ServiceAccount, name: %[1]s, namespace: kube-system}]}`,
		name, strings.Join(containers, ", "), rules)
}

const (
	mayEndpoints = `{apiGroups: [""], resources: [endpoints, services], verbs: [list, watch]}`
	maySlices    = `{apiGroups: [discovery.k8s.io], resources: [endpointslices], verbs: [list, watch]}`
)

func TestNameServersThatReadEndpointsAlone(t *testing.T) {
	const no, yes = "", "dns-reads-endpoints Deployment/kube-system/dns"
	for _, test := range []struct {
		name, rules string
		images      []string
		want        string
		confidence  evidence.Confidence // of the finding; "" for none
	}{
		{"kube-dns", mayEndpoints, []string{"registry.k8s.io/dns/k8s-dns-kube-dns:1.26.4", "registry.k8s.io/dns/k8s-dns-dnsmasq-nanny:1.26.4", "registry.k8s.io/dns/k8s-dns-sidecar:1.26.4"}, yes, evidence.Strong},
		{"kube-dns, its image not first", mayEndpoints, []string{"k8s-dns-sidecar:1.26.4", "k8s-dns-kube-dns:1.26.4"}, yes, evidence.Strong},
		{"kube-dns of old", mayEndpoints, []string{"gcr.io/google_containers/kubedns-amd64:1.9"}, yes, evidence.Strong},
		{"kube-dns, whose grants were not read", "", []string{"k8s-dns-kube-dns:1.26.4"}, yes, evidence.Likely},
		{"an old CoreDNS", mayEndpoints, []string{"k8s.gcr.io/coredns:1.7.0"}, yes, evidence.Strong},
		{"the last CoreDNS without slices", mayEndpoints + ", " + maySlices, []string{"602401143452.dkr.ecr.eu-west-1.amazonaws.com/eks/coredns:v1.8.0-eksbuild.1"}, yes, evidence.Strong},
		{"the first CoreDNS with slices", mayEndpoints + ", " + maySlices, []string{"k8s.gcr.io/coredns/coredns:v1.8.1"}, no, evidence.Possible},
		{"a CoreDNS of today", mayEndpoints + ", " + maySlices, []string{"registry.k8s.io/coredns/coredns:v1.12.1"}, no, evidence.Possible},
		{"a CoreDNS that may not read Endpoints", maySlices, []string{"rancher/hardened-coredns:v1.12.1-build20250101"}, no, ""},
		{"during an update the old one counts", mayEndpoints, []string{"coredns:1.12.1", "coredns:1.6.2"}, yes, evidence.Strong},
		{"a CoreDNS by digest, with both grants", mayEndpoints + ", " + maySlices, []string{"coredns@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"}, no, ""},
		{"a CoreDNS by digest, with the old grant alone", mayEndpoints, []string{"coredns@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"}, yes, evidence.Strong},
		{"a tag that is no version", mayEndpoints, []string{"coredns:latest"}, yes, evidence.Strong},
		{"the autoscaler of CoreDNS", mayEndpoints, []string{"example.com/coredns-autoscaler:1.0"}, no, ""},
		{"the cache on nodes", mayEndpoints, []string{"registry.k8s.io/dns/k8s-dns-node-cache:1.26.4"}, no, ""},
		{"another program", mayEndpoints, []string{"example.com/web:1.0"}, no, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			list, findings, _ := find(t, dns("dns", test.rules, test.images...))
			if got := strings.Join(lines(list), "\n"); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
			var confidence evidence.Confidence
			for _, f := range findings {
				confidence = f.Confidence
				if len(f.Notes) != 1 || !strings.Contains(f.Notes[0], "See https://github.com/") {
					t.Errorf("notes %q, want one with its source", f.Notes)
				}
			}
			if confidence != test.confidence || len(findings) > 1 {
				t.Errorf("%d findings, %q, want %q", len(findings), confidence, test.confidence)
			}
			for _, o := range list {
				if o.Source == "" {
					t.Errorf("no source: %+v", o)
				}
			}
		})
	}
}

// With everything else that is known of it, a DNS server is one entry.
func TestANameServerIsOneConsumer(t *testing.T) {
	_, findings, grants := find(t, dns("dns", mayEndpoints, "coredns:1.6.2"))
	r := registry.Build(append(grants.Findings, findings...), nil)
	if len(r.Entries) != 1 {
		t.Fatalf("%d entries", len(r.Entries))
	}
	e := r.Entries[0]
	if e.Confidence != evidence.Strong || e.Class != evidence.Reader || e.Workload.Name != "dns" || e.ServiceAccount != "kube-system/dns" {
		t.Errorf("%+v", e)
	}
}
