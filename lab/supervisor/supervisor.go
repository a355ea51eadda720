// Package supervisor keeps a lab up and lets programs outside its network ask
// things of it, over a unix socket in the lab's folder.
package supervisor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/slicewright/slicewright/lab"
	"github.com/slicewright/slicewright/lab/address"
	"github.com/slicewright/slicewright/lab/controlplane"
	"github.com/slicewright/slicewright/lab/kubelet"
	"github.com/slicewright/slicewright/lab/manifest"
	"github.com/slicewright/slicewright/lab/process"
)

// Status is what a lab says of itself.
type Status struct {
	Ready      bool                  `json:"ready"`
	PID        int                   `json:"pid"`     // of the supervisor, for the machine's /proc
	UpAfter    time.Duration         `json:"upAfter"` // how long the start took, in nanoseconds
	Dir        string                `json:"dir"`
	Kubeconfig string                `json:"kubeconfig"`
	Pods       int                   `json:"pods"` // that the lab's kubelet runs
	Resident   int64                 `json:"resident"`
	Components []controlplane.Status `json:"components"`
}

// supervisor answers requests about one lab.
type supervisor struct {
	state State
	pid   int
	down  context.CancelFunc

	mu      sync.Mutex
	lab     *lab.Lab // nil until it is up; guarded by mu
	upAfter time.Duration
}

// Run starts a lab and keeps it until ctx ends or a client asks for its end.
// It has to run inside a sandbox.
func Run(ctx context.Context, state State, programs controlplane.Programs, log *slog.Logger) error {
	ctx, down := context.WithCancel(ctx)
	defer down()
	pid, err := process.OuterPID()
	if err != nil {
		return fmt.Errorf("find the supervisor's own PID: %w", err)
	}
	lock, err := state.Lock(pid)
	if err != nil {
		return err
	}
	defer lock.Close()

	s := &supervisor{state: state, pid: pid, down: down}
	listener, err := net.Listen("unix", state.Socket())
	if err != nil {
		return fmt.Errorf("listen for the lab's clients: %w", err)
	}
	server := &http.Server{Handler: s.routes(), ReadHeaderTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	defer func() {
		_ = server.Close()
		<-served
	}()

	start := time.Now()
	l, err := lab.Start(ctx, lab.Options{Dir: state.LabDir(), Programs: programs, Log: log})
	if err != nil {
		return fmt.Errorf("start the lab: %w", err)
	}
	s.mu.Lock()
	s.lab, s.upAfter = l, time.Since(start)
	s.mu.Unlock()
	log.Info("lab is up", "after", s.upAfter)

	<-ctx.Done()
	log.Info("lab goes down")
	return l.Close()
}

func (s *supervisor) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /status", s.status)
	mux.HandleFunc("POST /down", func(http.ResponseWriter, *http.Request) { s.down() })
	mux.HandleFunc("POST /kill/{name}", s.withLab(func(w http.ResponseWriter, r *http.Request, l *lab.Lab) error {
		return l.ControlPlane.Kill(r.PathValue("name"))
	}))
	mux.HandleFunc("POST /restart/{name}", s.withLab(func(w http.ResponseWriter, r *http.Request, l *lab.Lab) error {
		return l.ControlPlane.Restart(r.Context(), r.PathValue("name"), r.URL.Query()["flag"]...)
	}))
	mux.HandleFunc("POST /upgrade", s.withLab(upgrade))
	mux.HandleFunc("POST /compact", s.withLab(func(w http.ResponseWriter, r *http.Request, l *lab.Lab) error {
		revision, err := l.ControlPlane.Compact(r.Context())
		fmt.Fprintln(w, revision)
		return err
	}))
	mux.HandleFunc("GET /kubeconfig", s.withLab(kubeconfig))
	mux.HandleFunc("POST /apply", s.withLab(apply))
	mux.HandleFunc("POST /listen", s.withLab(listen))
	mux.HandleFunc("POST /unlisten", s.withLab(func(w http.ResponseWriter, r *http.Request, l *lab.Lab) error {
		ranges, err := address.ParseRanges(r.URL.Query().Get("ranges"))
		if err != nil {
			return err
		}
		return l.Standalone.Close(ranges...)
	}))
	return mux
}

