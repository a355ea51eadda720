package clean

import (
	"fmt"
	"os"
)

// endpoints is a word. kubectl get endpoints in a comment is none that runs.
const endpoints = "endpoints"

func words() {
	fmt.Println("endpoints", endpoints)
	_ = os.Getenv("ETCDCTL_ENDPOINTS")
	resources := []string{"pods", "endpoints"}
	_ = resources
	flags := map[string]string{"resource": "endpoints"}
	_ = flags["endpoints"]
}
