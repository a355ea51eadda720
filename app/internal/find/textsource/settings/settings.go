package settings

import (
	"bytes"
	_ "embed"
	"path"
	"regexp"
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/textsource/detect"
	"github.com/slicewright/slicewright/app/internal/find/textsource/table"
	"github.com/slicewright/slicewright/app/internal/find/wordsearch"
)

// adviceStateStore is for a program that keeps its state in Endpoints.
const adviceStateStore = "Keep the state in ConfigMaps or Leases; this is no set of backends and cannot move to EndpointSlices as it is."

//go:embed libraries.yaml
var libraryTable []byte

var known = table.Load[struct {
	Libraries []Library `yaml:"libraries"`
	Silent    table.Set `yaml:"silent"`
}]("libraries.yaml", libraryTable)

// Library reads Endpoints unless it is told not to.
type Library struct {
	Artifact   string              `yaml:"artifact"`
	Setting    string              `yaml:"setting"`
	Confidence evidence.Confidence `yaml:"confidence"`
	Note       string              `yaml:"note"`
}

// LibraryOf is the library with an artifact of this name.
func LibraryOf(artifact string) Library {
	for _, lib := range known.Libraries {
		if lib.Artifact == artifact {
			return lib
		}
	}
	return Library{}
}

// Advice is the EndpointSlice way of the library.
func (l Library) Advice() string {
	if l.Setting == "" {
		return "Look for a release or a mode that reads EndpointSlices, or discover through DNS."
	}
	return "Set " + l.Setting + ", and give the ServiceAccount list and watch on endpointslices."
}

// turnedBy is the setting that turns the library to slices, by the one name for
// all of its spellings.
func (l Library) turnedBy() string {
	if strings.HasSuffix(l.Setting, sliceSetting) {
		return sliceSetting
	}
	return l.Setting
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
		if h, ok := HitOf(key, value); ok {
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

// TurnsToSlices is the setting that a key and its value turn to slices; "" if they
// turn none.
func TurnsToSlices(key, value string) string {
	switch {
	case strings.HasSuffix(key, "discovery.mode") && value == "service":
		return modeSetting
	case strings.EqualFold(strings.NewReplacer("-", "", "_", "").Replace(key[max(0, len(key)-len(sliceSetting)):]), "useendpointslices") && value == "true":
		return sliceSetting
	}
	return ""
}

// HitOf judges one setting by its name and value.
func HitOf(key, value string) (detect.Hit, bool) {
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
	for _, lib := range known.Libraries {
		if at := dependency(s.Data, lib.Artifact); at >= 0 {
			s.Report(detect.Hit{
				Offset: at, Detector: "text/library-default", Class: evidence.Reader, Confidence: lib.Confidence, Verb: "watch", Access: "helper",
				Advice: lib.Advice(), Note: lib.Note, Setting: lib.turnedBy(),
			})
		}
	}
}

// dependency is where a text first names an artifact as a dependency; -1 if it
// does not.
func dependency(data []byte, artifact string) int {
	for p := 0; ; {
		i := bytes.Index(data[p:], []byte(artifact))
		if i < 0 {
			return -1
		}
		at := p + i
		p = at + len(artifact)
		end := p
		for end < len(data) && (detect.IsWordByte(data[end]) || data[end] == '-' || data[end] == '.') {
			end++
		}
		begins := at == 0 || !detect.IsWordByte(data[at-1]) && data[at-1] != '-'
		if begins && !known.Silent.EndsAny(string(data[at:end])) && !commentedOut(data, at) {
			return at
		}
	}
}

// commentedOut reports whether a line comment is before an offset on its line.
func commentedOut(data []byte, at int) bool {
	start := bytes.LastIndexByte(data[:at], '\n') + 1
	line := bytes.TrimLeft(data[start:at], " \t")
	return bytes.HasPrefix(line, []byte("#")) || bytes.HasPrefix(line, []byte("//")) || bytes.HasPrefix(line, []byte("!")) || bytes.HasPrefix(line, []byte(";"))
}

// dropXMLComments blanks comments.
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
