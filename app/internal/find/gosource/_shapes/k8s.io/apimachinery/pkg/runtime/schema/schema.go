// Package schema is a stub with the shape of the real one.
package schema

type GroupVersion struct{ Group, Version string }

func (gv GroupVersion) WithResource(r string) GroupVersionResource {
	return GroupVersionResource{gv.Group, gv.Version, r}
}

func (gv GroupVersion) WithKind(k string) GroupVersionKind {
	return GroupVersionKind{gv.Group, gv.Version, k}
}

type GroupVersionResource struct{ Group, Version, Resource string }

func (r GroupVersionResource) GroupResource() GroupResource {
	return GroupResource{r.Group, r.Resource}
}

type GroupVersionKind struct{ Group, Version, Kind string }

func (k GroupVersionKind) GroupKind() GroupKind { return GroupKind{k.Group, k.Kind} }

type GroupResource struct{ Group, Resource string }

func (r GroupResource) WithVersion(v string) GroupVersionResource {
	return GroupVersionResource{r.Group, v, r.Resource}
}

type GroupKind struct{ Group, Kind string }

func ParseGroupResource(s string) GroupResource { return GroupResource{Resource: s} }
