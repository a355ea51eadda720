// Package bench measures endpointset beside kube-proxy's own code, in one run
// and on the same slices, and proves that policy kube-proxy chooses what
// kube-proxy chooses. It is here, in the lab's module, because only here can
// k8s.io/kubernetes be imported.
package bench
