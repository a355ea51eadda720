package publication

import (
	"net/netip"
	"slices"
	"time"

	"github.com/slicewright/slicewright/app/internal/verify"
	"github.com/slicewright/slicewright/endpointset"
)

// Fact is what one measurement says of one address.
type Fact string

// The facts. The zero value is not a fact.
const (
	Yes     Fact = "yes"
	No      Fact = "no"
	Unknown Fact = "unknown" // it was not measured, or could not be
)

func fact(holds bool) Fact {
	if holds {
		return Yes
	}
	return No
}

// Table is the facts of every address of a Service, in the order of the
// addresses.
type Table struct {
	// Began and Ended are when the measurements did.
	Began time.Time `json:"began"`
	Ended time.Time `json:"ended"`
	// Changed: the slices were not the same before and after, so that the facts may
	// be of different moments.
	Changed bool  `json:"changed"`
	Rows    []Row `json:"rows"`
	// Discovery says of each consumer whether it answered.
	Discovery []Consumer `json:"discovery"`
	// Requests counts the ordinary ones.
	Requests Requests `json:"requests"`
}

// Consumer is a consumer in which addresses are looked up.
type Consumer struct {
	// Name is the observer's.
	Name string `json:"name"`
	// Error says why its view is unknown, "" if it is known.
	Error string `json:"error,omitempty"`
}

// Requests counts ordinary requests.
type Requests struct {
	// Made is 0 if none were asked for.
	Made int `json:"made"`
	// Unidentified were answered by nobody knows whom, Failed were not answered, by
	// kind.
	Unidentified int                    `json:"unidentified"`
	Failed       map[verify.Failure]int `json:"failed,omitempty"`
}

// Row is one address. A port of 0 means all ports: consumers such as DNS know
// addresses alone, and answers need not tell a port.
type Row struct {
	Address netip.AddrPort `json:"address"`
	// Name is that of the target, "" if the slices have none.
	Name string `json:"name,omitempty"`

	// Health is whether the application answers well by itself; HealthDetail says
	// what it answered instead.
	Health       Fact   `json:"health"`
	HealthDetail string `json:"healthDetail,omitempty"`

	// InSlices is No for an address that only a consumer or an answer has; then the
	// three conditions are Unknown.
	InSlices    Fact `json:"inSlices"`
	Ready       Fact `json:"ready"`
	Serving     Fact `json:"serving"`
	Terminating Fact `json:"terminating"`

	// Discovered has a Fact for each of the Table's Discovery, in their order:
	// whether it has the address for new connections.
	Discovered []Fact `json:"discovered"`

	// Answered is how many ordinary requests came out here.
	Answered int `json:"answered"`

	// Notes say what does not go together.
	Notes []Note `json:"notes,omitempty"`
}

// Measured is what Tabulate puts side by side.
type Measured struct {
	Began, Ended time.Time
	// Before and After are the Service's backends as the slices had them.
	Before, After []endpointset.Backend
	// Health has the answer of each address that was asked.
	Health map[netip.AddrPort]verify.Answer
	// Views are the consumers' in order.
	Views []Viewed
	// Answers are those of ordinary requests.
	Answers []verify.Answer
}

// Viewed is what a consumer said.
type Viewed struct {
	Name string
	View verify.View
	Err  error // the view is unknown
}

// Tabulate puts side by side what was measured.
func Tabulate(m Measured) Table {
	t := Table{Began: m.Began, Ended: m.Ended, Changed: changed(m.Before, m.After), Rows: []Row{}, Discovery: []Consumer{}}
	b := builder{rows: map[netip.AddrPort]*Row{}, views: len(m.Views)}
	has := make([]map[*Row]bool, len(m.Views))
	for _, backend := range m.After {
		row := b.row(backend.AddrPort())
		row.Name = backend.Target.Name
		row.InSlices, row.Ready, row.Serving, row.Terminating = Yes, fact(backend.Ready), fact(backend.Serving), fact(backend.Terminating)
		if a, asked := m.Health[row.Address]; asked {
			row.Health, row.HealthDetail = health(a)
		}
	}
	for i, v := range m.Views {
		consumer := Consumer{Name: v.Name}
		if v.Err != nil {
			consumer.Error = v.Err.Error()
		}
		t.Discovery = append(t.Discovery, consumer)
		if v.Err == nil {
			has[i] = b.has(v.View)
		}
	}
	t.Requests = b.answers(m.Answers)
	for _, row := range b.rows {
		for i := range has {
			if has[i] != nil { // what a consumer does not name it has not
				row.Discovered[i] = fact(has[i][row])
			}
		}
		row.Notes = notes(*row, t.Requests)
		t.Rows = append(t.Rows, *row)
	}
	slices.SortFunc(t.Rows, func(a, b Row) int { return a.Address.Compare(b.Address) })
	return t
}

// health reads the answer of an application that was asked by itself. Who it
// says that it is does not matter here.
func health(a verify.Answer) (Fact, string) {
	switch a.Failure {
	case "", verify.Unidentified:
		return Yes, ""
	}
	return No, string(a.Failure) + ": " + a.Detail
}

// builder has the rows by address.
type builder struct {
	rows  map[netip.AddrPort]*Row
	views int
}

// row returns the row of an address, and makes it if it is missing.
func (b *builder) row(address netip.AddrPort) *Row {
	if row := b.rows[address]; row != nil {
		return row
	}
	row := &Row{
		Address: address, Health: Unknown, InSlices: No,
		Ready: Unknown, Serving: Unknown, Terminating: Unknown, Discovered: make([]Fact, b.views),
	}
	for i := range row.Discovered {
		row.Discovered[i] = Unknown
	}
	b.rows[address] = row
	return row
}

// matching returns the rows that an address speaks of: without a port, all of
// the IP. There is always one.
func (b *builder) matching(address netip.AddrPort) []*Row {
	if address.Port() != 0 {
		return []*Row{b.row(address)}
	}
	var found []*Row
	for known, row := range b.rows {
		if known.Addr() == address.Addr() {
			found = append(found, row)
		}
	}
	if found == nil {
		found = []*Row{b.row(address)}
	}
	return found
}

// has returns the rows of what a consumer has for new connections.
func (b *builder) has(view verify.View) map[*Row]bool {
	has := map[*Row]bool{}
	for _, member := range view.Members {
		for _, row := range b.matching(member.Address) {
			has[row] = has[row] || member.Use == verify.New
		}
	}
	return has
}

func (b *builder) answers(answers []verify.Answer) Requests {
	r := Requests{Made: len(answers)}
	for _, a := range answers {
		switch {
		case a.Failure == verify.Unidentified:
			r.Unidentified++
		case a.Failure != "":
			if r.Failed == nil {
				r.Failed = map[verify.Failure]int{}
			}
			r.Failed[a.Failure]++
		default:
			// One answer is one, whatever the number of ports at its address.
			rows := b.matching(a.From)
			slices.SortFunc(rows, func(a, b *Row) int { return a.Address.Compare(b.Address) })
			rows[0].Answered++
		}
	}
	return r
}

// changed reports whether two lists differ in what the table shows.
func changed(before, after []endpointset.Backend) bool {
	type shown struct {
		address netip.AddrPort
		endpointset.Conditions
		name string
	}
	count := map[shown]int{}
	for _, b := range before {
		count[shown{b.AddrPort(), b.Conditions, b.Target.Name}]++
	}
	for _, b := range after {
		count[shown{b.AddrPort(), b.Conditions, b.Target.Name}]--
	}
	for _, n := range count {
		if n != 0 {
			return true
		}
	}
	return false
}
