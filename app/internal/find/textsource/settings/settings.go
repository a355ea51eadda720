package settings

import (
	"bytes"
	"path"
	"regexp"
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/textsource/detect"
	"github.com/slicewright/slicewright/app/internal/find/wordsearch"
)

// adviceStateStore is for a program that keeps its state in Endpoints.
const adviceStateStore = "Keep the state in ConfigMaps or Leases; this is no set of backends and cannot move to EndpointSlices as it is."

// DefaultLibrary reads Endpoints unless it is told not to.
type DefaultLibrary struct {
	artifact string // as a dependency names it, or the start of it
	key      string // which setting, below, turns it to slices
	note     string
	conf     evidence.Confidence
}

// SpringSetting turns Spring Cloud Kubernetes to slices.
const SpringSetting = "spring.cloud.kubernetes.discovery.use-endpoint-slices"

// defaultLibraries are discovery libraries whose default is Endpoints, each
// checked in its documentation or source.
var defaultLibraries = []DefaultLibrary{
	{"spring-cloud-starter-kubernetes-fabric8", SpringSetting, "Spring Cloud Kubernetes discovers through Endpoints unless " + SpringSetting + " is true.", evidence.Likely},
	{"spring-cloud-starter-kubernetes-client", SpringSetting, "Spring Cloud Kubernetes discovers through Endpoints unless " + SpringSetting + " is true.", evidence.Likely},
	{"spring-cloud-starter-kubernetes-all", SpringSetting, "Spring Cloud Kubernetes discovers through Endpoints unless " + SpringSetting + " is true.", evidence.Likely},
	{"spring-cloud-kubernetes-fabric8-discovery", SpringSetting, "Spring Cloud Kubernetes discovers through Endpoints unless " + SpringSetting + " is true.", evidence.Likely},
	{"spring-cloud-kubernetes-client-discovery", SpringSetting, "Spring Cloud Kubernetes discovers through Endpoints unless " + SpringSetting + " is true.", evidence.Likely},
	{"micronaut-kubernetes-discovery-client", modeSetting, "Micronaut discovers through Endpoints unless kubernetes.client.discovery.mode says service.", evidence.Likely},
	{"stork-service-discovery-kubernetes", sliceSetting, "Stork discovers through Endpoints in older releases, and in newer ones where use-endpoint-slices is false or a Service has no slices.", evidence.Possible},
	{"ignite-kubernetes", "", "Ignite's Kubernetes IP finder reads the Endpoints object of its Service.", evidence.Likely},
	{"TcpDiscoveryKubernetesIpFinder", "", "Ignite's Kubernetes IP finder reads the Endpoints object of its Service.", evidence.Likely},
	{"hazelcast-kubernetes", "", "Hazelcast's Kubernetes discovery in API mode lists Endpoints in older releases; newer ones try EndpointSlices first.", evidence.Possible},
	{"dubbo-registry-kubernetes", "", "Dubbo's Kubernetes registry watches Endpoints.", evidence.Likely},
	{"Steeltoe.Discovery.Kubernetes", "", "Steeltoe's Kubernetes discovery lists Endpoints.", evidence.Likely},
	{"Ocelot.Provider.Kubernetes", "", "Ocelot's Kubernetes provider reads Endpoints.", evidence.Likely},
}

// explicitSettings say Endpoints, or slices, in so many words.
var explicitSettings = regexp.MustCompile(`(?m)^[ \t]*([A-Za-z0-9_.\-]*(?:use-endpoint-slices|USE_ENDPOINT_SLICES|USEENDPOINTSLICES|useEndpointSlices)|PATRONI_KUBERNETES_USE_ENDPOINTS|kubernetes\.client\.discovery\.mode)\s*[=:]\s*["']?([A-Za-z]+)`)

var wordsSettings = wordsearch.New("ndpoint", "NDPOINT", "ubernetes")

// Detector reads dependency lists, properties and env files. A build
// script is a program, too.
type Detector struct{}

func (Detector) HasWord(data []byte) bool { return wordsSettings.In(data) }

func (Detector) Read(s *detect.Text, name string, k detect.File) {
	readSettings(s, name)
	if k.Lang != nil {
		s.Read(name, detect.File{Kind: detect.Code, Lang: k.Lang})
	}
}

// readSettings looks into dependency lists, properties and env files.
func readSettings(s *detect.Text, name string) {
	switch path.Ext(name) {
	case ".xml", ".csproj":
		s.Data = dropXMLComments(s.Data)
	}
	readDependencies(s)
	for _, m := range explicitSettings.FindAllSubmatchIndex(s.Data, 64) {
		key, value := string(s.Data[m[2]:m[3]]), strings.ToLower(string(s.Data[m[4]:m[5]]))
		if setting := TurnsToSlices(key, value); setting != "" {
			s.Turn(setting)
		}
		if h, ok := SettingHit(key, value); ok {
			h.Offset = m[2]
			s.Report(h)
		}
	}
}

