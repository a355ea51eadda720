package producer

//lint:file-ignore SA1019 the deprecated API is what this file reads

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/slicewright/slicewright/endpointset"
)

// backendsOf is what a consumer that reads slices has: "http 10.0.0.1:8080" to
// whether it gets connections.
func backendsOf(slices []*discovery.EndpointSlice, namespace, name string) map[string]bool {
	ix := endpointset.NewIndex(endpointset.Options{})
	for i, s := range slices {
		s = s.DeepCopy()
		s.Name = fmt.Sprintf("s-%d", i) // as the API server would
		ix.Apply(ix.Parse(s))
	}
	sel := ix.Service(endpointset.ServiceKey{Namespace: namespace, Name: name}).Select(endpointset.Query{})
	all := map[string]bool{}
	for _, b := range sel.Active {
		all[b.PortName+"/"+b.Protocol+" "+b.Endpoint()] = true
	}
	for _, x := range sel.Excluded {
		all[x.PortName+"/"+x.Protocol+" "+x.Endpoint()] = false
	}
	return all
}

// backendsIn is the same for a reader of Endpoints. Not ready in any subset is
// not ready.
func backendsIn(endpoints *corev1.Endpoints) map[string]bool {
	all := map[string]bool{}
	for _, subset := range endpoints.Subsets {
		for _, port := range subset.Ports {
			see := func(address corev1.EndpointAddress, ready bool) {
				at := fmt.Sprintf("%s/%s %s:%d", port.Name, port.Protocol, address.IP, port.Port)
				if strings.Contains(address.IP, ":") {
					at = fmt.Sprintf("%s/%s [%s]:%d", port.Name, port.Protocol, address.IP, port.Port)
				}
				was, seen := all[at]
				all[at] = ready && (was || !seen)
			}
			for _, a := range subset.Addresses {
				see(a, true)
			}
			for _, a := range subset.NotReadyAddresses {
				see(a, false)
			}
		}
	}
	return all
}

func genEndpoints(t *rapid.T) *corev1.Endpoints {
	ports := []corev1.EndpointPort{
		{Name: "http", Protocol: "TCP", Port: 8080},
		{Name: "http", Protocol: "TCP", Port: 9090},
		{Name: "https", Protocol: "TCP", Port: 8443},
		{Name: "dns", Protocol: "TCP", Port: 53},
		{Name: "dns", Protocol: "UDP", Port: 53},
	}
	address := rapid.Custom(func(t *rapid.T) corev1.EndpointAddress {
		n := rapid.IntRange(0, 30).Draw(t, "address")
		if n > 24 {
			return corev1.EndpointAddress{IP: fmt.Sprintf("2001:db8::%x", n)}
		}
		return corev1.EndpointAddress{IP: fmt.Sprintf("10.0.0.%d", n)}
	})
	e := &corev1.Endpoints{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Endpoints"}, ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "prices"}}
	for range rapid.IntRange(0, 4).Draw(t, "subsets") {
		e.Subsets = append(e.Subsets, corev1.EndpointSubset{
			Ports:             rapid.SliceOfNDistinct(rapid.SampledFrom(ports), 0, 4, func(p corev1.EndpointPort) corev1.EndpointPort { return p }).Draw(t, "ports"),
			Addresses:         rapid.SliceOfN(address, 0, 12).Draw(t, "addresses"),
			NotReadyAddresses: rapid.SliceOfN(address, 0, 3).Draw(t, "not ready"),
		})
	}
	return e
}

func TestConvertedSlicesJoinToTheSameSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		endpoints := genEndpoints(t)
		text, err := yaml.Marshal(endpoints)
		if err != nil {
			t.Fatal(err)
		}
		limit := rapid.IntRange(1, 5).Draw(t, "max")
		c, err := Convert("x.yaml", text, ConvertOptions{MaxEndpoints: limit})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(backendsIn(endpoints), backendsOf(c.Slices, "shop", "prices")); diff != "" {
			t.Fatalf("(-Endpoints +slices):\n%s", diff)
		}
		once := map[string]bool{}
		for _, s := range c.Slices {
			holdToTheAPI(t, s, limit)
			for _, e := range s.Endpoints {
				for _, p := range s.Ports {
					at := fmt.Sprintf("%s %s %s:%d", *p.Name, *p.Protocol, e.Addresses[0], *p.Port)
					if once[at] {
						t.Fatalf("%s is in two slices", at)
					}
					once[at] = true
				}
			}
		}
	})
}

