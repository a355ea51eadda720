package verify

import (
	"net/netip"
	"time"

	"github.com/slicewright/slicewright/app/internal/api"
	"github.com/slicewright/slicewright/endpointset"
)

// The identity of a Report.
const (
	APIVersion = api.Version
	ReportKind = "VerifyReport"
)

// Outcome is what is said of a consumer, of a probe, or of all together.
type Outcome string

// The outcomes.
const (
	Equal     Outcome = "equal"
	Different Outcome = "different"
	// Undetermined: not enough was seen to say. It is written "unknown".
	Undetermined Outcome = "unknown"
)

// The bounds of a report: a thousand addresses say no more than the first ones,
// and a backend that answers probes may name any number of addresses. Counts are
// always of all.
const (
	maxListed    = 100
	maxAddresses = 2000
)

// Report is what a time of verifying came to. Its schema is
// docs/schemas/verifyreport.schema.json.
type Report struct {
	APIVersion string             `json:"apiVersion"`
	Kind       string             `json:"kind"`
	Service    string             `json:"service"`
	Port       string             `json:"port"`
	Policy     endpointset.Policy `json:"policy"`
	// Outcome is different if one part is, else unknown if one is, or if there was
	// nothing to judge.
	Outcome Outcome `json:"outcome"`
	// Reasons say in sentences why the outcome is not equal.
	Reasons []string `json:"reasons"`
	// Interrupted: it ended before it had seen what it was to see.
	Interrupted   bool             `json:"interrupted,omitempty"`
	From          time.Time        `json:"from"`
	Until         time.Time        `json:"until"`
	SettleSeconds float64          `json:"settleSeconds"`
	Slices        SlicesReport     `json:"slices"`
	Command       *CommandReport   `json:"command,omitempty"`
	Consumers     []ConsumerReport `json:"consumers"`
	Probes        []ProbeReport    `json:"probes"`
}

// SlicesReport is what the slices said at the end, and how often that changed.
type SlicesReport struct {
	// Known is false if they were never read, or could not be at the end.
	Known       bool `json:"known"`
	Active      int  `json:"active"`
	Terminating int  `json:"terminating"`
	Excluded    int  `json:"excluded"`
	// Changes counts changes of the set of active addresses; Changed is the last.
	Changes int         `json:"changes"`
	Changed time.Time   `json:"changed,omitzero"`
	Gaps    []GapReport `json:"gaps"`
}

// CommandReport is the command during which was verified.
type CommandReport struct {
	Command  string    `json:"command"`
	Began    time.Time `json:"began"`
	Ended    time.Time `json:"ended"`
	ExitCode int       `json:"exitCode"`
	Problem  string    `json:"problem,omitempty"`
}

// GapReport is a time in which something could not be read.
type GapReport struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to,omitzero"`
	Why  string    `json:"why"`
}

// ConsumerReport is one consumer's part.
type ConsumerReport struct {
	Consumer string  `json:"consumer"`
	Outcome  Outcome `json:"outcome"`
	Reason   string  `json:"reason,omitempty"`
	Views    int     `json:"views"`
	Failed   int     `json:"failed"`
	Problem  string  `json:"problem,omitempty"`
	// AddressesOnly: it knows no ports, and is compared by address.
	AddressesOnly bool `json:"addressesOnly,omitempty"`
	// New, Draining and Idle count what it had in its last view.
	New      int         `json:"new"`
	Draining int         `json:"draining"`
	Idle     int         `json:"idle"`
	Gaps     []GapReport `json:"gaps"`
	// Kinds count all differences, Differences lists those to look at first.
	Kinds              map[Kind]KindCount  `json:"kinds"`
	Differences        []DifferenceReport  `json:"differences"`
	DifferencesLeftOut int                 `json:"differencesLeftOut,omitempty"`
	Convergences       []ConvergenceReport `json:"convergences"`
	ConvergencesLeft   int                 `json:"convergencesLeftOut,omitempty"`
	SlowestSeconds     float64             `json:"slowestConvergenceSeconds"`
	// Used is what the consumer opened, by its own count, to addresses that were
	// not active.
	Used        []UsedReport `json:"used"`
	UsedLeftOut int          `json:"usedLeftOut,omitempty"`

	agreed []time.Time // the last views, as far back as none shows a difference
	looked time.Time   // the last view
}

// KindCount counts the differences of a kind.
type KindCount struct {
	Count    int `json:"count"`
	Findings int `json:"findings"`
	// LongestSeconds is the longest that was seen.
	LongestSeconds float64 `json:"longestSeconds"`
}

