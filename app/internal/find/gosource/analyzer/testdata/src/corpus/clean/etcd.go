package clean

import (
	"context"

	clientv3 "go.etcd.io/etcd/client/v3"
)

func etcd(ctx context.Context) {
	c, _ := clientv3.New(clientv3.Config{Endpoints: []string{"http://127.0.0.1:2379"}})
	_ = c.Endpoints()
	c.SetEndpoints("a", "b")
	_, _ = c.Get(ctx, "/registry/services/endpoints/default/kubernetes")
}
