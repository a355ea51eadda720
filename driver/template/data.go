package template

import (
	"encoding/json"
	"strings"

	"github.com/slicewright/slicewright/endpointset"
	"github.com/slicewright/slicewright/publish"
)

// Data is what a template is executed with.
type Data struct {
	Upstream  string    `json:"upstream"`
	Namespace Word      `json:"namespace"`
	Service   Word      `json:"service"`
	Port      Word      `json:"port"`
	Fallback  bool      `json:"fallback"`
	Active    []Backend `json:"active"`
	Draining  []Backend `json:"draining"`
}

// Backend is one backend, as a template sees it.
type Backend struct {
	// Endpoint is "ip:port", for IPv6 "[ip]:port".
	Endpoint    string `json:"endpoint"`
	IP          string `json:"ip"`
	Number      uint16 `json:"number"`
	Family      string `json:"family"`
	Protocol    Word   `json:"protocol"`
	AppProtocol Word   `json:"appProtocol"`
	Zone        Word   `json:"zone"`
	Node        Word   `json:"node"`
	// TargetKind and TargetName are of the object behind the backend.
	TargetKind  Word `json:"targetKind"`
	TargetName  Word `json:"targetName"`
	Ready       bool `json:"ready"`
	Serving     bool `json:"serving"`
	Terminating bool `json:"terminating"`
}

// Word is text that came out of a slice. In a template it prints with every
// character but letters, digits and ._:/- replaced by "_", so that no
// configuration language can be broken out of. It compares and, through the
// function json, encodes as it is.
type Word string

// String returns the harmless form.
func (w Word) String() string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', strings.ContainsRune("._:/-", r):
			return r
		}
		return '_'
	}, string(w))
}

// MarshalJSON encodes the text as it is.
func (w Word) MarshalJSON() ([]byte, error) { return json.Marshal(string(w)) }

func dataOf(d publish.Desired) Data {
	return Data{
		Upstream:  d.Upstream,
		Namespace: Word(d.Service.Namespace),
		Service:   Word(d.Service.Name),
		Port:      Word(d.Port),
		Fallback:  d.Fallback,
		Active:    backendsOf(d.Active),
		Draining:  backendsOf(d.Draining),
	}
}

func backendsOf(backends []endpointset.Backend) []Backend {
	out := make([]Backend, len(backends))
	for i, b := range backends {
		out[i] = Backend{
			Endpoint:    b.Endpoint(),
			IP:          b.Addr.String(),
			Number:      b.Number,
			Family:      b.Family().String(),
			Protocol:    Word(b.Protocol),
			AppProtocol: Word(b.AppProtocol),
			Zone:        Word(b.Zone),
			Node:        Word(b.Node),
			TargetKind:  Word(b.Target.Kind),
			TargetName:  Word(b.Target.Name),
			Ready:       b.Ready,
			Serving:     b.Serving,
			Terminating: b.Terminating,
		}
	}
	return out
}
