package workloads

import (
	"slices"
	"strings"
)

// Names returns, sorted, every name that a client in the workload may call itself
// by: that of its binary, which is mostly that of its image, its container or its
// workload.
func (w *Workload) Names() []string {
	names := append([]string{w.Name, w.Application}, w.Containers...)
	for _, image := range w.Images {
		names = append(names, image.Name())
	}
	names = slices.DeleteFunc(names, func(name string) bool { return name == "" })
	slices.Sort(names)
	return slices.Compact(names)
}

// application proposes what to call the application: the recommended label, the
// older ones, else the workload's own name.
func application(name string, labels ...map[string]string) string {
	for _, key := range []string{"app.kubernetes.io/name", "k8s-app", "app"} {
		for _, set := range labels {
			if value := set[key]; value != "" {
				return value
			}
		}
	}
	return name
}

// ownerName proposes who owns it, from what people use for that: a key named
// owner or team, under any prefix, before the application that it is part of.
// The sets are asked in order; within one, keys in order.
func ownerName(sets ...map[string]string) string {
	for _, name := range []string{"owner", "team"} {
		for _, set := range sets {
			var keys []string
			for key := range set {
				if key == name || strings.HasSuffix(key, "/"+name) {
					keys = append(keys, key)
				}
			}
			if len(keys) > 0 {
				return set[slices.Min(keys)]
			}
		}
	}
	for _, set := range sets {
		if value := set["app.kubernetes.io/part-of"]; value != "" {
			return value
		}
	}
	return ""
}