// withLab turns a function's error into an answer, and refuses while the lab
// is not up yet.
func (s *supervisor) withLab(do func(http.ResponseWriter, *http.Request, *lab.Lab) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		l := s.lab
		s.mu.Unlock()
		if l == nil {
			http.Error(w, "the lab is still starting", http.StatusServiceUnavailable)
			return
		}
		if err := do(w, r, l); err != nil {
			code := http.StatusInternalServerError
			if errors.Is(err, controlplane.ErrUnknownComponent) {
				code = http.StatusNotFound
			}
			http.Error(w, err.Error(), code)
		}
	}
}

func (s *supervisor) status(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	l := s.lab
	status := Status{PID: s.pid, Dir: s.state.Dir, Kubeconfig: s.state.AdminKubeconfig(), UpAfter: s.upAfter, Resident: process.OwnResident()}
	s.mu.Unlock()
	if l != nil {
		status.Ready = true
		status.Pods = l.Kubelet.Running()
		status.Components = l.ControlPlane.Status()
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(status)
}

// kubeconfig writes one for ?user=U&group=G… or ?serviceaccount=NS/NAME.
func kubeconfig(w http.ResponseWriter, r *http.Request, l *lab.Lab) error {
	query := r.URL.Query()
	var content []byte
	var err error
	if account := query.Get("serviceaccount"); account != "" {
		namespace, name, ok := strings.Cut(account, "/")
		if !ok {
			return fmt.Errorf("ServiceAccount %q: write it as NAMESPACE/NAME", account)
		}
		content, err = l.ControlPlane.ServiceAccountKubeconfig(r.Context(), l.Client, namespace, name)
	} else if user := query.Get("user"); user != "" {
		content, err = l.ControlPlane.Kubeconfig(user, query["group"]...)
	} else {
		content, err = os.ReadFile(l.Dir + "/admin.kubeconfig")
	}
	if err != nil {
		return err
	}
	_, err = w.Write(content)
	return err
}

// listen opens ?ranges=R at ?port=P without Pods.
func listen(_ http.ResponseWriter, r *http.Request, l *lab.Lab) error {
	ranges, err := address.ParseRanges(r.URL.Query().Get("ranges"))
	if err != nil {
		return err
	}
	port, err := kubelet.ParsePort(r.URL.Query().Get("port"))
	if err != nil {
		return err
	}
	return l.Standalone.Listen(ranges, port)
}

// upgrade starts the control plane again with the program ?program=PATH.
func upgrade(_ http.ResponseWriter, r *http.Request, l *lab.Lab) error {
	program := r.URL.Query().Get("program")
	if program == "" {
		return errors.New("upgrade: no program is named")
	}
	return l.ControlPlane.Upgrade(r.Context(), controlplane.Programs{MultiCall: program})
}

// maxManifest bounds what apply reads.
const maxManifest = 64 << 20

// apply applies the objects in the body, in ?namespace=N if they name none.
func apply(w http.ResponseWriter, r *http.Request, l *lab.Lab) error {
	content, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxManifest))
	if err != nil {
		return fmt.Errorf("read the manifest: %w", err)
	}
	objects, err := manifest.Parse(content)
	if err != nil {
		return err
	}
	namespace := r.URL.Query().Get("namespace")
	if err := l.EnsureNamespace(r.Context(), namespace); err != nil {
		return err
	}
	client, err := manifest.NewClient(l.Config)
	if err != nil {
		return err
	}
	for _, object := range objects {
		if err := client.Apply(r.Context(), object, namespace); err != nil {
			return err
		}
		fmt.Fprintf(w, "%s/%s applied\n", strings.ToLower(object.GetKind()), object.GetName())
	}
	return nil
}
