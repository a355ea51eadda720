package experiment

import (
	"cmp"
	"slices"
)

// Cluster is what was read of a running cluster. The zero value is one of which
// nothing could be read.
type Cluster struct {
	// Version is the API server's, such as "v1.37.2".
	Version string
	// Labels are the keys of all nodes' labels: distributions mark theirs.
	Labels []string
	// Managers are the mirror Pods of kube-controller-manager.
	Managers []Manager
	// Leader is the holder of the Lease kube-controller-manager: a node's name, an
	// underscore and a UUID.
	Leader string
	// Services is how many there are, 0 where that is not known.
	Services int
	// Kubeadm is kube-system's ConfigMap kubeadm-config, nil if the cluster has
	// no such ConfigMap.
	Kubeadm *Kubeadm
	// Unread names what could not be read, with the reason.
	Unread map[string]string
}

// Manager is a kube-controller-manager that runs.
type Manager struct {
	Node string
	// Manifest is the Pod as the API server has it: its command line is that of the
	// file, the rest has been filled in. Problem says why Manifest is missing.
	Manifest *Manifest
	Problem  string
}

// leads reports whether the manager holds the Lease: its identity is the host's
// name and a UUID.
func (c *Cluster) leads(m Manager) bool {
	return m.Node != "" && len(c.Leader) > len(m.Node) && c.Leader[:len(m.Node)+1] == m.Node+"_"
}

// inOrder returns the managers as they are to be changed, the leader last: then
// leadership goes to one that is changed already, and moves once.
func (c *Cluster) inOrder() []Manager {
	all := slices.Clone(c.Managers)
	slices.SortStableFunc(all, func(a, b Manager) int {
		rank := func(m Manager) int {
			if c.leads(m) {
				return 1
			}
			return 0
		}
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Node, b.Node))
	})
	return all
}
