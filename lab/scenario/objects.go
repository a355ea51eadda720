package scenario

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/slicewright/slicewright/lab/address"
	"github.com/slicewright/slicewright/lab/kubelet"
	"github.com/slicewright/slicewright/lab/manifest"
)

func (s *script) cmdNamespace(_ io.Writer, args []string) error {
	if err := arguments(args, 1, 1); err != nil {
		return err
	}
	return s.useNamespace(s.ctx, args[0])
}

func (s *script) cmdApply(_ io.Writer, args []string) error {
	if err := arguments(args, 1, -1); err != nil {
		return err
	}
	for _, file := range args {
		content, err := os.ReadFile(s.path(file))
		if err != nil {
			return err
		}
		objects, err := manifest.Parse(content)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		for _, object := range objects {
			if err := s.objects.Apply(s.ctx, object, s.namespace); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *script) cmdDelete(_ io.Writer, args []string) error {
	if err := arguments(args, 1, -1); err != nil {
		return err
	}
	for _, arg := range args {
		object, err := s.named(arg)
		if err != nil {
			return err
		}
		if err := s.objects.Delete(s.ctx, object, s.namespace); err != nil {
			return err
		}
	}
	return nil
}

func (s *script) cmdPatch(_ io.Writer, args []string) error {
	if err := arguments(args, 2, 2); err != nil {
		return err
	}
	object, err := s.named(args[0])
	if err != nil {
		return err
	}
	return s.objects.Patch(s.ctx, object, s.namespace, []byte(args[1]))
}

func (s *script) cmdScale(_ io.Writer, args []string) error {
	if err := arguments(args, 2, 2); err != nil {
		return err
	}
	return s.patchDeployment(args[0], fmt.Appendf(nil, `{"spec":{"replicas":%s}}`, args[1]))
}

// cmdRollout replaces every Pod of a Deployment, as kubectl rollout restart
// does: by a change of its template that means nothing.
func (s *script) cmdRollout(_ io.Writer, args []string) error {
	if err := arguments(args, 1, 1); err != nil {
		return err
	}
	return s.patchDeployment(args[0], fmt.Appendf(nil,
		`{"spec":{"template":{"metadata":{"annotations":{"lab.slicewright.dev/rollout":%q}}}}}`, time.Now().Format(time.RFC3339Nano)))
}

func (s *script) patchDeployment(name string, patch []byte) error {
	object, err := s.objects.Named("deployments", name)
	if err != nil {
		return err
	}
	return s.objects.Patch(s.ctx, object, s.namespace, patch)
}

// cmdSlice writes an EndpointSlice by hand.
func (s *script) cmdSlice(_ io.Writer, args []string) error {
	if err := arguments(args, 4, -1); err != nil {
		return err
	}
	slice, err := handwritten(args[0], args[1], args[2], args[3], args[4:])
	if err != nil {
		return err
	}
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(slice)
	if err != nil {
		return fmt.Errorf("encode the slice: %w", err)
	}
	return s.objects.Apply(s.ctx, &unstructured.Unstructured{Object: object}, s.namespace)
}

// handwritten builds a slice. states give some of the addresses conditions
// other than ready.
func handwritten(name, service, addresses, port string, states []string) (*discoveryv1.EndpointSlice, error) {
	ips, err := address.Parse(addresses)
	if err != nil {
		return nil, err
	}
	portName, portText, _ := strings.Cut(port, ":")
	number, err := kubelet.ParsePort(portText)
	if err != nil {
		return nil, fmt.Errorf("port %q: %w", port, err)
	}
	conditions := map[netip.Addr]string{}
	for _, state := range states {
		condition, of, _ := strings.Cut(state, "=")
		ips, err := address.Parse(of)
		if err != nil {
			return nil, err
		}
		for _, ip := range ips {
			conditions[ip] = condition
		}
	}
	slice := &discoveryv1.EndpointSlice{
		TypeMeta:    metav1.TypeMeta{APIVersion: "discovery.k8s.io/v1", Kind: "EndpointSlice"},
		ObjectMeta:  metav1.ObjectMeta{Name: name, Labels: map[string]string{discoveryv1.LabelServiceName: service, discoveryv1.LabelManagedBy: "by-hand.lab.slicewright.dev"}},
		AddressType: discoveryv1.AddressTypeIPv4,
		Ports:       []discoveryv1.EndpointPort{{Name: &portName, Port: ptr.To(int32(number)), Protocol: ptr.To(v1.ProtocolTCP)}},
	}
	if len(ips) > 0 && ips[0].Is6() {
		slice.AddressType = discoveryv1.AddressTypeIPv6
	}
	for _, ip := range ips {
		endpoint := discoveryv1.Endpoint{Addresses: []string{ip.String()}}
		endpoint.Conditions, err = endpointConditions(conditions[ip])
		if err != nil {
			return nil, err
		}
		slice.Endpoints = append(slice.Endpoints, endpoint)
	}
	return slice, nil
}

func endpointConditions(state string) (discoveryv1.EndpointConditions, error) {
	is := func(ready, serving, terminating bool) (discoveryv1.EndpointConditions, error) {
		return discoveryv1.EndpointConditions{Ready: &ready, Serving: &serving, Terminating: &terminating}, nil
	}
	switch state {
	case "":
		return is(true, true, false)
	case "not-ready":
		return is(false, false, false)
	case "terminating":
		return is(false, true, true)
	case "terminating-not-serving":
		return is(false, false, true)
	}
	return discoveryv1.EndpointConditions{}, fmt.Errorf("no state %q of an endpoint", state)
}

// cmdAnnotate changes annotations of Pods, which is how their behaviour is
// changed at run time. "NAME=" removes one; names need no prefix.
func (s *script) cmdAnnotate(_ io.Writer, args []string) error {
	if err := arguments(args, 3, -1); err != nil || args[0] != "pods" {
		return errUsage
	}
	annotations := map[string]any{}
	for _, arg := range args[2:] {
		name, value, ok := strings.Cut(arg, "=")
		if !ok {
			return errUsage
		}
		annotations["lab.slicewright.dev/"+name] = value
		if value == "" {
			annotations["lab.slicewright.dev/"+name] = nil
		}
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": annotations}})
	if err != nil {
		return err
	}
	pods, err := s.pods(s.ctx, args[1])
	if err != nil {
		return err
	}
	for _, pod := range pods {
		_, err := s.engine.Lab.Client.CoreV1().Pods(s.namespace).Patch(s.ctx, pod.Name, types.MergePatchType, patch, metav1.PatchOptions{})
		if err != nil {
			return fmt.Errorf("annotate Pod %s: %w", pod.Name, err)
		}
	}
	return nil
}

// cmdAccount writes a kubeconfig with a ServiceAccount's token, and makes the
// ServiceAccount if it is not there. What it may do is up to the script.
func (s *script) cmdAccount(_ io.Writer, args []string) error {
	if err := arguments(args, 2, 2); err != nil {
		return err
	}
	object, err := s.objects.Named("serviceaccounts", args[0])
	if err != nil {
		return err
	}
	if err := s.objects.Apply(s.ctx, object, s.namespace); err != nil {
		return err
	}
	lab := s.engine.Lab
	content, err := lab.ControlPlane.ServiceAccountKubeconfig(s.ctx, lab.Client, s.namespace, args[0])
	if err != nil {
		return err
	}
	return os.WriteFile(s.path(args[1]), content, 0o600)
}

// named reads KIND/NAME.
func (s *script) named(text string) (*unstructured.Unstructured, error) {
	kind, name, ok := strings.Cut(text, "/")
	if !ok {
		return nil, fmt.Errorf("%q: write it as KIND/NAME", text)
	}
	return s.objects.Named(kind, name)
}

func (s *script) pods(ctx context.Context, selector string) ([]v1.Pod, error) {
	list, err := s.engine.Lab.Client.CoreV1().Pods(s.namespace).List(ctx, metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		return nil, fmt.Errorf("list Pods: %w", err)
	}
	return list.Items, nil
}

func (s *script) path(file string) string {
	if filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(s.work, file)
}
