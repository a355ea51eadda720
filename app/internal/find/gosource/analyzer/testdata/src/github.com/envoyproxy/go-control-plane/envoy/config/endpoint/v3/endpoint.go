// Package endpointv3 is a stub with the shape of the real one.
package endpointv3

type ClusterLoadAssignment struct {
	ClusterName string
	Endpoints   []*LocalityLbEndpoints
}
type LocalityLbEndpoints struct{}

func (c *ClusterLoadAssignment) GetEndpoints() []*LocalityLbEndpoints { return c.Endpoints }
