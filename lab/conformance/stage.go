package conformance

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/slicewright/slicewright/lab/address"
	"github.com/slicewright/slicewright/lab/controlplane"
)

// stage is one play of a scenario: a namespace, Services, listeners, and the
// instances of the consumers that take part.
type stage struct {
	engine    *Engine
	scenario  *Scenario
	block     block
	namespace string
	dir       string
	consumers []*Consumer
	subjects  []*subject
	instances []*instance // those of this stage alone
	failed    map[string]error
	// own gives consumers of scope cluster an instance of this stage's own, which
	// can be restarted without others noticing. A component has no second one.
	own bool
	// until is the last step to play, 0 for all.
	until    int
	snapshot *controlplane.Snapshot
	after    []func(context.Context) error // puts back what steps did to the control plane
}

// headlessSuffix tells the Service without a ClusterIP, and its slices, from the
// one with.
const headlessSuffix = "-headless"

// set builds the stage. A consumer that does not start is noted in failed and
// takes no part.
func (s *stage) set(ctx context.Context) error {
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	if err := s.engine.Lab.EnsureNamespace(ctx, s.namespace); err != nil {
		return err
	}
	if err := s.listen(); err != nil {
		return err
	}
	for _, name := range s.scenario.services() {
		clusterIPs, err := s.createServices(ctx, name)
		if err != nil {
			return err
		}
		for _, c := range s.consumers {
			if err := s.addSubject(c, name, clusterIPs); err != nil {
				return err
			}
		}
	}
	s.startInstances(ctx)
	return nil
}

// createServices makes a Service and its headless twin, and returns the
// former's addresses.
func (s *stage) createServices(ctx context.Context, name string) ([]string, error) {
	var clusterIPs []string
	for _, suffix := range []string{"", headlessSuffix} {
		service := &v1.Service{
			ObjectMeta: metav1.ObjectMeta{Name: name + suffix},
			Spec: v1.ServiceSpec{
				Ports: []v1.ServicePort{{Name: portName, Port: 80, TargetPort: intstr.FromInt32(defaultPort), Protocol: v1.ProtocolTCP}},
			},
		}
		if suffix != "" {
			service.Spec.ClusterIP = v1.ClusterIPNone
		}
		if s.scenario.DualStack {
			service.Spec.IPFamilyPolicy = ptr.To(v1.IPFamilyPolicyRequireDualStack)
			service.Spec.IPFamilies = []v1.IPFamily{v1.IPv4Protocol, v1.IPv6Protocol}
		}
		if s.scenario.Pods {
			service.Spec.Selector = map[string]string{"app": name}
		}
		created, err := s.engine.Lab.Client.CoreV1().Services(s.namespace).Create(ctx, service, metav1.CreateOptions{})
		if err != nil {
			return nil, fmt.Errorf("create Service %s: %w", service.Name, err)
		}
		if suffix == "" {
			clusterIPs = created.Spec.ClusterIPs
		}
	}
	return clusterIPs, nil
}

// addSubject has a consumer follow a Service, by an instance of its own unless
// one follows everything.
func (s *stage) addSubject(c *Consumer, service string, clusterIPs []string) error {
	followed := service
	if c.Headless {
		followed += headlessSuffix
	}
	i := s.engine.shared[c.Name]
	if s.own && c.Component == "" {
		i = nil
	}
	var v values
	if i == nil {
		dir := filepath.Join(s.dir, fmt.Sprintf("%s-%s", c.Name, service))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("make a folder: %w", err)
		}
		v = s.engine.values(c, dir)
	} else {
		v = i.values.clone()
	}
	v["NAMESPACE"], v["SERVICE"] = s.namespace, followed
	if !c.Headless {
		for _, text := range clusterIPs {
			if ip, err := netip.ParseAddr(text); err == nil && ip.Is6() {
				v["CLUSTER_IP6"] = "[" + text + "]"
			} else {
				v["CLUSTER_IP"] = text
			}
		}
	}
	if i == nil {
		i = &instance{consumer: c, values: v, dir: v["DIR"], component: s.engine.restartComponent}
		s.instances = append(s.instances, i)
	}
	subject, err := newSubject(c, i, s.block, service, v)
	if err != nil {
		s.failed[c.Name] = err
		return nil
	}
	s.subjects = append(s.subjects, subject)
	return nil
}

