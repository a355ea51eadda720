package gosource_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/slicewright/slicewright/app/internal/find/gosource"
)

func ExampleScan() {
	dir, err := os.MkdirTemp("", "source")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	source := `package app

import "net/http"

func backends(host, namespace string) (*http.Response, error) {
	return http.Get(host + "/api/v1/namespaces/" + namespace + "/endpoints")
}
`
	if err := os.WriteFile(filepath.Join(dir, "app.go"), []byte(source), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	findings, coverage := gosource.Scan(context.Background(), dir, gosource.Options{})
	for _, f := range findings {
		fmt.Println(f.Evidence[0].Locator, f.Evidence[0].Detector, f.Class, f.Verbs)
		fmt.Println(f.Advice)
	}
	fmt.Println(coverage.Read, "file,", coverage.Problems[0].Message)
	// Output:
	// app.go:6:18 go/raw-url reader map[list:1]
	// Use /apis/discovery.k8s.io/v1/namespaces/NAMESPACE/endpointslices?labelSelector=kubernetes.io/service-name=SERVICE and join all slices of the list.
	// 1 file, this is no Go module: files with candidates that belong to none and are read without dependencies: 1
}
