package watch_test

import (
	"context"
	"fmt"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/slicewright/slicewright/endpointset"
	"github.com/slicewright/slicewright/watch"
)

// A controller of your own follows some namespaces. The README shows this one.
func Example() {
	config, err := clientcmd.BuildConfigFromFlags("", clientcmd.RecommendedHomeFile)
	if err != nil {
		fmt.Println(err)
		return
	}
	client, err := watch.NewClient(watch.Configure(config, "my-controller"))
	if err != nil {
		fmt.Println(err)
		return
	}

	var w *watch.Watcher
	w = watch.New(client, watch.Options{
		Namespaces: []string{"vector-lab"},
		Changed: func(changes []endpointset.Change) {
			for _, c := range changes {
				sel := w.Index().Service(c.Service).Select(endpointset.Query{})
				fmt.Println(c.Service, len(sel.Active), "active,", len(sel.Draining), "draining")
			}
		},
	})
	w.Run(context.Background())
}