// fataler is a *testing.T or a *rapid.T.
type fataler interface{ Fatalf(string, ...any) }

// holdToTheAPI checks what every converted slice must be.
func holdToTheAPI(t fataler, s *discovery.EndpointSlice, limit int) {
	family := endpointset.FamilyOfAddressType(s.AddressType)
	if s.APIVersion != "discovery.k8s.io/v1" || s.Kind != "EndpointSlice" || family == 0 {
		t.Fatalf("a %s %s of type %s", s.APIVersion, s.Kind, s.AddressType)
	}
	if len(s.Endpoints) == 0 || len(s.Endpoints) > limit {
		t.Fatalf("%d endpoints in a slice", len(s.Endpoints))
	}
	names := map[string]bool{}
	for _, p := range s.Ports {
		if p.Name == nil || p.Protocol == nil || p.Port == nil || names[*p.Name] {
			t.Fatalf("the server refuses port %+v", p)
		}
		names[*p.Name] = true
	}
	for i, e := range s.Endpoints {
		if _, ok := keyOf(&s.Endpoints[i], family); !ok {
			t.Fatalf("address %v in a slice of %s", e.Addresses, s.AddressType)
		}
		if c := e.Conditions; c.Ready == nil || c.Serving == nil || c.Terminating == nil {
			t.Fatalf("%s: a condition is missing", e.Addresses[0])
		}
	}
	if s.Labels[discovery.LabelServiceName] == "" || ValidateManagedBy(s.Labels[discovery.LabelManagedBy]) != nil {
		t.Fatalf("labels %v", s.Labels)
	}
}

// A whole object, as it comes out of Helm.
func TestConvertCarriesOverWhatFits(t *testing.T) {
	const manifest = `---
# Source: shop/templates/values-of-the-release.yaml
---
# Source: shop/templates/service.yaml
apiVersion: v1
kind: Service
metadata: {name: prices}
---
# Source: shop/templates/endpoints.yaml
apiVersion: v1
kind: Endpoints
metadata:
  name: prices
  labels:
    app.kubernetes.io/managed-by: Helm
    service.kubernetes.io/headless: ""
    endpointslice.kubernetes.io/skip-mirror: "true"
  annotations:
    meta.helm.sh/release-name: shop
    endpoints.kubernetes.io/last-change-trigger-time: "2026-01-01T00:00:00Z"
    kubectl.kubernetes.io/last-applied-configuration: "{}"
subsets:
- addresses:
  - ip: 10.0.0.9
    hostname: db-9
    nodeName: n1
    targetRef: {kind: VM, namespace: shop, name: db-9, uid: u9, resourceVersion: "7"}
  notReadyAddresses:
  - ip: 10.0.0.8
  ports:
  - {name: pg, port: 5432, appProtocol: postgres}
`
	c, err := Convert("chart.yaml", []byte(manifest), ConvertOptions{ManagedBy: me})
	if err != nil {
		t.Fatal(err)
	}
	out, err := yaml.Marshal(c.Slices)
	if err != nil {
		t.Fatal(err)
	}
	const golden = `- addressType: IPv4
  apiVersion: discovery.k8s.io/v1
  endpoints:
  - addresses:
    - 10.0.0.8
    conditions:
      ready: false
      serving: false
      terminating: false
  - addresses:
    - 10.0.0.9
    conditions:
      ready: true
      serving: true
      terminating: false
    hostname: db-9
    nodeName: n1
    targetRef:
      kind: VM
      name: db-9
      namespace: shop
      uid: u9
  kind: EndpointSlice
  metadata:
    annotations:
      meta.helm.sh/release-name: shop
    generateName: prices-
    labels:
      app.kubernetes.io/managed-by: Helm
      endpointslice.kubernetes.io/managed-by: vm-publisher.example.com
      kubernetes.io/service-name: prices
      service.kubernetes.io/headless: ""
  ports:
  - appProtocol: postgres
    name: pg
    port: 5432
    protocol: TCP
`
	if diff := cmp.Diff(golden, string(out)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if c.Objects != 1 || c.Skipped != 1 || len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], "chart.yaml: document 2, line 15: endpoints /prices: it asks not to be mirrored") {
		t.Errorf("%d objects, %d skipped, warnings %q", c.Objects, c.Skipped, c.Warnings)
	}
}

