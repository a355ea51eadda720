package timeline_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/slicewright/slicewright/app/internal/timeline"
	"github.com/slicewright/slicewright/app/internal/timeline/timelinetest"
	"github.com/slicewright/slicewright/endpointset"
)

var update = flag.Bool("update", false, "write the golden files again")

// A day in which much happens: two Services, Pods that come, fail and go, a
// lost watch, a consumer that is late and one whose requests fail.
const day = `
	0s    service web
	0s    service other
	0s    pod a 10.0.0.1 ready
	0s    pod b 10.0.0.2 ready since 0s
	0s    slice web-1 10.0.0.1=a:T/T/F 10.0.0.2=b:T/T/F
	0s    slice other-1 of other 10.0.0.9:T/T/F
	1s    haproxy connects 10.0.0.1 until 12s times 80
	1s    haproxy requests 10.0.0.1 until 14s times 300
	1.5s  slice web-1 10.0.0.1=a:T/T/F 10.0.0.2=b:T/T/F
	2s    pod c 10.0.0.3 unready
	3s    slice web-1 10.0.0.1=a:T/T/F 10.0.0.2=b:T/T/F 10.0.0.3=c:T/T/F
	4s    slice web-2 10.0.0.2=b:F/T/F
	5s    pod c ready since 5s
	6s    pod b unready since 6s
	9s    slice web-1 10.0.0.1=a:T/T/F 10.0.0.3=c:T/T/F
	9s    slice other-1 of other 10.0.0.9:T/T/F 10.0.0.8:T/T/F
	10s   pod a deleting 30s
	10.1s slice web-1 10.0.0.1=a:F/T/T 10.0.0.3=c:T/T/F
	11s   haproxy fails 10.0.0.2 times 3 : connection refused
	12s   pod a stopped 12s
	13s   slice web-1 10.0.0.1=a:F/F/T 10.0.0.3=c:T/T/F
	15s   pod d 10.0.0.1 ready
	16s   slice web-2 10.0.0.1=d:T/T/F
	18s   pod a gone
	20s   gap endpointslices 4s lost too old resource version
	20s   list slice web-1 10.0.0.1=a:F/F/T 10.0.0.3=c:F/F/F
	24s   slice web-1 10.0.0.3=c:F/F/F
	25s   slice web-2 gone
	26s   slice other-1 of other
	27s   pod c deleting 10s
	28s   slice web-1 gone
	29s   slice other-1 of other 10.0.0.9:T/T/F
	30s   pod e 10.0.0.7 unready
	31s   pod e phase Failed
	32s   pod b gone
	35s   haproxy fails 10.0.0.3 : no route to host`

// TestReport holds a whole report to a file.
func TestReport(t *testing.T) {
	got, err := json.MarshalIndent(timeline.NewReport(history(timelinetest.MustParse(day)), timeline.Filter{}, timeline.Options{}), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	path := filepath.Join("testdata", "report.json")
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got; -update writes it again):\n%s", path, diff)
	}
}

// shown is what a report is about: addresses with their spans, and how many there
// are of the rest.
func shown(r *timeline.Report) []string {
	var lines []string
	for _, s := range r.Services {
		line := fmt.Sprintf("%s %d counts:", s.Service, len(s.Counts))
		for _, l := range s.Lanes {
			line += fmt.Sprintf(" %s %d", l.Address, len(l.Spans))
		}
		lines = append(lines, line)
	}
	pods := "pods"
	for _, p := range r.Pods {
		pods += fmt.Sprintf(" %s %d", p.Pod, len(p.Changes))
	}
	second := func(at time.Time) float64 { return at.Sub(timelinetest.Start).Seconds() }
	return append(lines, pods, fmt.Sprintf("%g-%g: %d gaps, %d uses, %d findings, %d transitions, %d left out", second(r.From), second(r.Until),
		len(r.Gaps), len(r.Uses), len(r.Findings), len(r.Transitions), r.LanesLeftOut))
}