func (s *stage) startInstances(ctx context.Context) {
	var mu sync.Mutex
	var wait sync.WaitGroup
	slots := make(chan struct{}, 3) // a start is work for the processor
	for _, i := range s.instances {
		wait.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if err := i.start(ctx); err != nil {
				mu.Lock()
				defer mu.Unlock()
				s.failed[i.consumer.Name] = err
			}
		})
	}
	wait.Wait()
}

// listen opens every address and port of every slice of the scenario, for the
// whole of it: what a consumer should have forgotten would answer.
func (s *stage) listen() error {
	if s.scenario.Pods {
		return nil
	}
	seen := map[netip.AddrPort]bool{}
	for _, step := range s.scenario.Steps {
		for _, slice := range step.Apply {
			object, err := slice.object(s.block, defaultService)
			if err != nil {
				return err
			}
			for _, endpoint := range object.Endpoints {
				for _, text := range endpoint.Addresses {
					for _, port := range object.Ports {
						at := netip.AddrPortFrom(netip.MustParseAddr(text), uint16(ptr.Deref(port.Port, defaultPort)))
						seen[at] = true
					}
					// Where no port is named, a consumer that takes the Service's target
					// port or its own port must be seen as well.
					seen[netip.AddrPortFrom(netip.MustParseAddr(text), defaultPort)] = true
					seen[netip.AddrPortFrom(netip.MustParseAddr(text), 80)] = true
				}
			}
		}
	}
	for at := range seen {
		if err := s.engine.Lab.Standalone.Listen([]address.Range{{First: at.Addr(), Last: at.Addr()}}, at.Port()); err != nil {
			return err
		}
	}
	return nil
}

// play does the steps and returns what each consumer did. With healing, a
// consumer that breaks is restarted at once and looked at again, and takes no
// further part; the result says whether that made it right.
func (s *stage) play(ctx context.Context, healing bool) (map[string][]Observation, map[string]string, error) {
	observed := map[string][]Observation{}
	healed := map[string]string{}
	for n, step := range s.scenario.Steps {
		if s.until > 0 && n >= s.until {
			break
		}
		if err := s.do(ctx, step); err != nil {
			return nil, nil, fmt.Errorf("step %d (%s): %w", n+1, step.Say, err)
		}
		changed := time.Now()
		var mu sync.Mutex
		var wait sync.WaitGroup
		var errs []error
		for _, subject := range s.subjects {
			want, ok := step.want(subject.service)
			_, done := healed[subject.consumer.Name]
			if !ok || done || s.failed[subject.consumer.Name] != nil {
				continue
			}
			wait.Go(func() {
				o, err := subject.observe(ctx, n+1, want, changed, step.Most)
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					errs = append(errs, err)
				}
				observed[subject.consumer.Name] = append(observed[subject.consumer.Name], o)
			})
		}
		wait.Wait()
		if err := errors.Join(errs...); err != nil {
			return nil, nil, err
		}
		for _, i := range s.instances {
			if err := i.ended(); err != nil && s.failed[i.consumer.Name] == nil {
				s.failed[i.consumer.Name] = fmt.Errorf("after step %d: %w", n+1, err)
			}
		}
		if !healing {
			continue
		}
		for name, all := range observed {
			if _, done := healed[name]; !done && judge(s.consumer(name), s.scenario.Name, all).Step == n+1 {
				heals, err := s.heal(ctx, name, n+1, step)
				if err != nil {
					return nil, nil, err
				}
				healed[name] = heals
			}
		}
	}
	return observed, healed, nil
}

