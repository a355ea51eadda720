package obstacles

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/objects"
	"github.com/slicewright/slicewright/app/internal/find/rbac"
	"github.com/slicewright/slicewright/app/internal/find/workloads"
)

// What is known of the versions of cluster DNS, and from where.
const (
	// kubeDNSSource: kube-dns lists and watches Endpoints (pkg/dns/dns.go); the
	// request to read slices was closed without an answer, and no version that
	// does is known.
	kubeDNSSource = "https://github.com/kubernetes/dns/issues/504"
	// coreDNSSource: the kubernetes plugin watches slices since 1.8.1.
	coreDNSSource = "https://github.com/coredns/coredns/blob/master/notes/coredns-1.8.1.md"
	// coreDNSAlone: since 1.11.0 it watches nothing else.
	coreDNSAlone = "https://github.com/coredns/coredns/pull/6147"
)

// version is a version of CoreDNS; the zero value is that of an image which
// does not say it.
type version struct{ major, minor, patch int }

func (v version) before(w version) bool {
	return slices.Compare([]int{v.major, v.minor, v.patch}, []int{w.major, w.minor, w.patch}) < 0
}

// server says which DNS server an image is.
type server int

const (
	none server = iota
	kubeDNS
	coreDNS
)

// serverOf tells by an image's name. Sidecars and the cache on nodes (a CoreDNS
// that forwards) read neither.
func serverOf(image string) (server, version) {
	image, _, _ = strings.Cut(image, "@")
	image = image[strings.LastIndexByte(image, '/')+1:]
	name, tag, _ := strings.Cut(image, ":")
	switch {
	case strings.Contains(name, "autoscaler"), strings.Contains(name, "exporter"):
		return none, version{}
	case strings.HasPrefix(name, "k8s-dns-kube-dns"), strings.HasPrefix(name, "kubedns"), name == "kube-dns":
		return kubeDNS, version{}
	case strings.Contains(name, "coredns"):
		return coreDNS, versionOf(tag)
	}
	return none, version{}
}

// versionOf reads a tag such as "1.8.0", "v1.8.0-eksbuild.1" or "v1.11".
func versionOf(tag string) version {
	tag = strings.TrimPrefix(tag, "v")
	tag, _, _ = strings.Cut(tag, "-")
	tag, _, _ = strings.Cut(tag, "_")
	parts := strings.Split(tag, ".")
	if len(parts) < 2 {
		return version{}
	}
	var numbers [3]int
	for i, p := range parts[:min(len(parts), 3)] {
		n, err := strconv.ParseUint(p, 10, 16)
		if err != nil {
			return version{}
		}
		numbers[i] = int(n)
	}
	return version{numbers[0], numbers[1], numbers[2]}
}

// nameServers finds workloads that serve the cluster's names.
func nameServers(s *objects.Snapshot, grants *rbac.Analysis) ([]evidence.Obstacle, []evidence.Finding) {
	var list []evidence.Obstacle
	var findings []evidence.Finding
	for _, account := range grants.Workloads.Accounts() {
		for _, w := range grants.Workloads.Of(account) {
			// Several versions of one image run during a rollout: the worst counts.
			var found *evidence.Finding
			for _, image := range w.Images {
				o, f := judgeServer(w, image.Image, grants)
				if f != nil {
					found = f
				}
				if o != nil {
					list = append(list, *o)
					break
				}
			}
			if found != nil {
				findings = append(findings, *found)
			}
		}
	}
	return list, findings
}

// judgeServer says of one image of a workload whether it reads Endpoints.
func judgeServer(w *workloads.Workload, image string, grants *rbac.Analysis) (*evidence.Obstacle, *evidence.Finding) {
	kind, v := serverOf(image)
	if kind == none {
		return nil, nil
	}
	ref := objects.Ref{Kind: w.Kind, Namespace: w.Namespace, Name: w.Name}
	o := &evidence.Obstacle{Code: evidence.DNSReadsEndpoints, Object: ref.String(), Locator: w.Locator}
	may, lacks := access(w, grants)
	switch {
	case kind == kubeDNS:
		o.Message = fmt.Sprintf("%s %s/%s runs kube-dns (%s), which reads Endpoints and no EndpointSlices, in every version that is known: names of headless Services stand still when Endpoints do.", w.Kind, w.Namespace, w.Name, image)
		o.Advice, o.Source = "Replace kube-dns by CoreDNS 1.11.0 or later.", kubeDNSSource
	case v != (version{}) && v.before(version{1, 8, 1}):
		o.Message = fmt.Sprintf("%s %s/%s runs a CoreDNS before 1.8.1 (%s), which reads Endpoints and no EndpointSlices: names of headless Services stand still when Endpoints do.", w.Kind, w.Namespace, w.Name, image)
		o.Advice, o.Source = "Update CoreDNS to 1.11.0 or later, and permit it to list and watch endpointslices.discovery.k8s.io.", coreDNSSource
	case lacks && v == (version{}):
		o.Message = fmt.Sprintf("%s %s/%s runs a CoreDNS of a version that its image does not say (%s), and may read Endpoints and not EndpointSlices: it is an old one, or it does not work.", w.Kind, w.Namespace, w.Name, image)
		o.Advice, o.Source = "Find out the version (coredns -version). Run 1.11.0 or later, and permit it to list and watch endpointslices.discovery.k8s.io.", coreDNSSource
	case may:
		return nil, modern(w, image, v)
	default:
		return nil, nil
	}
	confidence := evidence.Likely
	if may {
		confidence = evidence.Strong // known source, in an image whose account may
	}
	return o, &evidence.Finding{
		Subject: subject(w), Class: evidence.Reader, Confidence: confidence, Access: []string{"informer"},
		Namespaces: []string{"*"}, Verbs: map[string]int{"list": 1, "watch": 1}, Advice: o.Advice,
		Notes:    []string{o.Message + " See " + o.Source + "."},
		Evidence: []evidence.Evidence{{Source: evidence.SourceObject, Detector: "object/dns-version", Locator: w.Locator, Count: 1, Excerpt: image}},
	}
}

// modern notes of a CoreDNS that may read Endpoints that it does not: it is in the
// registry for its grant alone.
func modern(w *workloads.Workload, image string, v version) *evidence.Finding {
	if v == (version{}) {
		return nil
	}
	note := fmt.Sprintf("CoreDNS reads EndpointSlices since 1.8.1, and nothing else since 1.11.0; this is %s. See %s.", image, coreDNSAlone)
	return &evidence.Finding{
		Subject: subject(w), Class: evidence.Reader, Confidence: evidence.Possible, Notes: []string{note},
		Evidence: []evidence.Evidence{{Source: evidence.SourceObject, Detector: "object/dns-version", Locator: w.Locator, Count: 1, Excerpt: image}},
	}
}

func subject(w *workloads.Workload) evidence.Subject {
	return evidence.Subject{
		Application: w.Application, Owner: w.Owner, Workload: w.Workload, Images: w.Images,
		ServiceAccount: w.Account.String(), User: w.Account.Username(),
	}
}

// access says whether the workload's account may read Endpoints, and whether it
// may not read slices where it may read those.
func access(w *workloads.Workload, grants *rbac.Analysis) (may, lacks bool) {
	account := w.Account.String()
	for _, f := range grants.Findings {
		if f.Subject.ServiceAccount == account && f.Verbs["list"]+f.Verbs["watch"]+f.Verbs["*"] > 0 {
			may = true
		}
	}
	for _, p := range grants.Patches {
		lacks = lacks || slices.Contains(p.For, "ServiceAccount "+account)
	}
	return may, lacks && may
}