// Errors say where, and nothing is converted beside them.
func TestConvertSaysWhereItFailed(t *testing.T) {
	object := func(subsets string) string {
		return "apiVersion: v1\nkind: Endpoints\nmetadata:\n  name: prices\n  namespace: shop\nsubsets:\n" + subsets
	}
	good := object("- addresses:\n  - ip: 10.0.0.1\n  ports:\n  - port: 80\n")
	tests := []struct{ name, manifest, says string }{
		{"an address that is none", good + "---\n" + object("- addresses:\n  - ip: 10.0.0.2\n  - ip: 10.0.0.256\n  ports:\n  - port: 80\n"), `x.yaml: document 2, line 20: endpoints shop/prices: "10.0.0.256" is no IP address`},
		{"a loopback address", object("- addresses:\n  - ip: 127.0.0.1\n"), "document 1, line 8: endpoints shop/prices: address 127.0.0.1 is a loopback address"},
		{"a number where a text belongs", object("- addresses:\n  - ip: 10.0.0.1\n  - ip: 10\n"), "document 1, line 9: subsets.addresses.ip: number is where string belongs"},
		{"a text where a number belongs", object("- ports:\n  - port: 80\n  - port: http\n"), "document 1, line 9: subsets.ports.port: string is where int32 belongs"},
		{"an object where a list belongs", object("- addresses:\n    ip: 10.0.0.1\n"), "document 1, line 8: subsets.addresses: object is where []v1.EndpointAddress belongs"},
		{"a misspelt field", object("- addresses: []\n  notReadyAddress: [{ip: 10.0.0.1}]\n"), `document 1, line 8: unknown field "subsets[0].notReadyAddress"`},
		{"a key that is there twice", object("- addresses: []\n  addresses: []\n"), `document 1, line 8: no YAML: unmarshal errors: key "addresses" already set`},
		{"a port out of range", object("- addresses: [{ip: 10.0.0.1}]\n  ports:\n  - port: 0\n"), "document 1, line 9: endpoints shop/prices: port 0 is not between 1 and 65535"},
		{"a protocol that is none", object("- ports:\n  - {port: 1, protocol: ICMP}\n"), `line 8: endpoints shop/prices: port "": protocol "ICMP"`},
		{"no YAML at all", good + "---\na: [\n", "document 2, line 12"},
		{"a template", "a: {{ .Values.b }}\n", "render it first"},
		{"JSON that ends early", `{"apiVersion": "v1",` + "\n" + `"kind": "Endpoints"`, "document 1, line 2: no JSON"},
		{"a lock", "apiVersion: v1\nkind: Endpoints\nmetadata:\n  name: scheduler\n  annotations:\n    control-plane.alpha.kubernetes.io/leader: '{}'\n", "document 1, line 6: endpoints /scheduler: it is the lock of a leader election"},
		{"no name", "apiVersion: v1\nkind: Endpoints\n", "the Service has no name"},
		{"a name that no Service has", "apiVersion: v1\nkind: Endpoints\nmetadata:\n  name: " + strings.Repeat("a", 64) + "\n", "no slice can belong to it"},
		{"in a List", "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Endpoints\n  metadata: {name: a}\n  subsets:\n  - addresses:\n    - ip: x\n", `document 1, line 9: endpoints /a: "x" is no IP address`},
		{"Lists for ever", strings.Repeat(`{"apiVersion":"v1","kind":"List","items":[`, 20) + strings.Repeat("]}", 20), "nested more than 8 deep"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := Convert("x.yaml", []byte(tt.manifest), ConvertOptions{})
			if err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error %v\nwant one that says %q", err, tt.says)
			}
			if len(c.Slices) > 0 {
				t.Errorf("%d slices beside the error", len(c.Slices))
			}
		})
	}
}