// heal restarts a consumer and says whether it is right then: "yes" or "no".
func (s *stage) heal(ctx context.Context, name string, n int, step Step) (string, error) {
	restarted := map[*instance]bool{}
	for _, subject := range s.subjects {
		if subject.consumer.Name != name || restarted[subject.instance] {
			continue
		}
		restarted[subject.instance] = true
		if err := subject.instance.restart(ctx); err != nil {
			return "", err
		}
	}
	changed := time.Now()
	for _, subject := range s.subjects {
		want, ok := step.want(subject.service)
		if subject.consumer.Name != name || !ok {
			continue
		}
		subject.broke = false // the restarted one gets all the time there is
		o, err := subject.observe(ctx, n, want, changed, step.Most)
		if err != nil || !o.OK {
			return "no", err
		}
	}
	return "yes", nil
}

func (s *stage) consumer(name string) *Consumer {
	for _, c := range s.consumers {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// want is what a step wants of a Service.
func (st Step) want(service string) (Want, bool) {
	for _, w := range st.Want {
		if w.ServiceName() == service {
			return w, true
		}
	}
	return Want{}, false
}

// do makes a step's change. Each slice is written for the Service and for its
// headless twin.
func (s *stage) do(ctx context.Context, step Step) error {
	if step.Lab != nil {
		if err := step.Lab(ctx, s); err != nil {
			return err
		}
	}
	for _, slice := range step.Apply {
		for _, suffix := range []string{"", headlessSuffix} {
			if err := s.write(ctx, slice, suffix); err != nil {
				return err
			}
		}
	}
	for _, name := range step.Delete {
		for _, suffix := range []string{"", headlessSuffix} {
			err := s.engine.Lab.Client.DiscoveryV1().EndpointSlices(s.namespace).Delete(ctx, name+suffix, metav1.DeleteOptions{})
			if err != nil {
				return fmt.Errorf("delete slice %s: %w", name+suffix, err)
			}
		}
	}
	if step.Scale != nil {
		if err := s.scale(ctx, *step.Scale); err != nil {
			return err
		}
	}
	if step.Restart {
		return s.restartConsumers(ctx)
	}
	return nil
}

func (s *stage) write(ctx context.Context, slice Slice, suffix string) error {
	service := or(slice.Service, defaultService)
	if service != noLabel {
		service += suffix
	}
	object, err := slice.object(s.block, service)
	if err != nil {
		return err
	}
	object.Name += suffix
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return fmt.Errorf("encode slice %s: %w", object.Name, err)
	}
	return s.engine.objects.Apply(ctx, &unstructured.Unstructured{Object: content}, s.namespace)
}

func (s *stage) restartConsumers(ctx context.Context) error {
	done := map[*instance]bool{}
	for _, subject := range s.subjects {
		if done[subject.instance] || s.failed[subject.consumer.Name] != nil {
			continue
		}
		done[subject.instance] = true
		if err := subject.instance.restart(ctx); err != nil {
			s.failed[subject.consumer.Name] = err
		}
	}
	return nil
}

// strike takes the stage down. What the API server takes its time to delete is
// not waited for, except Pods, whose addresses others may want.
func (s *stage) strike() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for _, i := range s.instances {
		i.stop()
	}
	var errs []error
	for _, putBack := range s.after {
		errs = append(errs, putBack(ctx))
	}
	client := s.engine.Lab.Client.CoreV1()
	errs = append(errs, client.Namespaces().Delete(ctx, s.namespace, metav1.DeleteOptions{}))
	if s.scenario.Pods {
		errs = append(errs, client.Pods(s.namespace).DeleteCollection(ctx, metav1.DeleteOptions{GracePeriodSeconds: ptr.To(int64(0))}, metav1.ListOptions{}))
		errs = append(errs, s.awaitPods(ctx, 0))
	} else {
		for _, v6 := range []bool{false, true} {
			all := address.Range{First: s.block.address(v6, 1), Last: s.block.address(v6, 254)}
			errs = append(errs, s.engine.Lab.Standalone.Close(all))
		}
	}
	return errors.Join(errs...)
}
