// Command coredns is CoreDNS with the plugins that serve a cluster's Services,
// and no others: the same code as the released program for what the lab asks
// of it, in a third of the build.
package main

import (
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/coremain"

	_ "github.com/coredns/coredns/plugin/bind"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/kubernetes"
	_ "github.com/coredns/coredns/plugin/loadbalance"
	_ "github.com/coredns/coredns/plugin/log"
	_ "github.com/coredns/coredns/plugin/ready"
)

// The order in which a query passes through plugins, as in CoreDNS's own
// plugin.cfg.
func init() {
	dnsserver.Directives = []string{"bind", "ready", "errors", "log", "loadbalance", "kubernetes"}
}

func main() { coremain.Run() }