func TestWhatAFilterLetsThrough(t *testing.T) {
	web := endpointset.ServiceKey{Namespace: "t", Name: "web"}
	at := timelinetest.At
	for _, c := range []struct {
		name   string
		filter timeline.Filter
		want   []string
	}{
		{"everything", timeline.Filter{}, []string{
			"t/other 4 counts: 10.0.0.8 1 10.0.0.9 2",
			"t/web 8 counts: 10.0.0.1 5 10.0.0.2 3 10.0.0.3 2",
			"pods t/a 4 t/b 3 t/c 3 t/d 1 t/e 2",
			"0-35: 1 gaps, 4 uses, 13 findings, 38 transitions, 0 left out",
		}},
		{"one Service", timeline.Filter{Service: web}, []string{
			"t/web 8 counts: 10.0.0.1 5 10.0.0.2 3 10.0.0.3 2",
			"pods t/a 4 t/b 3 t/c 3 t/d 1",
			"0-35: 1 gaps, 4 uses, 12 findings, 30 transitions, 0 left out",
		}},
		{"one address", timeline.Filter{Address: "10.0.0.1"}, []string{
			"t/other 4 counts:",
			"t/web 8 counts: 10.0.0.1 5",
			"pods t/a 4 t/d 1",
			"0-35: 1 gaps, 2 uses, 5 findings, 14 transitions, 0 left out",
		}},
		{"an address that is not there", timeline.Filter{Address: "nonsense"}, []string{
			"t/other 4 counts:",
			"t/web 8 counts:",
			"pods",
			"0-35: 1 gaps, 0 uses, 0 findings, 1 transitions, 0 left out",
		}},
		{"one address of one Service", timeline.Filter{Service: web, Address: "10.0.0.3"}, []string{
			"t/web 8 counts: 10.0.0.3 2",
			"pods t/c 3",
			"0-35: 1 gaps, 1 uses, 4 findings, 8 transitions, 0 left out",
		}},
		{"the middle", timeline.Filter{Since: at("9s"), Until: at("16s")}, []string{
			"t/other 1 counts: 10.0.0.8 1 10.0.0.9 1",
			"t/web 3 counts: 10.0.0.1 4 10.0.0.2 2 10.0.0.3 1",
			"pods t/a 4 t/b 3 t/c 3 t/d 1",
			"9-16: 1 gaps, 3 uses, 5 findings, 10 transitions, 0 left out",
		}},
		{"before the first Pod is gone", timeline.Filter{Until: at("17s")}, []string{
			"t/other 2 counts: 10.0.0.8 1 10.0.0.9 1",
			"t/web 5 counts: 10.0.0.1 4 10.0.0.2 3 10.0.0.3 1",
			"pods t/a 4 t/b 3 t/c 3 t/d 1",
			"0-17: 1 gaps, 3 uses, 7 findings, 25 transitions, 0 left out",
		}},
		{"after the first Pod is gone", timeline.Filter{Since: at("19s")}, []string{
			"t/other 3 counts: 10.0.0.8 1 10.0.0.9 2",
			"t/web 4 counts: 10.0.0.1 2 10.0.0.3 2",
			"pods t/b 3 t/c 3 t/d 1 t/e 2",
			"19-35: 1 gaps, 1 uses, 8 findings, 12 transitions, 0 left out",
		}},
		{"before and after", timeline.Filter{Since: timelinetest.Start.Add(-time.Hour), Until: at("1000s")}, []string{
			"t/other 4 counts: 10.0.0.8 1 10.0.0.9 2",
			"t/web 8 counts: 10.0.0.1 5 10.0.0.2 3 10.0.0.3 2",
			"pods t/a 4 t/b 3 t/c 3 t/d 1 t/e 2",
			"0-35: 1 gaps, 4 uses, 13 findings, 38 transitions, 0 left out",
		}},
		{"one address at most", timeline.Filter{MaxLanes: 1}, []string{
			"t/other 4 counts:",
			"t/web 8 counts: 10.0.0.1 5",
			"pods t/a 4 t/b 3 t/c 3 t/d 1 t/e 2",
			"0-35: 1 gaps, 4 uses, 13 findings, 38 transitions, 4 left out",
		}},
		{"three addresses at most", timeline.Filter{MaxLanes: 3}, []string{
			"t/other 4 counts:",
			"t/web 8 counts: 10.0.0.1 5 10.0.0.2 3 10.0.0.3 2",
			"pods t/a 4 t/b 3 t/c 3 t/d 1 t/e 2",
			"0-35: 1 gaps, 4 uses, 13 findings, 38 transitions, 2 left out",
		}},
		{"more addresses than there are", timeline.Filter{MaxLanes: 50}, []string{
			"t/other 4 counts: 10.0.0.8 1 10.0.0.9 2",
			"t/web 8 counts: 10.0.0.1 5 10.0.0.2 3 10.0.0.3 2",
			"pods t/a 4 t/b 3 t/c 3 t/d 1 t/e 2",
			"0-35: 1 gaps, 4 uses, 13 findings, 38 transitions, 0 left out",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := timeline.NewReport(history(timelinetest.MustParse(day)), c.filter, timeline.Options{})
			if diff := cmp.Diff(c.want, shown(r)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
