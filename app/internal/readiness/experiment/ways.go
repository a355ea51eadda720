package experiment

import "strings"

// DefaultManifestPath is where kubeadm puts the static Pod that runs the
// controllers.
const DefaultManifestPath = "/etc/kubernetes/manifests/kube-controller-manager.yaml"

// Way is how a distribution is told to start kube-controller-manager otherwise.
type Way struct {
	Name string `json:"name"`
	// Possible is false where the operator of the cluster cannot change the
	// flag.
	Possible bool   `json:"possible"`
	How      string `json:"how"`
}

// static is the way that a plan spells out.
var static = Way{"kubeadm, and other static Pods", true, "Change the flag in the static Pod's manifest on each control-plane node, and in kubeadm's ClusterConfiguration. The steps below do that."}

// managed clusters have a control plane that their provider starts.
func managed(name string) Way {
	return Way{
		name, false,
		"The provider starts kube-controller-manager, and no setting of its --controllers is known. Do the experiment on a cluster of your own with the same versions and the same consumers: kind, kubeadm, or the lab (make experiment).",
	}
}

// Ways are all that are known, static Pods first. The places were looked up in
// the distributions' source or documentation, and not tried.
func Ways() []Way {
	return []Way{
		static,
		{"kind", true, "kubeadmConfigPatches of the cluster's configuration take kubeadm's ClusterConfiguration with the extraArgs, when the cluster is created."},
		{"k3s, RKE2", true, `kube-controller-manager-arg: ["controllers=VALUE"] in config.yaml of every server, and a restart of one after the other. It replaces the whole list: the server's log shows the one in use ("Running kube-controller-manager").`},
		{"Talos", true, "cluster.controllerManager.extraArgs.controllers in the machine configuration (extraArgs of KubeControllerManagerConfig since 1.14), node by node. It replaces the whole list."},
		{"kops", true, "spec.kubeControllerManager.controllers, a list of words, and a rolling update of the control plane."},
		managed("Managed control planes (EKS, GKE, AKS)"),
	}
}

// wayOf tells a distribution by a cluster's version and the labels of its nodes.
func wayOf(version string, labels []string) Way {
	has := func(prefix string) bool {
		for _, l := range labels {
			if strings.HasPrefix(l, prefix) {
				return true
			}
		}
		return false
	}
	name := ""
	switch {
	case strings.Contains(version, "-eks-") || has("eks.amazonaws.com/"):
		return managed("Amazon EKS")
	case strings.Contains(version, "-gke.") || has("cloud.google.com/gke-"):
		return managed("Google GKE")
	case has("kubernetes.azure.com/cluster"):
		return managed("Azure AKS")
	case strings.Contains(version, "+k3s") || strings.Contains(version, "+rke2"):
		name = "k3s, RKE2"
	case has("kops.k8s.io/"):
		name = "kops"
	}
	for _, w := range Ways() {
		if w.Name == name {
			return w
		}
	}
	return static
}
