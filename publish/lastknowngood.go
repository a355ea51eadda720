package publish

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/slicewright/slicewright/endpointset"
	"github.com/slicewright/slicewright/internal/atomicfile"
)

// A Store keeps for each target what was last applied to it and read back: the
// last known good. It is a folder with a file for each target. The zero value
// keeps nothing. A Store may be used from any goroutine, by one publisher for
// each target.
type Store struct{ dir string }

// NewStore returns a store in a folder, and creates the folder if it is missing.
func NewStore(dir string) (Store, error) {
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return Store{}, fmt.Errorf("state folder: %w", err)
	}
	return Store{dir}, nil
}

const (
	goodAPIVersion = "slicewright.dev/v1alpha2"
	// goodAPIVersionBefore had the same fields except service, port and protocol,
	// and wrote the fields of a backend with capital letters. encoding/json reads
	// both.
	goodAPIVersionBefore = "slicewright.dev/v1alpha1"
	goodKind             = "LastKnownGood"
)

// A lastKnownGood is the content of a file of a [Store].
type lastKnownGood struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Upstream   string `json:"upstream"`
	Target     string `json:"target"`
	// Service is "namespace/name". It is missing in a file of v1alpha1, as are
	// Port and Protocol.
	Service    string        `json:"service,omitempty"`
	Port       string        `json:"port"`
	Protocol   string        `json:"protocol,omitempty"`
	Generation uint64        `json:"generation"`
	Hash       string        `json:"hash"`
	Time       time.Time     `json:"time"`
	Active     []goodBackend `json:"active"`
	Draining   []goodBackend `json:"draining"`
}

// A goodBackend is an [endpointset.Backend] as the file has it.
type goodBackend struct {
	PortName    string     `json:"portName"`
	Protocol    string     `json:"protocol"`
	Addr        netip.Addr `json:"addr"`
	Number      uint16     `json:"number"`
	Ready       bool       `json:"ready"`
	Serving     bool       `json:"serving"`
	Terminating bool       `json:"terminating"`
	AppProtocol string     `json:"appProtocol,omitempty"`
	Zone        string     `json:"zone,omitempty"`
	Node        string     `json:"node,omitempty"`
	ForZones    []string   `json:"forZones,omitempty"`
	ForNodes    []string   `json:"forNodes,omitempty"`
	Target      goodTarget `json:"target,omitzero"`
	Slice       string     `json:"slice,omitempty"`
}

type goodTarget struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid"`
}

func goodBackends(backends []endpointset.Backend) []goodBackend {
	list := make([]goodBackend, len(backends))
	for i, b := range backends {
		list[i] = goodBackend{
			PortName: b.PortName, Protocol: b.Protocol, Addr: b.Addr, Number: b.Number,
			Ready: b.Ready, Serving: b.Serving, Terminating: b.Terminating,
			AppProtocol: b.AppProtocol, Zone: b.Zone, Node: b.Node, ForZones: b.ForZones, ForNodes: b.ForNodes,
			Target: goodTarget(b.Target), Slice: b.Slice,
		}
	}
	return list
}

func backendsOf(list []goodBackend) []endpointset.Backend {
	var backends []endpointset.Backend
	for _, g := range list {
		backends = append(backends, endpointset.Backend{
			ID:          endpointset.ID{PortName: g.PortName, Protocol: g.Protocol, Addr: g.Addr, Number: g.Number},
			Conditions:  endpointset.Conditions{Ready: g.Ready, Serving: g.Serving, Terminating: g.Terminating},
			AppProtocol: g.AppProtocol, Zone: g.Zone, Node: g.Node, ForZones: g.ForZones, ForNodes: g.ForNodes,
			Target: endpointset.Target(g.Target), Slice: g.Slice,
		})
	}
	return backends
}

// save replaces the file of the target. After a crash there is the old content or
// the new one.
func (s Store) save(g lastKnownGood) error {
	if s.dir == "" {
		return nil
	}
	g.APIVersion, g.Kind = goodAPIVersion, goodKind
	data, err := json.Marshal(g)
	if err != nil {
		return fmt.Errorf("encode the last known good of %s: %w", g.Target, err)
	}
	path := s.path(g.Target)
	if err := atomicfile.Write(path, data, 0o640); err != nil {
		return fmt.Errorf("keep the last known good of %s: %w", g.Target, err)
	}
	return nil
}

// load returns what is kept for the target. found is false when nothing is. A
// file that cannot be read, or is of an unknown version, is an error that names
// the file.
func (s Store) load(target string) (g lastKnownGood, found bool, err error) {
	if s.dir == "" {
		return lastKnownGood{}, false, nil
	}
	path := s.path(target)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return lastKnownGood{}, false, nil
	}
	if err != nil {
		return lastKnownGood{}, false, fmt.Errorf("read the last known good: %w", err)
	}
	if err := json.Unmarshal(data, &g); err != nil {
		return lastKnownGood{}, false, fmt.Errorf("read the last known good %s: %w: remove the file to start without it", path, err)
	}
	if !slices.Contains([]string{goodAPIVersion, goodAPIVersionBefore}, g.APIVersion) || g.Kind != goodKind || g.Target != target {
		return lastKnownGood{}, false, fmt.Errorf("read the last known good %s: it is %s %s of %q, not %s %s of %q: remove the file to start without it",
			path, g.APIVersion, g.Kind, g.Target, goodAPIVersion, goodKind, target)
	}
	return g, true, nil
}

// path is the file of a target: readable, and different for every target.
func (s Store) path(target string) string {
	var b strings.Builder
	for _, c := range []byte(target) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '.':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "_%02x", c)
		}
	}
	name := b.String()
	if len(name) > 200 { // file names end at 255 bytes
		name = fmt.Sprintf("%s_%016x", name[:180], hashOf(target))
	}
	return filepath.Join(s.dir, name+".json")
}
