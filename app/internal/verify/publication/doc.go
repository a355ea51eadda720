// Package publication shows what publishNotReadyAddresses does, by four facts
// that are easily taken for one another, each measured in its own way:
//
//	health     the application's own answer, asked at the Pod's address
//	slice      ready, serving and terminating, as the EndpointSlices have them
//	discovery  whether a consumer that finds peers, such as DNS, has the address
//	request    whether ordinary requests to the Service come out there
//
// With publishNotReadyAddresses the controller writes ready: true for every
// endpoint, so that peers find each other before they are ready; serving goes on
// to tell of health (S13). Consumers that ask ready, kube-proxy among them, then
// send ordinary requests to Pods whose application fails. The table shows it,
// address by address, and a note says what does not go together.
//
// Measure asks; Tabulate, which is pure, puts the answers side by side.
package publication
