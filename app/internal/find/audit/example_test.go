package audit_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/audit"
)

func ExampleScanReader() {
	const log = `
{"auditID":"1","stage":"ResponseStarted","verb":"watch","user":{"username":"system:serviceaccount:prod:sync"},"userAgent":"sync/v2","objectRef":{"resource":"endpoints","namespace":"prod"},"responseStatus":{"code":200}}
{"auditID":"2","stage":"ResponseComplete","verb":"list","user":{"username":"system:serviceaccount:prod:nosy"},"userAgent":"curl/8","objectRef":{"resource":"endpoints"},"responseStatus":{"code":403}}
{"auditID":"3","stage":"ResponseComplete","verb":"list","user":{"username":"alice"},"objectRef":{"resource":"pods"},"responseStatus":{"code":200}}`
	result := audit.ScanReader(context.Background(), "log", strings.NewReader(log), audit.Options{})
	for _, f := range result.Findings {
		fmt.Println(f.Subject.ServiceAccount, f.Class, f.Confidence, f.Verbs, f.Refused)
	}
	fmt.Println(result.Coverage.Read, "events read,", result.Totals.OpenWatches, "watch is open")
	// Output:
	// prod/nosy reader likely map[] 1
	// prod/sync reader proven map[watch:1] 0
	// 3 events read, 1 watch is open
}
