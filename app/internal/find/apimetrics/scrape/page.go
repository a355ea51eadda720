package scrape

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/slicewright/slicewright/app/internal/find/apimetrics"
)

// maxText is how much of a metrics page is read, in bytes. A large cluster's
// API server writes some 50 MB.
const maxText = 1 << 30

// Parse reads an API server's metrics page. Of its many families only three are
// looked at.
func Parse(r io.Reader) (apimetrics.Counts, error) {
	var text bytes.Buffer
	lines := bufio.NewReaderSize(io.LimitReader(r, maxText), 64<<10)
	sawMetrics := false
	for {
		line, err := lines.ReadSlice('\n')
		if err == bufio.ErrBufferFull {
			// No series of ours is that long: pass over the rest of the line.
			for err == bufio.ErrBufferFull {
				_, err = lines.ReadSlice('\n')
			}
			line = nil
		}
		sawMetrics = sawMetrics || bytes.HasPrefix(line, []byte("apiserver_"))
		if wanted(line) {
			text.Write(line)
			if line[len(line)-1] != '\n' {
				text.WriteByte('\n')
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return apimetrics.Counts{}, fmt.Errorf("reading metrics: %w", err)
		}
	}
	if !sawMetrics {
		return apimetrics.Counts{}, fmt.Errorf("reading metrics: no series of an API server is there; give it the output of kubectl get --raw /metrics")
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(&text)
	if err != nil {
		return apimetrics.Counts{}, fmt.Errorf("reading metrics: %w", err)
	}
	var c apimetrics.Counts
	for name, family := range families {
		for _, m := range family.GetMetric() {
			c.AddSeries(name, labelsOf(m), value(m))
		}
	}
	return c, nil
}

func wanted(line []byte) bool {
	for _, name := range apimetrics.Families() {
		rest, ok := bytes.CutPrefix(line, []byte(name))
		if ok && len(rest) > 0 && rest[0] == '{' {
			return true
		}
	}
	return false
}

func labelsOf(m *dto.Metric) map[string]string {
	out := make(map[string]string, len(m.GetLabel()))
	for _, l := range m.GetLabel() {
		out[l.GetName()] = l.GetValue()
	}
	return out
}

// value reads a sample of any type; without TYPE lines they are untyped.
func value(m *dto.Metric) float64 {
	switch {
	case m.Untyped != nil:
		return m.Untyped.GetValue()
	case m.Counter != nil:
		return m.Counter.GetValue()
	case m.Gauge != nil:
		return m.Gauge.GetValue()
	}
	return 0
}
