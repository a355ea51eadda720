package controlplane

import (
	"fmt"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
)

// The components, in the order in which they start.
const (
	Etcd              = "etcd"
	APIServer         = "kube-apiserver"
	ControllerManager = "kube-controller-manager"
	Scheduler         = "kube-scheduler"
	Proxy             = "kube-proxy"
)

// Names lists every component that Restart knows. All but Proxy are started
// with the control plane.
var Names = []string{Etcd, APIServer, ControllerManager, Scheduler, Proxy}

// The ports are the components' usual ones: one lab has a network to itself.
const (
	etcdURL           = "http://127.0.0.1:2379"
	etcdPeerURL       = "http://127.0.0.1:2380"
	apiServerPort     = 6443
	controllerMgrPort = 10257
	schedulerPort     = 10259
	proxyHealthPort   = 10256
)

// ServiceCIDRs are where ClusterIPs come from: both families.
var ServiceCIDRs = []netip.Prefix{
	netip.MustParsePrefix("10.96.0.0/16"),
	netip.MustParsePrefix("fd00:10:96::/112"),
}

// defaultFlags are the flags of a component as the lab starts it.
func defaultFlags(name string, c Config) []string {
	in := func(file string) string { return filepath.Join(c.Dir, file) }
	switch name {
	case Etcd:
		return []string{
			"--data-dir=" + in("etcd"),
			"--listen-client-urls=" + etcdURL,
			"--advertise-client-urls=" + etcdURL,
			"--listen-peer-urls=" + etcdPeerURL,
			"--initial-advertise-peer-urls=" + etcdPeerURL,
			"--initial-cluster=default=" + etcdPeerURL,
			// A lab's data need not survive a power cut, only a kill -9, and the
			// page cache does that.
			"--unsafe-no-fsync=true",
			"--log-level=warn",
		}
	case APIServer:
		return []string{
			"--etcd-servers=" + etcdURL,
			"--bind-address=127.0.0.1",
			fmt.Sprintf("--secure-port=%d", apiServerPort),
			"--advertise-address=" + c.Address.String(),
			"--service-cluster-ip-range=" + joinPrefixes(ServiceCIDRs),
			"--service-account-issuer=https://kubernetes.default.svc",
			"--service-account-key-file=" + in("serviceaccount.key"),
			"--service-account-signing-key-file=" + in("serviceaccount.key"),
			"--client-ca-file=" + in("ca.crt"),
			"--tls-cert-file=" + in("apiserver.crt"),
			"--tls-private-key-file=" + in("apiserver.key"),
			"--cert-dir=" + in("certs"),
			"--authorization-mode=RBAC",
			"--audit-policy-file=" + in("audit-policy.yaml"),
			"--audit-log-path=" + in("audit.log"),
			// In one file, so that who reads it need not look for older ones.
			"--audit-log-maxsize=4096",
			"--allow-privileged=true",
			// One machine, few clients: fairness would only add latency.
			"--enable-priority-and-fairness=false",
			"--shutdown-delay-duration=0s",
		}
	case ControllerManager:
		return []string{
			"--kubeconfig=" + in("kube-controller-manager.kubeconfig"),
			"--authentication-kubeconfig=" + in("kube-controller-manager.kubeconfig"),
			"--authorization-kubeconfig=" + in("kube-controller-manager.kubeconfig"),
			"--bind-address=127.0.0.1",
			fmt.Sprintf("--secure-port=%d", controllerMgrPort),
			"--cert-dir=" + in("certs"),
			"--controllers=*",
			"--service-account-private-key-file=" + in("serviceaccount.key"),
			"--root-ca-file=" + in("ca.crt"),
			"--use-service-account-credentials=true",
			"--leader-elect=false",
			// A rollout of 240 Pods must wait for Pods, not for rate limits.
			"--kube-api-qps=300",
			"--kube-api-burst=600",
			// An API server that is down for a scenario must not taint the Nodes.
			"--node-monitor-grace-period=5m",
		}
	case Scheduler:
		return []string{
			"--config=" + in("scheduler.yaml"),
			"--authentication-kubeconfig=" + in("kube-scheduler.kubeconfig"),
			"--authorization-kubeconfig=" + in("kube-scheduler.kubeconfig"),
			"--bind-address=127.0.0.1",
			fmt.Sprintf("--secure-port=%d", schedulerPort),
			"--cert-dir=" + in("certs"),
		}
	case Proxy:
		return []string{
			"--kubeconfig=" + in("kube-proxy.kubeconfig"),
			"--proxy-mode=nftables",
			"--hostname-override=" + c.ProxyNode,
			fmt.Sprintf("--healthz-bind-address=127.0.0.1:%d", proxyHealthPort),
			// The lab's network is not the machine's: leave its conntrack alone.
			"--conntrack-max-per-core=0",
			"--conntrack-tcp-timeout-established=0s",
			"--conntrack-tcp-timeout-close-wait=0s",
		}
	}
	return nil
}

// override returns defaults with each flag of changes in place of the one of
// the same name, and new ones at the end. A flag's name ends at its "=".
func override(defaults, changes []string) []string {
	result := slices.Clone(defaults)
	for _, change := range changes {
		same := func(flag string) bool { return flagName(flag) == flagName(change) }
		if i := slices.IndexFunc(result, same); i >= 0 {
			result[i] = change
		} else {
			result = append(result, change)
		}
	}
	return result
}

func flagName(flag string) string {
	name, _, _ := strings.Cut(strings.TrimLeft(flag, "-"), "=")
	return name
}

// checkFlags refuses what override would not understand.
func checkFlags(flags []string) error {
	for _, flag := range flags {
		if !strings.HasPrefix(flag, "--") || !strings.Contains(flag, "=") {
			return fmt.Errorf("flag %q: write it as --name=value", flag)
		}
	}
	return nil
}

func joinPrefixes(prefixes []netip.Prefix) string {
	parts := make([]string, len(prefixes))
	for i, p := range prefixes {
		parts[i] = p.String()
	}
	return strings.Join(parts, ",")
}
