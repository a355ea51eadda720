package experiment

import (
	"context"
	"fmt"
)

// The users that the two sides are to the API server.
const (
	consumerUser = "experiment:consumer"
	readerUser   = "experiment:endpoints-reader"
)

// permit lets both sides read what they need in the namespace.
func (e *experiment) permit(ctx context.Context) error {
	consumer := `{apiGroups: [discovery.k8s.io], resources: [endpointslices], verbs: [get, list, watch]}`
	reader := `{apiGroups: [""], resources: [endpoints], verbs: [get, list, watch]}`
	own := consumer
	if e.Consumer.ReadsEndpoints {
		own += ", " + reader + `, {apiGroups: [""], resources: [services, pods], verbs: [get, list, watch]}`
	}
	for name, rules := range map[string]string{"consumer": own, "endpoints-reader": reader} {
		if err := e.apply(ctx, fmt.Sprintf(roleYAML, name, rules)); err != nil {
			return err
		}
	}
	if err := e.bind(ctx, "endpoints-reader", readerUser); err != nil {
		return err
	}
	return e.bind(ctx, "consumer", consumerUser)
}

func (e *experiment) bind(ctx context.Context, role, user string) error {
	return e.apply(ctx, fmt.Sprintf(bindingYAML, role, user))
}

// unbind takes the consumer's permissions away.
func (e *experiment) unbind(ctx context.Context) error {
	binding, err := e.objects.Named("rolebinding", "consumer")
	if err != nil {
		return err
	}
	return e.objects.Delete(ctx, binding, e.Namespace)
}

const roleYAML = `apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: %s}
rules: [%s]
`

const bindingYAML = `apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: %[1]s}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: %[1]s}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: %[2]q}]
`
