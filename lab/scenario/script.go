package scenario

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/slicewright/slicewright/lab/auditlog"
	"github.com/slicewright/slicewright/lab/controlplane"
	"github.com/slicewright/slicewright/lab/haproxy"
	"github.com/slicewright/slicewright/lab/manifest"
	"github.com/slicewright/slicewright/lab/probe"
	"github.com/slicewright/slicewright/lab/process"
)

// script is one running script and all that it started. Only the script's own
// goroutine uses it.
type script struct {
	engine    *Engine
	ctx       context.Context
	name      string
	namespace string
	work      string // the script's files
	logs      string // logs of what it starts
	began     time.Time

	objects   *manifest.Client
	haproxy   *haproxy.HAProxy
	products  map[string]*process.Process // running, as far as the script knows
	ended     map[string]*process.Process // stopped or killed by the script
	probes    map[string]*probe.Continuous
	observers map[string]*observer
	requests  map[string]chan probe.Answer
	snapshots map[string]controlplane.Snapshot
	disturbed map[string]bool // components that are not as the lab starts them
	spaces    []string        // namespaces to delete

	publishers []publisher   // that may not ask for Endpoints
	audit      auditlog.Log  // since the script began
	audited    *auditlog.Log // what the script has not taken yet; nil is all

	apiServerWasAway bool
}

func newScript(ctx context.Context, e *Engine, name, work string) (*script, error) {
	objects, err := manifest.NewClient(e.Lab.Config)
	if err != nil {
		return nil, err
	}
	audit, err := auditlog.Now(e.Lab.ControlPlane.AuditLog())
	if err != nil {
		return nil, err
	}
	logs, err := os.MkdirTemp("", "scenario-")
	if err != nil {
		return nil, fmt.Errorf("make the folder for logs: %w", err)
	}
	return &script{
		engine: e, ctx: ctx, name: name, namespace: name, work: work, logs: logs, began: time.Now(),
		objects: objects,
		haproxy: haproxy.New(haproxy.Config{
			Dir: work, File: "haproxy.cfg", Socket: "admin.sock", Log: filepath.Join(logs, "haproxy.log"),
		}),
		products:  map[string]*process.Process{},
		ended:     map[string]*process.Process{},
		probes:    map[string]*probe.Continuous{},
		observers: map[string]*observer{},
		requests:  map[string]chan probe.Answer{},
		snapshots: map[string]controlplane.Snapshot{},
		disturbed: map[string]bool{},
		audit:     audit,
	}, nil
}

// useNamespace makes a namespace, empty if an earlier script left one of that
// name, the script's own.
func (s *script) useNamespace(ctx context.Context, name string) error {
	client := s.engine.Lab.Client.CoreV1().Namespaces()
	err := eventually(ctx, func(ctx context.Context) error {
		namespace, err := client.Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		if err == nil && namespace.Status.Phase == v1.NamespaceTerminating {
			return fmt.Errorf("namespace %s is still being deleted", name)
		}
		return err
	})
	if err != nil {
		return err
	}
	s.namespace = name
	s.spaces = append(s.spaces, name)
	return s.engine.Lab.EnsureNamespace(ctx, name)
}

// cleaner is what close needs of a testing.T.
type cleaner interface {
	Failed() bool
	Errorf(format string, args ...any)
	Logf(format string, args ...any)
}

// close ends all that the script started and, if it failed, keeps the logs.
func (s *script) close(t cleaner) {
	// The script's own time may be over.
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if t.Failed() {
		s.dump(ctx)
	}
	for _, o := range s.observers {
		o.stop()
	}
	for _, p := range s.probes {
		p.Stop()
	}
	for name, p := range s.products {
		if !p.Running() {
			t.Errorf("%s ended by itself (%v); the end of its log:\n%s", name, p.Err(), p.LogTail(2000))
		}
		p.Kill()
	}
	s.haproxy.Stop()
	if err := s.judgePublishers(s.audit); err != nil {
		t.Errorf("%v", err)
	}
	if err := s.putBack(ctx); err != nil {
		t.Errorf("%v", err)
	}
	if err := s.clear(ctx); err != nil {
		t.Errorf("clear namespaces %s: %v", strings.Join(s.spaces, ", "), err)
	}
	if err := s.engine.Lab.Standalone.Close(); err != nil {
		t.Errorf("close listeners: %v", err)
	}
	if !t.Failed() {
		_ = os.RemoveAll(s.logs) // a folder in the temporary one
		return
	}
	where, err := s.keepLogs()
	if err != nil {
		t.Logf("logs of %s could not be kept: %v", s.name, err)
		return
	}
	t.Logf("logs of %s: %s", s.name, where)
}