// The settings that turn libraries to slices, as far as one name for all of a
// setting's spellings goes.
const (
	sliceSetting = "use-endpoint-slices"
	modeSetting  = "kubernetes.client.discovery.mode"
)

// TurnsToSlices is the setting that a key and its value turn to slices, or "".
func TurnsToSlices(key, value string) string {
	switch {
	case strings.HasSuffix(key, "discovery.mode") && value == "service":
		return modeSetting
	case strings.EqualFold(strings.NewReplacer("-", "", "_", "").Replace(key[max(0, len(key)-len(sliceSetting)):]), "useendpointslices") && value == "true":
		return sliceSetting
	}
	return ""
}

// settingOf is the setting that turns a library to slices.
func settingOf(lib DefaultLibrary) string {
	if strings.HasSuffix(lib.key, sliceSetting) {
		return sliceSetting
	}
	return lib.key
}

// SettingHit judges one setting by its name and value.
func SettingHit(key, value string) (detect.Hit, bool) {
	h := detect.Hit{Detector: "text/library-setting", Class: evidence.Reader, Confidence: evidence.Likely, Verb: "watch", Access: "config", Advice: "Turn the setting to EndpointSlices and give the ServiceAccount list and watch on endpointslices."}
	switch {
	case key == "PATRONI_KUBERNETES_USE_ENDPOINTS" || key == "patroni":
		h.Class, h.Verb, h.Advice = evidence.StateStore, "update", adviceStateStore
		h.Note = "Patroni keeps its leader and configuration in Endpoints."
		return h, value == "true" || value == "1" || value == "yes"
	case strings.HasSuffix(key, "discovery.mode"):
		return h, value == "endpoint"
	}
	h.Note = "The library is told not to use EndpointSlices."
	return h, value == "false"
}

// readDependencies finds libraries whose default is Endpoints.
func readDependencies(s *detect.Text) {
	for _, lib := range defaultLibraries {
		for p := 0; ; {
			i := bytes.Index(s.Data[p:], []byte(lib.artifact))
			if i < 0 {
				break
			}
			at := p + i
			p = at + len(lib.artifact)
			end := p
			for end < len(s.Data) && (detect.IsWordByte(s.Data[end]) || s.Data[end] == '-' || s.Data[end] == '.') {
				end++
			}
			// The starters that only read configuration do not discover.
			full := string(s.Data[at:end])
			if at > 0 && (detect.IsWordByte(s.Data[at-1]) || s.Data[at-1] == '-') || strings.HasSuffix(full, "-config") || strings.HasSuffix(full, "-leader") || strings.HasSuffix(full, "-istio") || strings.HasSuffix(full, "-autoconfig") || commentedOut(s.Data, at) {
				continue
			}
			s.Report(detect.Hit{
				Offset: at, Detector: "text/library-default", Class: evidence.Reader, Confidence: lib.conf, Verb: "watch", Access: "helper",
				Advice: LibraryAdvice(lib), Note: lib.note, Setting: settingOf(lib),
			})
			break
		}
	}
}

func LibraryAdvice(lib DefaultLibrary) string {
	if lib.key == "" {
		return "Look for a release or a mode that reads EndpointSlices, or discover through DNS."
	}
	return "Set " + lib.key + ", and give the ServiceAccount list and watch on endpointslices."
}

// commentedOut reports whether a line comment stands before an offset on its
// line.
func commentedOut(data []byte, at int) bool {
	start := bytes.LastIndexByte(data[:at], '\n') + 1
	line := bytes.TrimLeft(data[start:at], " \t")
	return bytes.HasPrefix(line, []byte("#")) || bytes.HasPrefix(line, []byte("//")) || bytes.HasPrefix(line, []byte("!")) || bytes.HasPrefix(line, []byte(";"))
}

// dropXMLComments blanks what stands in <!-- -->.
func dropXMLComments(data []byte) []byte {
	out := bytes.Clone(data)
	for p := 0; ; {
		i := bytes.Index(out[p:], []byte("<!--"))
		if i < 0 {
			return out
		}
		start, end := p+i, len(out)
		if j := bytes.Index(out[start:], []byte("-->")); j >= 0 {
			end = start + j + 3
		}
		detect.Overwrite(out[start:end], "")
		p = end
	}
}
