// Package manager is a stub with the shape of the real one.
package manager

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

type Options struct {
	Scheme                     *runtime.Scheme
	LeaderElection             bool
	LeaderElectionID           string
	LeaderElectionResourceLock string
}

type Manager interface {
	Add(any) error
	Start(context.Context) error
	GetClient() client.Client
	GetAPIReader() client.Reader
	GetCache() cache.Cache
	GetScheme() *runtime.Scheme
	GetConfig() *rest.Config
	GetFieldIndexer() client.FieldIndexer
}

func New(config *rest.Config, options Options) (Manager, error) { return nil, nil }
