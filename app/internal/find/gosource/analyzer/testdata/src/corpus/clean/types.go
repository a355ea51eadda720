package clean

import (
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
)

// addresses converts what it is given; whoever read it is the consumer.
func addresses(ep *corev1.Endpoints) []string {
	var out []string
	for _, subset := range ep.Subsets {
		for _, a := range subset.Addresses {
			out = append(out, a.IP)
		}
	}
	return out
}

func onUpdate(obj any) []string {
	ep, ok := obj.(*corev1.Endpoints)
	if !ok {
		return nil
	}
	return addresses(ep)
}

func decode(b []byte) (ep corev1.Endpoints, err error) {
	err = json.Unmarshal(b, &ep)
	return ep, err
}
