package backendreport

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/slicewright/slicewright/app/internal/output"
	"github.com/slicewright/slicewright/endpointset"
	"github.com/slicewright/slicewright/internal/text"
)

// Format is how a report is printed.
type Format string

// The formats. Explain is the table with the reasons.
const (
	Table    Format = "table"
	Wide     Format = "wide"
	JSON     Format = "json"
	YAML     Format = "yaml"
	HostPort Format = "hostport"
	Explain  Format = "explain"
)

// Formats returns what can be asked for with -o.
func Formats() []string {
	return []string{string(Table), string(Wide), string(JSON), string(YAML), string(HostPort)}
}

// Print writes the report.
func (r *Report) Print(w io.Writer, format Format) error {
	switch format {
	case JSON:
		return output.JSON(w, r)
	case YAML:
		return output.YAML(w, r)
	case HostPort:
		for i := range r.Services {
			for _, b := range r.Services[i].Active {
				if _, err := fmt.Fprintln(w, b.Endpoint); err != nil {
					return err
				}
			}
		}
		return nil
	}
	for i := range r.Services {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := r.Services[i].print(w, format); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) print(w io.Writer, format Format) error {
	fmt.Fprintf(w, "%s/%s: %d active, %d draining, %d excluded under policy %s",
		text.Line(s.Namespace), text.Line(s.Name), len(s.Active), len(s.Draining), len(s.Excluded), s.Policy)
	if s.Fallback {
		fmt.Fprint(w, " (fallback: the active ones are terminating, nothing else is left)")
	}
	fmt.Fprintln(w)
	if backends := s.Backends(); len(backends) > 0 {
		t := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
		fmt.Fprintln(t, strings.Join(header(format), "\t"))
		for i := range backends {
			fmt.Fprintln(t, strings.Join(backends[i].row(format), "\t"))
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	for _, d := range s.Diagnostics {
		where := ""
		if d.Slice != "" {
			where = " " + text.Line(d.Slice)
		}
		if _, err := fmt.Fprintf(w, "! %s%s: %s\n", d.Code, where, text.Line(d.Message)); err != nil {
			return err
		}
	}
	return nil
}

func header(format Format) []string {
	switch format {
	case Explain:
		return []string{"PORT", "ENDPOINT", "STATE", "RULE", "WHY", "TARGET", "SLICE"}
	case Wide:
		return []string{"PORT", "ENDPOINT", "STATE", "REASON", "READY", "SERVING", "TERMINATING", "ZONE", "NODE", "HINTS", "TARGET", "UID", "SLICE"}
	}
	return []string{"PORT", "ENDPOINT", "STATE", "REASON", "ZONE", "NODE", "TARGET"}
}

func (b *Backend) row(format Format) []string {
	port := b.Port
	if port == "" {
		port = "-"
	}
	if b.Protocol != "TCP" {
		port += "/" + b.Protocol
	}
	target, uid := "-", "-"
	if b.Target != nil {
		target, uid = b.Target.Kind+"/"+b.Target.Name, b.Target.UID
	}
	var cells []string
	switch format {
	case Explain:
		cells = []string{port, b.Endpoint, string(b.state), b.Rule, b.Because, target, b.Slice}
	case Wide:
		hints := strings.Join(append(b.ForZones, b.ForNodes...), ",")
		cells = []string{
			port, b.Endpoint, string(b.state), string(b.Reason),
			yes(b.Ready), yes(b.Serving), yes(b.Terminating), b.Zone, b.Node, hints, target, uid, b.Slice,
		}
	default:
		cells = []string{port, b.Endpoint, string(b.state), string(b.Reason), b.Zone, b.Node, target}
	}
	for i, cell := range cells {
		cells[i] = text.Cell(cell)
	}
	return cells
}

func yes(b bool) string {
	if b {
		return "true"
	}
	return "false"
}

// PrintDifference writes what became different between two answers for one
// Service, a line a backend: + came, - went, ~ is another than before. It
// writes nothing if nothing is different.
func PrintDifference(w io.Writer, before, after Service, format Format) error {
	olds := map[endpointset.ID]Backend{}
	for _, b := range before.Backends() {
		olds[b.id] = b
	}
	line := func(sign string, b Backend) error {
		_, err := fmt.Fprintf(w, "%s %s/%s %s\n", sign, text.Line(after.Namespace), text.Line(after.Name), strings.Join(b.row(format), " "))
		return err
	}
	for _, b := range after.Backends() {
		old, there := olds[b.id]
		delete(olds, b.id)
		sign := "+"
		if there {
			sign = "~"
		}
		if there && strings.Join(old.row(format), "\t") == strings.Join(b.row(format), "\t") {
			continue
		}
		if err := line(sign, b); err != nil {
			return err
		}
	}
	for _, b := range before.Backends() {
		if _, gone := olds[b.id]; gone {
			if err := line("-", b); err != nil {
				return err
			}
		}
	}
	return nil
}
