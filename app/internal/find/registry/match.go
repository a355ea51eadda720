package registry

import "github.com/slicewright/slicewright/app/internal/find/evidence"

// matcher finds the entry that another run's entry is about: by key, else by
// what it is, if that is one entry only. A run that sees the cluster knows a
// workload where the run before knew only the name of a program.
type matcher struct {
	entries   []Entry
	taken     map[int]bool
	key       map[string]int
	workload  map[inLane[evidence.Workload]][]int
	account   map[inLane[string]][]int
	byProgram map[inLane[string]][]int
}

// inLane keeps a lock and a reader of one program apart.
type inLane[T comparable] struct {
	lane lane
	of   T
}

func newMatcher(entries []Entry) *matcher {
	m := &matcher{
		entries: entries, taken: make(map[int]bool), key: make(map[string]int),
		workload: make(map[inLane[evidence.Workload]][]int), account: make(map[inLane[string]][]int), byProgram: make(map[inLane[string]][]int),
	}
	for i := range entries {
		e := &entries[i]
		l := laneOf(e.Class)
		m.key[e.Key] = i
		if e.Workload.Name != "" {
			at := inLane[evidence.Workload]{l, e.Workload}
			m.workload[at] = append(m.workload[at], i)
		}
		if e.ServiceAccount != "" {
			at := inLane[string]{l, e.ServiceAccount}
			m.account[at] = append(m.account[at], i)
		}
		at := inLane[string]{l, e.Application}
		m.byProgram[at] = append(m.byProgram[at], i)
	}
	return m
}

// assign finds for each of another run's entries its own here, -1 without one. No
// two get the same: equal keys come first, then what only seems to be the same.
func (m *matcher) assign(others []Entry) []int {
	out := make([]int, len(others))
	for i := range others {
		out[i] = -1
		if at, ok := m.key[others[i].Key]; ok && !m.taken[at] {
			out[i], m.taken[at] = at, true
		}
	}
	for i := range others {
		if out[i] < 0 {
			if out[i] = m.find(&others[i]); out[i] >= 0 {
				m.taken[out[i]] = true
			}
		}
	}
	return out
}

func (m *matcher) find(other *Entry) int {
	if at, ok := m.key[other.Key]; ok && !m.taken[at] {
		return at
	}
	l := laneOf(other.Class)
	if other.Workload.Name != "" {
		if at := m.only(m.workload[inLane[evidence.Workload]{l, other.Workload}], nil); at >= 0 {
			return at
		}
	}
	if other.ServiceAccount != "" {
		if at := m.only(m.account[inLane[string]{l, other.ServiceAccount}], nil); at >= 0 {
			return at
		}
	}
	// Equal names of two ServiceAccounts are two programs.
	return m.only(m.byProgram[inLane[string]{l, other.Application}], func(e *Entry) bool {
		return other.ServiceAccount == "" || e.ServiceAccount == ""
	})
}

// only returns the one candidate that is free, -1 if not exactly one is.
func (m *matcher) only(candidates []int, fits func(*Entry) bool) int {
	found := -1
	for _, i := range candidates {
		if m.taken[i] || (fits != nil && !fits(&m.entries[i])) {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = i
	}
	return found
}
