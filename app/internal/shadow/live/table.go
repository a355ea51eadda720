package live

import (
	"cmp"

	"k8s.io/apimachinery/pkg/types"

	"github.com/slicewright/slicewright/endpointset"
)

// table holds values by name, and finds them by the group that they belong to.
// The zero value is empty.
type table[V any] struct {
	group  map[types.NamespacedName]types.NamespacedName // of each value's own name
	groups map[types.NamespacedName]map[string]V         // by the last part of the own name
}

// put returns the groups that changed: two when the value moved.
func (t *table[V]) put(own, group types.NamespacedName, value V) []types.NamespacedName {
	var changed []types.NamespacedName
	if was, ok := t.group[own]; ok && was != group {
		changed = t.remove(own)
	}
	if t.group == nil {
		t.group, t.groups = map[types.NamespacedName]types.NamespacedName{}, map[types.NamespacedName]map[string]V{}
	}
	if t.groups[group] == nil {
		t.groups[group] = map[string]V{}
	}
	t.group[own], t.groups[group][own.Name] = group, value
	return append(changed, group)
}

// remove returns the group that changed, none when there is no such value.
func (t *table[V]) remove(own types.NamespacedName) []types.NamespacedName {
	group, ok := t.group[own]
	if !ok {
		return nil
	}
	delete(t.group, own)
	delete(t.groups[group], own.Name)
	if len(t.groups[group]) == 0 {
		delete(t.groups, group)
	}
	return []types.NamespacedName{group}
}

// of returns the values of a group. It must not be changed.
func (t *table[V]) of(group types.NamespacedName) map[string]V { return t.groups[group] }

func compareKeys(a, b endpointset.ServiceKey) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}
