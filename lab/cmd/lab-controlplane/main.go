// Command lab-controlplane is the lab's Kubernetes control plane in one
// binary: etcd, kube-apiserver, kube-controller-manager, kube-scheduler and
// kube-proxy, chosen by the first argument. Each runs as a process of its own,
// so that a scenario can kill one and leave the others alone.
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	proxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: lab-controlplane etcd|kube-apiserver|kube-controller-manager|kube-scheduler|kube-proxy [flags]")
		os.Exit(2)
	}
	name := os.Args[1]
	// Each component parses os.Args itself and expects its own name first.
	os.Args = append([]string{name}, os.Args[2:]...)

	var command *cobra.Command
	switch name {
	case "etcd":
		etcdmain.Main(os.Args)
		return
	case "kube-apiserver":
		command = apiserver.NewAPIServerCommand()
	case "kube-controller-manager":
		command = controllermanager.NewControllerManagerCommand()
	case "kube-scheduler":
		command = scheduler.NewSchedulerCommand()
	case "kube-proxy":
		command = proxy.NewProxyCommand()
	default:
		fmt.Fprintf(os.Stderr, "lab-controlplane: unknown component %q\n", name)
		os.Exit(2)
	}
	os.Exit(cli.Run(command))
}
