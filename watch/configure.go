package watch

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
)

// Configure returns a copy of a connection's configuration as a [Watcher] wants
// it: protobuf, which is cheaper to decode than JSON,
// and a user agent by which audit logs tell the product from others.
func Configure(config *rest.Config, userAgent string) *rest.Config {
	config = rest.CopyConfig(config)
	config.ContentType = runtime.ContentTypeProtobuf
	config.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON
	config.UserAgent = userAgent
	return config
}
