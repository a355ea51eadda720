package textsource_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/slicewright/slicewright/app/internal/find/textsource"
)

func ExampleScan() {
	dir, err := os.MkdirTemp("", "textsource")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	script := "#!/bin/sh\n# kubectl get ep: only a comment\nkubectl -n web get ep api\n"
	if err := os.WriteFile(filepath.Join(dir, "check.sh"), []byte(script), 0o600); err != nil {
		panic(err)
	}

	findings, coverage := textsource.Scan(context.Background(), dir, textsource.Options{})
	for _, f := range findings {
		fmt.Println(f.Evidence[0].Locator, f.Evidence[0].Detector, f.Confidence, f.Evidence[0].Verb, f.Namespaces)
	}
	fmt.Println("files read:", coverage.Read)
	// Output:
	// check.sh:3:1 text/kubectl likely get [web]
	// files read: 1
}
