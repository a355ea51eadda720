// Package v1 is a stub with the shape of the real one.
package v1

import "k8s.io/client-go/rest"

type AppsV1Interface interface{ RESTClient() rest.Interface }
