package watch_test

import (
	"context"
	"fmt"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/slicewright/slicewright/endpointset"
	"github.com/slicewright/slicewright/watch"
)

// A controller of your own follows a namespace. The README shows this one.
func Example() {
	config, err := clientcmd.BuildConfigFromFlags("", clientcmd.RecommendedHomeFile)
	if err != nil {
		fmt.Println(err)
		return
	}
	client := kubernetes.NewForConfigOrDie(watch.Configure(config, "my-controller"))

	var w *watch.Watcher
	w = watch.New(client.DiscoveryV1(), watch.Options{
		Namespaces: []string{"vector-lab"},
		Changed: func(changes []endpointset.Change) {
			if !w.Synced() {
				return // the initial list is not handled yet: a set may be incomplete
			}
			for _, c := range changes {
				sel := w.Index().Service(c.Service).Select(endpointset.Query{})
				fmt.Println(c.Service, len(sel.Active), "active,", len(sel.Draining), "draining")
			}
		},
	})
	w.Run(context.Background())
}