func TestConvertReadsEveryShapeOfManifest(t *testing.T) {
	const item = `{"apiVersion":"v1","kind":"Endpoints","metadata":{"name":"%s"},"subsets":[{"addresses":[{"ip":"10.0.0.1"}],"ports":[{"port":80}]}]}`
	one := func(name string) string { return fmt.Sprintf(item, name) }
	tests := []struct {
		name, manifest string
		objects        int
		skipped        int
	}{
		{"nothing", "", 0, 0},
		{"comments", "# a\n---\n# b\n", 0, 0},
		{"one", one("a"), 1, 0},
		{"several, separated", one("a") + "\n---\n" + one("b"), 2, 0},
		{"several, one after the other", one("a") + one("b") + "\n" + one("c"), 3, 0},
		{"a List", `{"apiVersion":"v1","kind":"List","items":[` + one("a") + "," + one("b") + `,{"apiVersion":"v1","kind":"Service"}]}`, 2, 1},
		{"an EndpointsList, whose items have no kind", `{"apiVersion":"v1","kind":"EndpointsList","items":[{"metadata":{"name":"a"},"subsets":[{"addresses":[{"ip":"10.0.0.1"}],"ports":[{"port":80}]}]}]}`, 1, 0},
		{"tabs", strings.ReplaceAll(one("a"), ",", ",\n\t"), 1, 0},
		{"Windows' line ends", strings.ReplaceAll("apiVersion: v1\nkind: Endpoints\nmetadata: {name: a}\nsubsets: [{addresses: [{ip: 10.0.0.1}], ports: [{port: 80}]}]\n---\nkind: X\n", "\n", "\r\n"), 1, 1},
		{"a byte order mark", "\ufeff" + one("a"), 1, 0},
		{"directives and ends", "%YAML 1.1\n---\nkind: X\n...\n---\n" + one("a"), 1, 1},
		{"anchors", "apiVersion: v1\nkind: Endpoints\nmetadata: {name: a}\nsubsets:\n- addresses: [{ip: 10.0.0.1}]\n  ports: &p [{name: a, port: 80}]\n- addresses: [{ip: 10.0.0.2}]\n  ports: *p\n", 1, 0},
		{"a chart's values", "replicas: 3\n---\n" + one("a"), 1, 1},
		{"Endpoints of another API", strings.Replace(one("a"), `"v1"`, `"example.com/v1"`, 1), 0, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := Convert("x", []byte(tt.manifest), ConvertOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if c.Objects != tt.objects || len(c.Slices) != tt.objects || c.Skipped != tt.skipped {
				t.Errorf("%d objects, %d slices, %d skipped; want %d and %d", c.Objects, len(c.Slices), c.Skipped, tt.objects, tt.skipped)
			}
		})
	}
}

func TestConvertWarnsOfWhatAManifestCannotSay(t *testing.T) {
	tests := []struct{ name, manifest, says string }{
		{"cut off", `{"apiVersion":"v1","kind":"Endpoints","metadata":{"name":"a","annotations":{"endpoints.kubernetes.io/over-capacity":"truncated"}}}`, "addresses are missing"},
		{"the controller's", `{"apiVersion":"v1","kind":"Endpoints","metadata":{"name":"a","labels":{"endpoints.kubernetes.io/managed-by":"endpoint-controller"}}}`, "do not apply these beside them"},
		{"without addresses", `{"apiVersion":"v1","kind":"Endpoints","metadata":{"name":"a"}}`, "no addresses"},
		{"without ports", `{"apiVersion":"v1","kind":"Endpoints","metadata":{"name":"a"},"subsets":[{"addresses":[{"ip":"10.0.0.1"}]}]}`, "no backends"},
		{"an old spelling", `{"apiVersion":"v1","kind":"Endpoints","metadata":{"name":"a"},"subsets":[{"addresses":[{"ip":"010.0.0.1"}],"ports":[{"port":1}]}]}`, `"010.0.0.1" is written as 10.0.0.1`},
		{"both ready and not", `{"apiVersion":"v1","kind":"Endpoints","metadata":{"name":"a"},"subsets":[{"addresses":[{"ip":"10.0.0.1"}],"notReadyAddresses":[{"ip":"10.0.0.1"}],"ports":[{"port":1}]}]}`, "both ready and not ready"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := Convert("x", []byte(tt.manifest), ConvertOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if all := strings.Join(c.Warnings, "\n"); !strings.Contains(all, tt.says) {
				t.Errorf("warnings %q, want one that says %q", all, tt.says)
			}
		})
	}
}

