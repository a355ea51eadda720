package audit

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// ledgerState is a ledger as it is kept on disk. Maps with keys that JSON has no
// form for are lists in it.
type ledgerState struct {
	Identities []identityState `json:"identities"`
	Open       []openState     `json:"open"`
	Recent     []string        `json:"recent"` // hexadecimal, the older generation first
	Own        map[string]int  `json:"own"`
	Problems   ledgerProblems  `json:"problems"`
	Requests   map[string]int  `json:"requests"`
	Self       map[string]int  `json:"self"`
}

type identityState struct {
	Key              identityKey      `json:"key"`
	Masters          bool             `json:"masters,omitempty"`
	Stats            []statState      `json:"stats"`
	Namespaces       []string         `json:"namespaces"`
	ManyNames        bool             `json:"manyNames,omitempty"`
	Agents           values           `json:"agents"`
	Pods             values           `json:"pods"`
	SourceIPs        values           `json:"sourceIPs"`
	Impersonated     values           `json:"impersonated"`
	Reasons          map[string]*stat `json:"reasons,omitempty"`
	OwnDiscovery     int              `json:"ownDiscovery,omitempty"`
	EndpointsSeen    int              `json:"endpointsSeen,omitempty"`
	WatchesEnded     int              `json:"watchesEnded,omitempty"`
	SlicesRefused    moment           `json:"slicesRefused"`
	EndpointsAllowed moment           `json:"endpointsAllowed"`
}

type statState struct {
	Key  statKey `json:"key"`
	Stat stat    `json:"stat"`
}

type openState struct {
	Identity int       `json:"identity"` // index, -1 for an excluded user agent
	Resource Resource  `json:"resource"`
	ID       string    `json:"id"`
	Since    time.Time `json:"since"`
}

// MarshalJSON writes the whole state, so that counting can go on from it.
func (l *Ledger) MarshalJSON() ([]byte, error) {
	s := ledgerState{Own: l.own, Problems: l.problems, Requests: l.totals.Requests, Self: l.totals.Self}
	index := make(map[*identity]int)
	for i, id := range l.sorted() {
		index[id] = i
		is := identityState{
			Key: id.Key, Masters: id.Masters, Namespaces: slices.Sorted(maps.Keys(id.Namespaces)), ManyNames: id.ManyNames,
			Agents: id.Agents, Pods: id.Pods, SourceIPs: id.SourceIPs, Impersonated: id.Impersonated, Reasons: id.Reasons,
			OwnDiscovery: id.OwnDiscovery, EndpointsSeen: id.EndpointsSeen, WatchesEnded: id.WatchesEnded,
			SlicesRefused: id.SlicesRefused, EndpointsAllowed: id.EndpointsAllowed,
		}
		for _, key := range id.statKeys() {
			is.Stats = append(is.Stats, statState{key, *id.Stats[key]})
		}
		s.Identities = append(s.Identities, is)
	}
	for _, w := range l.open {
		at := -1
		if w.Identity != nil {
			at = index[w.Identity]
		}
		s.Open = append(s.Open, openState{at, w.Resource, w.ID, w.Since})
	}
	slices.SortFunc(s.Open, func(a, b openState) int { return strings.Compare(a.ID, b.ID) })
	for _, generation := range []map[idKey]struct{}{l.recent.old, l.recent.young} {
		for key := range generation {
			s.Recent = append(s.Recent, hex.EncodeToString(key[:]))
		}
	}
	return json.Marshal(s)
}

// UnmarshalJSON restores what MarshalJSON wrote. The options stay those of the
// ledger; the zero Ledger gets the defaults.
func (l *Ledger) UnmarshalJSON(b []byte) error {
	var s ledgerState
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	restored := NewLedger(l.opts)
	restored.problems = s.Problems
	maps.Copy(restored.own, s.Own)
	maps.Copy(restored.totals.Requests, s.Requests)
	maps.Copy(restored.totals.Self, s.Self)
	ids := make([]*identity, len(s.Identities))
	for i, is := range s.Identities {
		id := newIdentity(is.Key)
		id.Masters, id.ManyNames = is.Masters, is.ManyNames
		id.Agents, id.Pods, id.SourceIPs, id.Impersonated = is.Agents, is.Pods, is.SourceIPs, is.Impersonated
		id.OwnDiscovery, id.EndpointsSeen, id.WatchesEnded = is.OwnDiscovery, is.EndpointsSeen, is.WatchesEnded
		id.SlicesRefused, id.EndpointsAllowed = is.SlicesRefused, is.EndpointsAllowed
		for _, ns := range is.Namespaces {
			id.Namespaces[ns] = struct{}{}
		}
		for _, st := range is.Stats {
			kept := st.Stat
			id.Stats[st.Key] = &kept
		}
		for reason, st := range is.Reasons {
			if st != nil {
				id.Reasons[reason] = st
			}
		}
		ids[i] = id
		restored.identities[is.Key] = id
		restored.products[is.Key.User]++
	}
	for _, w := range s.Open {
		open := openWatch{Resource: w.Resource, ID: w.ID, Since: w.Since}
		if w.Identity >= 0 {
			if w.Identity >= len(ids) {
				return fmt.Errorf("the open watch %s is of identity %d, and there are %d", w.ID, w.Identity, len(ids))
			}
			open.Identity = ids[w.Identity]
		}
		restored.open[keyOf(w.ID)] = open
	}
	for _, text := range s.Recent {
		var key idKey
		if len(text) != 2*len(key) {
			return fmt.Errorf("%q is no audit ID", text)
		}
		if _, err := hex.Decode(key[:], []byte(text)); err != nil {
			return fmt.Errorf("%q is no audit ID", text)
		}
		restored.recent.add(key)
	}
	*l = *restored
	return nil
}
