// Package evidence holds what every source of the inventory reports in: a
// Finding says that somebody reads or writes Endpoints, who that is as far as
// the source can tell, and where it can be checked; a Coverage says what the
// source did not see. Sources fill these in, package inventory joins them.
package evidence

import (
	"strings"
	"time"
)

// Source names where a piece of evidence was found.
type Source string

// The sources.
const (
	SourceGo      Source = "go"
	SourceText    Source = "text"
	SourceRBAC    Source = "rbac"
	SourceAudit   Source = "audit"
	SourceMetrics Source = "metrics"
	SourceObject  Source = "object"
)

// Sources returns all sources, in the order in which they are shown.
func Sources() []Source {
	return []Source{SourceGo, SourceText, SourceRBAC, SourceAudit, SourceMetrics, SourceObject}
}

// Class says what a consumer is.
type Class string

// The classes.
const (
	Reader             Class = "reader"
	Producer           Class = "producer"
	Lock               Class = "lock"
	StateStore         Class = "state-store"
	APIServerDiscovery Class = "apiserver-discovery"
	Walker             Class = "walker"
	Tooling            Class = "tooling"
	// Expected is the control plane itself.
	Expected Class = "expected"
)

// Confidence says how sure a finding is. It follows from the kind of evidence,
// never from a score.
type Confidence string

// The confidences, strongest first.
const (
	// Proven: an identified user did it with 2xx in the audit log, or
	// managedFields name it as a writer.
	Proven Confidence = "proven"
	// Strong: typed source in an image that runs under a ServiceAccount that may.
	Strong Confidence = "strong"
	// Likely: source or configuration alone.
	Likely Confidence = "likely"
	// Possible: an explicit grant alone.
	Possible Confidence = "possible"
	// Broad: a wildcard or an aggregated built-in role.
	Broad Confidence = "broad"
)

// Status says how far a consumer has come.
type Status string

// The statuses that a source can see. People set the others.
const (
	Unmigrated   Status = "unmigrated"
	Dual         Status = "dual"
	Acknowledged Status = "acknowledged"
	Migrated     Status = "migrated"
	Verified     Status = "verified"
)

// Scope sets code apart that is not a consumer of its own.
type Scope string

// The scopes. The zero value is a project's own, shipped code.
const (
	ScopeOwn       Scope = ""
	ScopeTest      Scope = "test"
	ScopeGenerated Scope = "generated"
	ScopeVendor    Scope = "vendor"
)

// Rendered ends the locator of what is in a chart's output and of which no line
// of the template can be told: "chart/templates/x.yaml (rendered)".
const Rendered = " (rendered)"

// Evidence is one thing that can be looked up and checked.
type Evidence struct {
	Source Source `json:"source"`
	// Detector is the stable name of the rule that matched, such as
	// "go/typed-client".
	Detector string `json:"detector"`
	// Locator says where: file:line:column relative to the root that was
	// given, a file and [Rendered], an audit ID, an object as kind/namespace/name, a metric series.
	Locator   string     `json:"locator"`
	FirstSeen *time.Time `json:"firstSeen,omitempty"`
	LastSeen  *time.Time `json:"lastSeen,omitempty"`
	Count     int        `json:"count"`
	Verb      string     `json:"verb,omitempty"`
	Scope     Scope      `json:"scope,omitempty"`
	// Excerpt is what stands there, shortened. It is a stranger's text.
	Excerpt string `json:"excerpt,omitempty"`
}

// Workload is the object that owns the Pods of a consumer.
type Workload struct {
	Kind      string `json:"kind,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
}

// Image is a container image and the digest that really runs.
type Image struct {
	Image  string `json:"image"`
	Digest string `json:"digest,omitempty"`
}

// Name is the last part of the image's repository: "app" of
// "registry:5000/team/app:1@sha256:…".
func (i Image) Name() string {
	name, _, _ := strings.Cut(i.Image, "@")
	name = name[strings.LastIndexByte(name, '/')+1:]
	name, _, _ = strings.Cut(name, ":")
	return name
}

// Subject is who a finding is about, as far as its source can tell. Sources
// fill in what they know and leave the rest empty.
type Subject struct {
	Application    string
	Owner          string
	Workload       Workload
	Images         []Image
	ServiceAccount string // "namespace/name"
	User           string // as authenticated
	UserAgent      string
	Pod            string // "namespace/name"
}

// Finding is one statement of one source about one subject.
type Finding struct {
	Subject    Subject
	Class      Class
	Confidence Confidence
	Status     Status // "" counts as Unmigrated
	// Verbs counts by verb: get, list, watch, create, update, patch, delete.
	// For code and grants the count is of places, not of requests.
	Verbs map[string]int
	// Access says how it reads: get, list, watch, informer, lister, raw-http,
	// generic, helper, config.
	Access []string
	// Namespaces are those that were read or that the grant covers; "*" is all.
	Namespaces []string
	// Refused counts requests that were answered 401 or 403.
	Refused int
	// Advice is the EndpointSlice way to do the same, in a sentence.
	Advice   string
	Evidence []Evidence
	// Notes say what a reader should know, in sentences.
	Notes []string
}

// Coverage says what one source read and what it could not. A result without
// it is worth little: nothing found where nothing was read is no finding.
type Coverage struct {
	Source   Source    `json:"source"`
	Read     int       `json:"read"`
	Skipped  int       `json:"skipped"`
	Problems []Problem `json:"problems,omitempty"`
	// Notes say in sentences what was seen and what was not: the audit window,
	// its gaps, exclusions.
	Notes []string `json:"notes,omitempty"`
}

// Problem is one thing that was not read, or not fully.
type Problem struct {
	Locator string `json:"locator"`
	Message string `json:"message"`
}

// Problem records one thing that was not read, or not fully.
func (c *Coverage) Problem(locator, message string) {
	c.Problems = append(c.Problems, Problem{locator, message})
}