// DifferenceReport is one address for a time in which a consumer and the slices
// did not agree on it.
type DifferenceReport struct {
	Kind Kind `json:"kind"`
	// Address has no port where the consumer knows none.
	Address string `json:"address"`
	// From is the slices' change that began it, or the first view that shows it; To
	// the first moment at which it was known to be over, zero while it goes on.
	From time.Time `json:"from"`
	To   time.Time `json:"to,omitzero"`
	// Seconds is how long it was seen to last, Most the longest that it can have
	// lasted, for all that was not seen.
	Seconds float64 `json:"seconds"`
	Most    float64 `json:"atMostSeconds"`
	// Finding: it was seen to last longer than a consumer may take to follow.
	// Undecided: it may have, but that was not seen.
	Finding   bool `json:"finding"`
	Undecided bool `json:"undecided,omitempty"`
	// Reason is why an excluded address is, Word the consumer's own for its state.
	Reason string `json:"reason,omitempty"`
	Word   string `json:"word,omitempty"`
}

// ConvergenceReport is how a consumer followed one change of the active
// addresses, or several that came before it had followed the first. Equal is the
// first view after which it agreed with the slices until their next change, and
// absent if it never agreed; Seconds is the time from the last change to that
// view.
type ConvergenceReport struct {
	Changes int       `json:"changes"`
	First   time.Time `json:"first"`
	Last    time.Time `json:"last"`
	Equal   time.Time `json:"equal,omitzero"`
	Seconds float64   `json:"seconds"`
}

// UsedReport is new connections to an address that was not active when they were
// made. Since is when it stopped being active, or else when the slices began to
// say of it what they say; LateSeconds is the longest from there to a connection.
type UsedReport struct {
	Kind        UseKind   `json:"kind"`
	Address     string    `json:"address"`
	Count       int64     `json:"count"`
	First       time.Time `json:"first"`
	Last        time.Time `json:"last"`
	Since       time.Time `json:"since"`
	LateSeconds float64   `json:"lateSeconds"`
	// AfterLeftSeconds is the longest time from when the last slice dropped it.
	AfterLeftSeconds float64 `json:"afterLeftSeconds,omitempty"`
	Finding          bool    `json:"finding"`
	Reason           string  `json:"reason,omitempty"`
}

// ProbeReport is one prober's part.
type ProbeReport struct {
	Probe        string  `json:"probe"`
	Outcome      Outcome `json:"outcome"`
	Reason       string  `json:"reason,omitempty"`
	Requests     int64   `json:"requests"`
	Identified   int64   `json:"identified"`
	Unidentified int64   `json:"unidentified"`
	// Early counts answers of addresses that the slices had as active a moment later.
	Early int64 `json:"early"`
	// Unjudged counts answers while the slices could not be read.
	Unjudged int64 `json:"unjudged"`
	// LostRequests counts failures while somebody was there to answer, and
	// ExpectedFailures those while nobody was.
	LostRequests     int64             `json:"lostRequests"`
	ExpectedFailures int64             `json:"expectedFailures"`
	Lost             []LostReport      `json:"lost"`
	Answering        []AnsweringReport `json:"answering"`
	AnsweringLeftOut int               `json:"answeringLeftOut,omitempty"`
	// Unreached are active at the end and never answered, which is no finding: a
	// load balancer may choose.
	Unreached        []string     `json:"unreached"`
	UnreachedLeftOut int          `json:"unreachedLeftOut,omitempty"`
	Used             []UsedReport `json:"used"`
	UsedLeftOut      int          `json:"usedLeftOut,omitempty"`

	good []time.Time // see probing
}

// LostReport is the requests that failed in one way: Count is their number while
// an address was active, Expected is their number while no address was. First and
// Last are when the requests of Count began, or those of Expected if Count is 0.
type LostReport struct {
	Failure  Failure   `json:"failure"`
	Count    int64     `json:"count"`
	Expected int64     `json:"expected"`
	First    time.Time `json:"first"`
	Last     time.Time `json:"last"`
	Detail   string    `json:"detail,omitempty"`
}

// AnsweringReport is how often one address answered.
type AnsweringReport struct {
	Address string    `json:"address"`
	Count   int64     `json:"count"`
	First   time.Time `json:"first"`
	Last    time.Time `json:"last"`
}

// addressText leaves the port 0 out: the address alone is known.
func addressText(a netip.AddrPort) string {
	if a.Port() == 0 {
		return a.Addr().String()
	}
	return a.String()
}
