package report

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/registry"
	"github.com/slicewright/slicewright/app/internal/output"
	"github.com/slicewright/slicewright/internal/text"
)

// writeSARIF writes two runs: what is in files, which code hosts show beside the
// line, and what is in the cluster, which has no line.
func writeSARIF(w io.Writer, r *registry.Registry, opts Options) error {
	source, cluster := newRun("source", opts), newRun("cluster", opts)
	known := knownEvidence(opts.Baseline)
	for i := range r.Entries {
		e := &r.Entries[i]
		// A code host alerts on every result: the control plane, a person's tools
		// and wildcards are no alerts.
		if !e.Consumer() || e.Missing || (e.Confidence == evidence.Broad && !opts.Broad) {
			continue
		}
		for _, ev := range e.Evidence {
			run := cluster
			if inFile(ev) {
				run = source
			}
			run.add(e, ev, known, opts.Baseline != nil)
		}
	}
	return output.JSON(w, sarifLog{Schema: sarifSchema, Version: sarifVersion, Runs: []*sarifRun{source, cluster}})
}

func newRun(category string, opts Options) *sarifRun {
	return &sarifRun{
		Tool: sarifTool{sarifDriver{
			Name: "slicewright", SemanticVersion: semantic(opts.Version), InformationURI: "https://github.com/slicewright/slicewright", Rules: []sarifRule{},
		}},
		AutomationDetails: sarifIdentity{"slicewright/find/" + category},
		ColumnKind:        "utf16CodeUnits",
		Results:           []sarifRunResult{},
	}
}

// semantic is a version that SARIF takes for one; a build without is 0.0.0.
func semantic(version string) string {
	version = strings.TrimPrefix(version, "v")
	if version == "" || version[0] < '0' || version[0] > '9' {
		return "0.0.0"
	}
	return version
}

func (s *sarifRun) add(e *registry.Entry, ev evidence.Evidence, known map[string]bool, baseline bool) {
	print := fingerprint(e, ev)
	result := sarifRunResult{
		RuleID: ev.Detector, RuleIndex: s.rule(e, ev), Level: level(e.Confidence), Message: sarifText{message(e, ev)},
		Locations:           []sarifLocation{location(ev)},
		PartialFingerprints: map[string]string{"slicewright/v1": print},
	}
	if ev.Count > 1 {
		result.OccurrenceCount = ev.Count
	}
	if baseline {
		result.BaselineState = "new"
		if known[print] {
			result.BaselineState = "unchanged"
		}
	}
	if e.Status == evidence.Acknowledged {
		kind, why := "external", cmp.Or(e.Notes, "acknowledged in the registry")
		if inFile(ev) && e.FoundStatus == evidence.Acknowledged {
			kind, why = "inSource", "acknowledged in place"
		}
		result.Suppressions = []sarifSuppression{{Kind: kind, Status: "accepted", Justification: why}}
	}
	s.Results = append(s.Results, result)
}

// rule returns the index of a detector's rule. The first entry that the detector
// found gives its help.
func (s *sarifRun) rule(e *registry.Entry, ev evidence.Evidence) int {
	rules := &s.Tool.Driver.Rules
	if i := slices.IndexFunc(*rules, func(r sarifRule) bool { return r.ID == ev.Detector }); i >= 0 {
		return i
	}
	*rules = append(*rules, sarifRule{
		ID: ev.Detector, ShortDescription: sarifText{describe(ev)},
		Help:    sarifText{cmp.Or(e.Advice, "Move to discovery.k8s.io/v1 EndpointSlice.")},
		HelpURI: "https://kubernetes.io/docs/concepts/services-networking/endpoint-slices/",
	})
	return len(*rules) - 1
}

func describe(ev evidence.Evidence) string {
	_, name, _ := strings.Cut(ev.Detector, "/")
	return fmt.Sprintf("Use of Endpoints, seen in %s: %s", sourceName(ev.Source), strings.ReplaceAll(name, "-", " "))
}

func sourceName(s evidence.Source) string {
	switch s {
	case evidence.SourceGo:
		return "Go source"
	case evidence.SourceText:
		return "other source and configuration"
	case evidence.SourceRBAC:
		return "a grant"
	case evidence.SourceAudit:
		return "the audit log"
	case evidence.SourceObject:
		return "an object"
	}
	return string(s)
}

func message(e *registry.Entry, ev evidence.Evidence) string {
	said := fmt.Sprintf("%s (%s, %s)", text.Line(e.Application), e.Class, e.Confidence)
	if ev.Verb != "" {
		said += " " + text.Line(ev.Verb)
	}
	if ev.Excerpt != "" {
		said += ": " + text.Line(ev.Excerpt)
	}
	if e.Advice != "" {
		said += ". " + e.Advice
	}
	return said
}

func level(c evidence.Confidence) string {
	switch c {
	case evidence.Proven, evidence.Strong:
		return "error"
	case evidence.Likely:
		return "warning"
	}
	return "note"
}

// fingerprint names a result over runs: line numbers move, so they are no part.
func fingerprint(e *registry.Entry, ev evidence.Evidence) string {
	place := ev.Locator
	switch {
	case inFile(ev):
		place, _, _ = splitLocator(ev.Locator)
	case ev.Source == evidence.SourceAudit:
		place = "" // an audit ID is another one in the next log
	}
	h := sha256.New()
	fmt.Fprintf(h, "%q%q%q%q%q", e.Key, ev.Detector, place, ev.Verb, ev.Excerpt)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

func knownEvidence(r *registry.Registry) map[string]bool {
	known := make(map[string]bool)
	if r == nil {
		return known
	}
	for i := range r.Entries {
		for _, ev := range r.Entries[i].Evidence {
			known[fingerprint(&r.Entries[i], ev)] = true
		}
	}
	return known
}

// inFile says whether a locator is a place in a searched file.
func inFile(ev evidence.Evidence) bool {
	return ev.Source == evidence.SourceGo || ev.Source == evidence.SourceText
}

// splitLocator cuts "dir/file.go:41:9". Lines and columns are 0 if not given.
func splitLocator(locator string) (file string, line, column int) {
	parts := strings.Split(strings.TrimSuffix(locator, evidence.Rendered), ":")
	var numbers []int
	for len(parts) > 1 && len(numbers) < 2 {
		n, err := strconv.Atoi(parts[len(parts)-1])
		if err != nil || n < 1 {
			break
		}
		numbers = append(numbers, n)
		parts = parts[:len(parts)-1]
	}
	slices.Reverse(numbers)
	if len(numbers) > 0 {
		line = numbers[0]
	}
	if len(numbers) > 1 {
		column = numbers[1]
	}
	return strings.Join(parts, ":"), line, column
}

func location(ev evidence.Evidence) sarifLocation {
	if !inFile(ev) {
		return sarifLocation{Logical: []sarifLogical{{FullyQualifiedName: cmp.Or(text.Line(ev.Locator), ev.Detector), Kind: "object"}}}
	}
	file, line, column := splitLocator(ev.Locator)
	physical := &sarifPhysical{Artifact: sarifArtifact{URI: (&url.URL{Path: file}).EscapedPath(), URIBaseID: "SRCROOT"}}
	if line > 0 {
		physical.Region = &sarifRegion{StartLine: line, StartColumn: column}
	}
	return sarifLocation{Physical: physical}
}
