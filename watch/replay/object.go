package replay

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	discoveryv1 "k8s.io/api/discovery/v1"

	"github.com/slicewright/slicewright/internal/manifest"
)

// contents are what objects hold.
type contents struct {
	slices []*discoveryv1.EndpointSlice
	// others counts objects by their version and kind, Lists left out.
	others map[string]int
}

// read takes in all objects, or returns the first error with its place.
func read(objects iter.Seq2[manifest.Object, error]) (contents, error) {
	c := contents{others: map[string]int{}}
	for o, err := range objects {
		switch {
		case err != nil:
			return contents{}, err
		case o.Kind == "EndpointSlice":
			es, err := decode(o)
			if err != nil {
				return contents{}, o.Place.Errorf("%w", err)
			}
			c.slices = append(c.slices, es)
		case !o.List:
			c.others[o.APIVersion+" "+o.Kind]++
		}
	}
	return c, nil
}

func decode(o manifest.Object) (*discoveryv1.EndpointSlice, error) {
	if o.APIVersion != "" && o.APIVersion != discoveryv1.SchemeGroupVersion.String() {
		return nil, fmt.Errorf("an EndpointSlice of %q: only %s is read", o.APIVersion, discoveryv1.SchemeGroupVersion)
	}
	var es discoveryv1.EndpointSlice
	if err := json.Unmarshal(o.JSON, &es); err != nil {
		return nil, fmt.Errorf("EndpointSlice: %w", err)
	}
	if es.Name == "" {
		return nil, errors.New("an EndpointSlice without metadata.name")
	}
	return &es, nil
}
