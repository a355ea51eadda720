// Package controllerruntime is a stub with the shape of the real one.
package controllerruntime

import (
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

type (
	Manager = manager.Manager
	Options = manager.Options
	Builder = builder.Builder
	Result  struct{ Requeue bool }
	Request struct{ types.NamespacedName }
)

var NewControllerManagedBy = builder.ControllerManagedBy

func NewManager(config *rest.Config, options Options) (Manager, error) { return nil, nil }
func GetConfigOrDie() *rest.Config                                     { return nil }
