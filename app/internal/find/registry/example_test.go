package registry_test

import (
	"fmt"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/registry"
)

// A finding of the audit log and one in source are about one consumer.
func ExampleBuild() {
	seen := evidence.Finding{
		Subject: evidence.Subject{ServiceAccount: "prod/sync", UserAgent: "sync/v2"},
		Class:   evidence.Reader, Confidence: evidence.Proven, Verbs: map[string]int{"watch": 3},
		Evidence: []evidence.Evidence{{Source: evidence.SourceAudit, Detector: "audit/request", Locator: "0bf7a3d9", Count: 3}},
	}
	written := evidence.Finding{
		Subject: evidence.Subject{Application: "sync"},
		Class:   evidence.Reader, Confidence: evidence.Likely, Access: []string{"informer"},
		Evidence: []evidence.Evidence{{Source: evidence.SourceGo, Detector: "go/informer", Locator: "cmd/main.go:41:9", Count: 1}},
	}
	reg := registry.Build([]evidence.Finding{seen, written}, []evidence.Coverage{{Source: evidence.SourceAudit, Read: 100}})
	for _, e := range reg.Entries {
		fmt.Println(e.Key, e.Confidence, e.Access, e.Verbs, len(e.Evidence))
	}
	// Output:
	// serviceaccount/prod/sync proven [informer] map[watch:3] 2
}
