package conformance

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// APIVersion and the kinds are what files of this package say they are.
const (
	APIVersion   = "slicewright.dev/v1alpha1"
	KindConsumer = "ConformanceConsumer"
	KindResults  = "ConformanceResults"
)

// Consumer is a program that follows a Service, ours or a third party's. It
// is one YAML file; [LoadConsumers] reads a folder of them.
//
// In Version, Files, Start, Ready, Reach and View, ${NAME} is replaced by:
//
//	KUBECONFIG                  a kubeconfig of an administrator
//	NAMESPACE SERVICE PORT      what to follow; PORT is the name of the port
//	DIR                         a folder of the instance's own
//	LISTEN LISTEN_IP LISTEN_PORT  where to listen; every port of the IP is free
//	NODE ZONE                   where the consumer runs
//	CLUSTER_IP CLUSTER_IP6      of the Service; the latter in brackets
//	PROGRAM                     what Build built
//	SLICEWRIGHT READER          the product, and the lab's own readers
//
// No shell is involved: an argument stays one argument whatever is in it.
type Consumer struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// Name is short, as in a file name. Title is what the table says, the name if
	// it is empty.
	Name  string `json:"name"`
	Title string `json:"title,omitempty"`
	// Fast consumers are those that 'make test' runs.
	Fast bool `json:"fast,omitempty"`
	// Control is a consumer that is known to be wrong; the run must show that
	// it is.
	Control bool `json:"control,omitempty"`
	// Versions are printed above the table.
	Versions []Version `json:"versions,omitempty"`
	// Build makes PROGRAM; nil if nothing has to be built.
	Build *Build `json:"build,omitempty"`
	// Component is a component of the lab's control plane, in place of Start.
	Component string `json:"component,omitempty"`
	// Scope says whether one instance follows everything ("cluster"), or each
	// Service of each scenario has an instance of its own ("service", also "").
	// NAMESPACE, SERVICE and CLUSTER_IP have no value in Start, Files and Ready of
	// one that follows everything.
	Scope string `json:"scope,omitempty"`
	// Headless has SERVICE name a Service without a ClusterIP, of the same slices.
	Headless bool `json:"headless,omitempty"`
	// Files are written into DIR before the start: name to content.
	Files map[string]string `json:"files,omitempty"`
	// Start are the programs, in the order in which they are started.
	Start []Program `json:"start,omitempty"`
	// Reach are where clients connect: an HTTP URL whose answer is that of the
	// backend, as JSON with "ip" and "port". One with a placeholder that has no
	// value in a scenario (CLUSTER_IP6 of a Service of one family) is left out.
	Reach []string `json:"reach,omitempty"`
	// View are observers of what the consumer has (see verify/observe), taken
	// together. Without Reach, View is what is judged.
	View []string `json:"view,omitempty"`
	// Promises is what it says it does.
	Promises Promises `json:"promises"`
	// Settle is how long to wait for it.
	Settle Settle `json:"settle"`
	// Differences are the known ones: what a scenario shows is as its authors
	// meant it, though a rule says otherwise.
	Differences []Difference `json:"differences,omitempty"`
}

// Version is a program's name and version: the text, or the first line with a
// letter or digit that the command prints.
type Version struct {
	Name    string   `json:"name"`
	Text    string   `json:"text,omitempty"`
	Command []string `json:"command,omitempty"`
}

// Build is a Go program in a module of its own.
type Build struct {
	// Dir is the module's folder; a relative one counts from the YAML file's.
	Dir string `json:"dir"`
	// Package is what to build, "." if empty.
	Package string `json:"package,omitempty"`
	// Tags are build tags, with commas between.
	Tags string `json:"tags,omitempty"`
}

// Program is one process of a consumer.
type Program struct {
	Name string   `json:"name"`
	Argv []string `json:"argv"`
	// Env are variables, NAME=VALUE.
	Env []string `json:"env,omitempty"`
	// Ready says that it is up, in one of these forms:
	//
	//	http://HOST:PORT/PATH   answers 2xx or 3xx
	//	tcp:HOST:PORT           accepts a connection
	//	file:PATH               is there (a socket counts)
	//
	// "" is as soon as it runs.
	Ready string `json:"ready,omitempty"`
	// Keep leaves it running when a scenario restarts the consumer: the load
	// balancer beside the program that follows the slices.
	Keep bool `json:"keep,omitempty"`
}

// Policy is what a consumer states that it sends new connections to.
type Policy string

// The policies; S9 has the meaning of the first three.
const (
	// PolicyReady takes no notice of topology.
	PolicyReady Policy = "ready"
	// PolicyKubeProxy is ready with the fallback of S10 and with hints, for a
	// consumer on the Node lab-a-1 in the zone lab-a.
	PolicyKubeProxy Policy = "kube-proxy"
	PolicyPublished Policy = "published"
	// PolicyEndpoints is the ready addresses of the Endpoints object.
	PolicyEndpoints Policy = "endpoints"
)

// Promises say what a consumer's cells are held to.
type Promises struct {
	Policy Policy `json:"policy"`
	// Families are the address families that it follows: IPv4, IPv6, or both (also
	// when empty).
	Families []string `json:"families,omitempty"`
	// Source says where the promise can be read, for people.
	Source string `json:"source,omitempty"`
}

// Settle says when a consumer is judged after a change: not before Least, which
// is what it needs to take a change over on a quiet machine, and at Most then.
// The zero values are 1.5 s and 10 s.
type Settle struct {
	Least metav1.Duration `json:"least,omitempty"`
	Most  metav1.Duration `json:"most,omitempty"`
}

// Difference is a known one.
type Difference struct {
	Scenario string `json:"scenario"`
	Rule     string `json:"rule"`
	Why      string `json:"why"`
}
