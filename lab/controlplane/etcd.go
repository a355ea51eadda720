package controlplane

import (
	"context"
	"fmt"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// etcdClient opens a client to the lab's etcd; the caller closes it.
func etcdClient(ctx context.Context) (*clientv3.Client, error) {
	client, err := clientv3.New(clientv3.Config{
		Endpoints:   []string{etcdURL},
		DialTimeout: 5 * time.Second,
		Context:     ctx,
	})
	if err != nil {
		return nil, fmt.Errorf("connect to etcd: %w", err)
	}
	return client, nil
}

// Compact makes etcd forget every revision before the newest, so that a watch
// that wants to go on from an older one is answered 410 Gone. It returns the
// revision that is left.
func (c *ControlPlane) Compact(ctx context.Context) (int64, error) {
	client, err := etcdClient(ctx)
	if err != nil {
		return 0, err
	}
	defer client.Close()
	now, err := client.Get(ctx, "compact_rev_key")
	if err != nil {
		return 0, fmt.Errorf("read etcd's revision: %w", err)
	}
	revision := now.Header.Revision
	if _, err := client.Compact(ctx, revision, clientv3.WithCompactPhysical()); err != nil {
		return 0, fmt.Errorf("compact etcd at revision %d: %w", revision, err)
	}
	return revision, nil
}

// A Snapshot is what etcd held under one prefix of keys.
type Snapshot struct {
	prefix string
	values map[string]string
}

// Len counts the objects of the snapshot.
func (s Snapshot) Len() int { return len(s.values) }

// Snapshot reads all objects of a resource in a namespace from etcd, such as
// "endpointslices" in "vector-lab".
func (c *ControlPlane) Snapshot(ctx context.Context, resource, namespace string) (Snapshot, error) {
	client, err := etcdClient(ctx)
	if err != nil {
		return Snapshot{}, err
	}
	defer client.Close()
	s := Snapshot{prefix: fmt.Sprintf("/registry/%s/%s/", resource, namespace), values: map[string]string{}}
	answer, err := client.Get(ctx, s.prefix, clientv3.WithPrefix())
	if err != nil {
		return Snapshot{}, fmt.Errorf("read %s from etcd: %w", s.prefix, err)
	}
	for _, kv := range answer.Kvs {
		s.values[string(kv.Key)] = string(kv.Value)
	}
	return s, nil
}

// Return puts etcd back to a snapshot, in one transaction: objects that came
// since go, the others get their old content back. With the API server away
// this is the one way in which the world can change meanwhile.
func (c *ControlPlane) Return(ctx context.Context, s Snapshot) error {
	client, err := etcdClient(ctx)
	if err != nil {
		return err
	}
	defer client.Close()
	now, err := client.Get(ctx, s.prefix, clientv3.WithPrefix(), clientv3.WithKeysOnly())
	if err != nil {
		return fmt.Errorf("read %s from etcd: %w", s.prefix, err)
	}
	var ops []clientv3.Op
	for _, kv := range now.Kvs {
		if _, kept := s.values[string(kv.Key)]; !kept {
			ops = append(ops, clientv3.OpDelete(string(kv.Key)))
		}
	}
	for key, value := range s.values {
		ops = append(ops, clientv3.OpPut(key, value))
	}
	if _, err := client.Txn(ctx).Then(ops...).Commit(); err != nil {
		return fmt.Errorf("put %s back in etcd: %w", s.prefix, err)
	}
	return nil
}
