package clean

import (
	"fmt"
	"os"
)

// resourceName is a word. kubectl get endpoints in a comment is none that runs.
const resourceName = "endpoints"

func words() {
	fmt.Println("endpoints", resourceName)
	_ = os.Getenv("ETCDCTL_ENDPOINTS")
	resources := []string{"pods", "endpoints"}
	_ = resources
	flags := map[string]string{"resource": "endpoints"}
	_ = flags["endpoints"]
}