// One address keeps two names, and one name can be of two protocols: neither
// fits into one slice as it is in Endpoints.
func TestConvertKeepsWhatOneSliceCannotHold(t *testing.T) {
	const manifest = `{"apiVersion":"v1","kind":"Endpoints","metadata":{"name":"a","namespace":"n"},"subsets":[{
		"addresses":[{"ip":"10.0.0.1","hostname":"x"},{"ip":"10.0.0.1","hostname":"y"},{"ip":"2001:db8::1"}],
		"ports":[{"name":"dns","port":53,"protocol":"UDP"},{"name":"dns","port":53,"protocol":"TCP"}]}]}`
	c, err := Convert("x", []byte(manifest), ConvertOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]int{}
	for _, s := range c.Slices {
		got[string(s.AddressType)+" "+portsText(portsOf(s))] = len(s.Endpoints)
	}
	want := map[string]int{"IPv4 dns:53/TCP": 2, "IPv4 dns:53/UDP": 2, "IPv6 dns:53/TCP": 1, "IPv6 dns:53/UDP": 1}
	if !maps.Equal(got, want) {
		t.Errorf("slices %v, want %v", got, want)
	}
}

// 240 Pods as the endpoints controller of a real control plane wrote them.
func TestConvertOfARealObject(t *testing.T) {
	data, err := os.ReadFile("testdata/reports-endpoints.json")
	if err != nil {
		t.Fatal(err)
	}
	var list corev1.EndpointsList
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	c, err := Convert("reports-endpoints.json", data, ConvertOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range list.Items {
		e := &list.Items[i]
		if diff := cmp.Diff(backendsIn(e), backendsOf(c.Slices, e.Namespace, e.Name)); diff != "" {
			t.Errorf("%s (-Endpoints +slices):\n%s", e.Name, diff)
		}
	}
	if len(c.Slices) < 3 {
		t.Errorf("%d slices for 240 addresses", len(c.Slices))
	}
	for _, s := range c.Slices {
		holdToTheAPI(t, s, DefaultMaxEndpoints)
	}
}

func TestStableNamesAreStableAndApart(t *testing.T) {
	var object corev1.Endpoints
	object.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Endpoints"}
	object.Name = "prices"
	object.Subsets = []corev1.EndpointSubset{{Ports: []corev1.EndpointPort{{Port: 1}}}}
	for i := range 1200 {
		object.Subsets[0].Addresses = append(object.Subsets[0].Addresses, corev1.EndpointAddress{IP: fmt.Sprintf("10.0.%d.%d", i/250, i%250)})
	}
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	var runs [2][]string
	for i := range runs {
		c, err := Convert("x", text, ConvertOptions{StableNames: true})
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for _, s := range c.Slices {
			if s.GenerateName != "" || seen[s.Name] || !strings.HasPrefix(s.Name, "prices-") {
				t.Fatalf("name %q, generateName %q", s.Name, s.GenerateName)
			}
			seen[s.Name] = true
			runs[i] = append(runs[i], s.Name)
		}
	}
	if diff := cmp.Diff(runs[0], runs[1]); diff != "" || len(runs[0]) != 12 {
		t.Errorf("%d slices; two runs differ:\n%s", len(runs[0]), diff)
	}
}

func FuzzConvert(f *testing.F) {
	f.Add([]byte("apiVersion: v1\nkind: Endpoints\nmetadata: {name: a}\nsubsets: [{addresses: [{ip: 10.0.0.1}], ports: [{port: 80}]}]\n---\nkind: X\n"))
	f.Add([]byte(`{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"Endpoints","metadata":{"name":"a"}}]}{}`))
	f.Add([]byte("a: &a [*a]\n"))
	f.Add([]byte("{\"kind\":\"Endpoints\",\"apiVersion\":\"v1\",\"subsets\":[null,{\"addresses\":null}]}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Convert("x", data, ConvertOptions{})
		if err != nil && len(c.Slices) > 0 {
			t.Fatal("slices beside an error")
		}
		for _, s := range c.Slices {
			holdToTheAPI(t, s, DefaultMaxEndpoints)
		}
	})
}
