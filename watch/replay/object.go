package replay

import (
	"encoding/json"
	"fmt"

	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// object is what can be told of any object before it is decoded.
type object struct {
	metav1.TypeMeta `json:",inline"`
	Items           []json.RawMessage `json:"items"`
}

// isList reports whether the object is a list, of slices or of anything.
func (o *object) isList() bool { return o.Kind == "List" || o.Kind == "EndpointSliceList" }

// isSlice reports whether the object is an EndpointSlice. Items of a typed list
// need not say so themselves.
func (o *object) isSlice(within *object) bool {
	if within != nil && within.Kind == "EndpointSliceList" && o.Kind == "" {
		return true
	}
	return o.Kind == "EndpointSlice"
}

// decode returns the slices in a document, and what else was in it by kind.
func decode(data []byte) (slices []*discoveryv1.EndpointSlice, others map[string]int, err error) {
	var o object
	if err := json.Unmarshal(data, &o); err != nil {
		return nil, nil, err
	}
	others = map[string]int{}
	if !o.isList() {
		es, err := decodeSlice(data, &o, nil, others)
		if es != nil {
			slices = append(slices, es)
		}
		return slices, others, err
	}
	for i, item := range o.Items {
		var inner object
		if err := json.Unmarshal(item, &inner); err != nil {
			return nil, nil, fmt.Errorf("item %d: %w", i+1, err)
		}
		es, err := decodeSlice(item, &inner, &o, others)
		if err != nil {
			return nil, nil, fmt.Errorf("item %d: %w", i+1, err)
		}
		if es != nil {
			slices = append(slices, es)
		}
	}
	return slices, others, nil
}

// decodeSlice returns nil for an object of another kind, which it counts.
func decodeSlice(data []byte, o, within *object, others map[string]int) (*discoveryv1.EndpointSlice, error) {
	if !o.isSlice(within) {
		others[o.APIVersion+" "+o.Kind]++
		return nil, nil
	}
	if o.APIVersion != "" && o.APIVersion != discoveryv1.SchemeGroupVersion.String() {
		return nil, fmt.Errorf("an EndpointSlice of %q: only %s is read", o.APIVersion, discoveryv1.SchemeGroupVersion)
	}
	var es discoveryv1.EndpointSlice
	if err := json.Unmarshal(data, &es); err != nil {
		return nil, fmt.Errorf("EndpointSlice: %w", err)
	}
	if es.Name == "" {
		return nil, fmt.Errorf("an EndpointSlice without metadata.name")
	}
	return &es, nil
}
