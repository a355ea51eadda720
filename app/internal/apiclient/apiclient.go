// Package apiclient has clients of the API groups that the programs use. The
// whole clientset of client-go has a client for every group of Kubernetes: a
// hundred packages more.
package apiclient

import (
	authorizationclient "k8s.io/client-go/kubernetes/typed/authorization/v1"
	coordinationclient "k8s.io/client-go/kubernetes/typed/coordination/v1"
	coreclient "k8s.io/client-go/kubernetes/typed/core/v1"
	discoveryclient "k8s.io/client-go/kubernetes/typed/discovery/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"
)

// Interface is a part of client-go's kubernetes.Interface: a clientset, also a
// fake one, is an Interface.
type Interface interface {
	AuthorizationV1() authorizationclient.AuthorizationV1Interface
	CoordinationV1() coordinationclient.CoordinationV1Interface
	CoreV1() coreclient.CoreV1Interface
	DiscoveryV1() discoveryclient.DiscoveryV1Interface
}

type clients struct {
	authorization *authorizationclient.AuthorizationV1Client
	coordination  *coordinationclient.CoordinationV1Client
	core          *coreclient.CoreV1Client
	discovery     *discoveryclient.DiscoveryV1Client
}

func (c *clients) AuthorizationV1() authorizationclient.AuthorizationV1Interface {
	return c.authorization
}

func (c *clients) CoordinationV1() coordinationclient.CoordinationV1Interface { return c.coordination }
func (c *clients) CoreV1() coreclient.CoreV1Interface                         { return c.core }
func (c *clients) DiscoveryV1() discoveryclient.DiscoveryV1Interface          { return c.discovery }

// New returns clients that share one HTTP client and one rate limiter.
func New(config *rest.Config) (Interface, error) {
	config = rest.CopyConfig(config)
	if config.RateLimiter == nil && config.QPS > 0 {
		config.RateLimiter = flowcontrol.NewTokenBucketRateLimiter(config.QPS, config.Burst)
	}
	transport, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	c := &clients{}
	if c.authorization, err = authorizationclient.NewForConfigAndClient(config, transport); err != nil {
		return nil, err
	}
	if c.coordination, err = coordinationclient.NewForConfigAndClient(config, transport); err != nil {
		return nil, err
	}
	if c.core, err = coreclient.NewForConfigAndClient(config, transport); err != nil {
		return nil, err
	}
	if c.discovery, err = discoveryclient.NewForConfigAndClient(config, transport); err != nil {
		return nil, err
	}
	return c, nil
}
