package program

import (
	"bytes"

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