// putBack brings the control plane back to how the lab starts it. After an API
// server that was away its clients wait up to 30 seconds before they try
// again; new ones do not, and the next script must not wait for that.
func (s *script) putBack(ctx context.Context) error {
	if s.apiServerWasAway {
		s.disturbed[controlplane.ControllerManager] = true
		s.disturbed[controlplane.Scheduler] = true
	}
	for _, name := range controlplane.Names {
		if !s.disturbed[name] {
			continue
		}
		if err := s.engine.Lab.ControlPlane.Restart(ctx, name); err != nil {
			return fmt.Errorf("put %s back: %w", name, err)
		}
	}
	return nil
}

// clear deletes the script's namespaces, their Pods at once, and returns when
// these no longer hold their addresses, which the next script may want. The rest
// of a namespace goes in its own time.
func (s *script) clear(ctx context.Context) error {
	return eventually(ctx, func(ctx context.Context) error {
		for _, name := range s.spaces {
			if err := s.deleteNamespace(ctx, name); err != nil {
				return err
			}
		}
		if left := s.engine.Lab.Kubelet.Running(); left > 0 {
			return fmt.Errorf("%d Pods still run", left)
		}
		return nil
	})
}

func (s *script) deleteNamespace(ctx context.Context, name string) error {
	client := s.engine.Lab.Client.CoreV1()
	err := client.Namespaces().Delete(ctx, name, metav1.DeleteOptions{})
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		return err
	}
	return client.Pods(name).DeleteCollection(ctx, metav1.DeleteOptions{GracePeriodSeconds: ptr.To(int64(0))}, metav1.ListOptions{})
}

// dump writes what the API server and HAProxy have into the logs.
func (s *script) dump(ctx context.Context) {
	write := func(name string, content string, err error) {
		if err != nil {
			content = err.Error()
		}
		_ = os.WriteFile(filepath.Join(s.logs, name), []byte(content), 0o644)
	}
	get := func(path string) (string, error) {
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		content, err := s.engine.Lab.Client.CoreV1().RESTClient().Get().AbsPath(path).DoRaw(ctx)
		return string(content), err
	}
	for _, resource := range []string{"apis/discovery.k8s.io/v1/namespaces/%s/endpointslices", "api/v1/namespaces/%s/pods", "api/v1/namespaces/%s/events"} {
		content, err := get("/" + fmt.Sprintf(resource, s.namespace))
		write(filepath.Base(resource)+".json", content, err)
	}
	if s.haproxy.Running() {
		content, err := s.haproxy.Command(ctx, "show servers state")
		write("haproxy-servers.txt", content, err)
	}
	for name, p := range s.probes {
		var text strings.Builder
		for failure, count := range p.Stop().Failures() {
			fmt.Fprintf(&text, "%d\t%s\n", count, failure)
		}
		write("probe-"+name+".txt", text.String(), nil)
	}
}

// keepLogs moves the logs to where failed scripts leave them, with the lab's.
func (s *script) keepLogs() (string, error) {
	to := filepath.Join(s.engine.Logs, s.name)
	if err := os.RemoveAll(to); err != nil {
		return "", err
	}
	lab := s.engine.Lab
	return to, errors.Join(
		os.CopyFS(to, os.DirFS(s.logs)),
		os.CopyFS(filepath.Join(to, "controlplane"), os.DirFS(lab.ControlPlane.LogDir())),
		copyFile(filepath.Join(to, "events.jsonl"), filepath.Join(lab.Dir, "events.jsonl")),
		copyFile(filepath.Join(to, "audit.log"), lab.ControlPlane.AuditLog()),
		os.RemoveAll(s.logs),
	)
}

func copyFile(to, from string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, content, 0o644)
}
