package textsource

import (
	"bytes"
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/textsource/lex"
)

// libraries are the client libraries that a program imports, as far as its
// own text says.
type libraries struct {
	kube                                  bool // any client at all
	fabric8, official                     bool
	lightkube, kr8s, pykube, kopf, kubeRS bool
	pulumi, cdk8s, fluentClient           bool
	models, pepr                          bool
	// endpoints are the names under which the API's Endpoints type is known
	// here.
	endpoints map[string]bool
	// modules are names under which a module that holds it is known.
	modules map[string]bool
}

// importedLibraries reads the imports. Strings of bytes are enough for whose
// library it is; the names need the tokens.
func importedLibraries(data []byte, tokens []lex.Token, lang *lex.Language) libraries {
	has := func(s string) bool { return bytes.Contains(data, []byte(s)) }
	l := libraries{endpoints: map[string]bool{}, modules: map[string]bool{}}
	switch lang.Name {
	case "python":
		l.lightkube = has("lightkube")
		l.kr8s = has("kr8s")
		l.pykube = has("pykube")
		l.kopf = has("kopf")
		l.pulumi = has("pulumi_kubernetes")
		l.cdk8s = has("cdk8s")
		l.official = has("kubernetes")
		l.pythonImports(tokens)
	case "java", "kotlin", "groovy":
		l.fabric8 = has("io.fabric8.kubernetes") || has("io.fabric8.openshift")
		l.official = has("io.kubernetes.client")
		l.javaImports(tokens)
	case "javascript":
		l.official = has("@kubernetes/client-node") || has("kubernetes-client")
		l.fluentClient = has("kubernetes-client") || has("godaddy") || has("kubernetes")
		l.pulumi = has("@pulumi/kubernetes")
		l.cdk8s = has("cdk8s")
		l.models = has("kubernetes-models")
		l.pepr = has("pepr") || has("kubernetes-fluent-client")
	case "rust":
		l.kubeRS = has("kube::") || has("k8s_openapi") || has("use kube")
		l.rustImports(tokens)
	case "csharp":
		l.official = has("k8s") || has("KubeOps") || has("KubernetesClient")
	}
	l.kube = l.fabric8 || l.official || l.lightkube || l.kr8s || l.pykube || l.kopf || l.kubeRS || l.pulumi || l.cdk8s || l.models || l.pepr
	return l
}

// pythonImports reads "from MODULE import A as B, C".
func (l *libraries) pythonImports(tokens []lex.Token) {
	for i := 0; i+3 < len(tokens); i++ {
		if !tokens[i].Is("from") || i > 0 && tokens[i-1].Kind != lex.Newline {
			continue
		}
		var module strings.Builder
		j := i + 1
		for ; j < len(tokens) && !tokens[j].Is("import") && tokens[j].Kind != lex.Newline; j++ {
			module.WriteString(tokens[j].Text)
		}
		typed := pythonModuleHolds(module.String())
		for ; j < len(tokens) && tokens[j].Kind != lex.Newline; j++ {
			name := tokens[j].Text
			alias := name
			if j+2 < len(tokens) && tokens[j+1].Is("as") {
				alias = tokens[j+2].Text
			}
			switch {
			case typed && (name == "Endpoints" || l.pykube && name == "Endpoint" || name == "KubeEndpoints"):
				l.endpoints[alias] = true
			case name == "core_v1" || name == "objects" && l.kr8s || name == "v1" && l.pulumi:
				l.modules[alias] = true
			}
		}
		i = j
	}
}

// pythonModuleHolds reports whether a module has the API's Endpoints type.
func pythonModuleHolds(module string) bool {
	for _, prefix := range []string{"lightkube.resources.core_v1", "lightkube.models.core_v1", "kr8s.objects", "kr8s.asyncio.objects", "pykube", "pulumi_kubernetes.core", "hikaru.model", "imports.k8s", "cloudcoil.models.kubernetes.core"} {
		if strings.HasPrefix(module, prefix) {
			return !strings.HasPrefix(module, "lightkube.models")
		}
	}
	return false
}

// javaImports reads "import a.b.C" and Kotlin's "as".
func (l *libraries) javaImports(tokens []lex.Token) {
	foreign := false
	model := false
	for i := 0; i+1 < len(tokens); i++ {
		if !tokens[i].Is("import") {
			continue
		}
		var name strings.Builder
		j := i + 1
		for j < len(tokens) && (tokens[j].Kind == lex.Ident && (j == i+1 || isDot(tokens[j-1]) || tokens[j-1].Is("static")) || isDot(tokens[j]) || tokens[j].Is("*")) {
			if !tokens[j].Is("static") {
				name.WriteString(tokens[j].Text)
			}
			j++
		}
		full := name.String()
		alias := full[strings.LastIndexByte(full, '.')+1:]
		if j+1 < len(tokens) && tokens[j].Is("as") {
			alias = tokens[j+1].Text
		}
		switch {
		case full == "io.fabric8.kubernetes.api.model.Endpoints":
			l.endpoints[alias] = true
		case full == "io.fabric8.kubernetes.api.model.*":
			model = true
		case full == "io.kubernetes.client.openapi.models.V1Endpoints":
			l.endpoints[alias] = true
		case strings.HasSuffix(full, ".Endpoints"):
			foreign = true
		}
		i = j - 1
	}
	if model && !foreign {
		l.endpoints["Endpoints"] = true
	}
	if l.official {
		l.endpoints["V1Endpoints"] = true
	}
}

// rustImports reads use declarations, with braces and "as".
func (l *libraries) rustImports(tokens []lex.Token) {
	for i := 0; i < len(tokens); i++ {
		if tokens[i].Is("use") && (i == 0 || tokens[i-1].Is(";") || tokens[i-1].Is("}") || tokens[i-1].Is("pub") || tokens[i-1].Is("{") || tokens[i-1].Is("]") || tokens[i-1].Is(")")) {
			i = l.rustUse(tokens, i+1, "", 0)
		}
	}
}

// rustUse reads one use tree from i on and returns the index of its end.
func (l *libraries) rustUse(tokens []lex.Token, i int, prefix string, depth int) int {
	path := prefix
	for i < len(tokens) {
		t := tokens[i]
		switch {
		case t.Is("{") && depth < 16:
			i = l.rustUse(tokens, i+1, path, depth+1)
			if i < len(tokens) && tokens[i].Is("}") {
				i++
			}
			continue
		case t.Is("as") && i+1 < len(tokens):
			l.rustName(path, tokens[i+1].Text)
			path = ""
			i += 2
			continue
		case t.Is(","):
			if depth == 0 {
				return i
			}
			l.rustName(path, lastSegment(path))
			path = prefix
		case t.Is("}") || t.Is(";"):
			l.rustName(path, lastSegment(path))
			return i
		case t.Kind == lex.Ident || t.Is("::") || t.Is("*"):
			path += t.Text
		default:
			return i
		}
		i++
	}
	return i
}

func lastSegment(path string) string { return path[strings.LastIndexByte(path, ':')+1:] }

func (l *libraries) rustName(path, alias string) {
	switch {
	case !strings.Contains(path, "k8s_openapi") && !strings.Contains(path, "core::v1") && !strings.Contains(path, "corev1"):
	case strings.HasSuffix(path, "::v1::Endpoints") || strings.HasSuffix(path, "corev1::Endpoints"):
		l.endpoints[alias] = true
	case strings.HasSuffix(path, "::core::v1") || strings.HasSuffix(path, "::v1::self") || strings.HasSuffix(path, "::corev1"):
		if alias == "self" {
			alias = "v1"
		}
		l.modules[alias] = true
	case strings.HasSuffix(path, "core::v1::*"):
		l.endpoints["Endpoints"] = true
	}
}
