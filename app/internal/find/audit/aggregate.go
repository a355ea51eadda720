package audit

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
)

// maxAggregate bounds the result of an aggregation, in bytes. It has a row for
// each identity, verb, namespace and code, not one for each request.
const maxAggregate = 256 << 20

// ReadAggregate reads the result of an aggregation that ran where the log is
// (see the queries of package auditquery) and returns what it says. Accepted are
// CSV, an array or lines of JSON objects, the rows of CloudWatch Logs Insights
// and the vector of a LogQL query.
//
// There are no audit IDs in it: no open watches, and no word on which request
// came first but for the times of a row.
func ReadAggregate(name string, r io.Reader, opts Options) (Result, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxAggregate+1))
	if err != nil {
		return Result{}, fmt.Errorf("reading the aggregate %s: %w", name, err)
	}
	if len(b) > maxAggregate {
		return Result{}, fmt.Errorf("reading the aggregate %s: it is larger than %d bytes", name, maxAggregate)
	}
	rows, err := aggregateRows(bytes.TrimSpace(bytes.TrimPrefix(b, []byte("\ufeff"))))
	if err != nil {
		return Result{}, fmt.Errorf("reading the aggregate %s: %w", name, err)
	}
	s := newScanner(opts)
	for i, row := range rows {
		e, err := aggregateEvent(row)
		place := fmt.Sprintf("%s:%d", name, i+1)
		if err != nil {
			s.coverage.Skipped++
			s.coverage.Problem(place, err.Error())
			continue
		}
		s.coverage.Read++
		if e.Resource == 0 {
			continue
		}
		e.ID = place
		s.ledger.total(e, e.Verb)
		s.ledger.count(e)
		s.window.add(e.Received, e.At)
	}
	s.coverage.Notes = append(s.coverage.Notes, "An aggregate names no requests: open watches and gaps cannot be seen in it.")
	out := s.result()
	for i := range out.Findings {
		for j := range out.Findings[i].Evidence {
			e := &out.Findings[i].Evidence[j]
			if e.Source == evidence.SourceAudit && e.Detector == "audit/request" {
				e.Detector = "audit/aggregate"
			}
		}
	}
	return out, nil
}

// aggregateRows reads the rows with their column names made alike: user_agent,
// userAgent and "User Agent" are one.
func aggregateRows(b []byte) ([]map[string]string, error) {
	if len(b) == 0 {
		return nil, fmt.Errorf("it is empty")
	}
	if b[0] != '{' && b[0] != '[' {
		return csvRows(b)
	}
	var rows []map[string]string
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	for {
		var v any
		if err := dec.Decode(&v); err == io.EOF {
			return rows, nil
		} else if err != nil {
			return nil, err
		}
		rows = jsonRows(rows, v)
	}
}

func csvRows(b []byte) ([]map[string]string, error) {
	in := csv.NewReader(bytes.NewReader(b))
	in.FieldsPerRecord = -1
	header, err := in.Read()
	if err != nil {
		return nil, err
	}
	for i, h := range header {
		header[i] = column(h)
	}
	var rows []map[string]string
	for {
		record, err := in.Read()
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		row := make(map[string]string, len(record))
		for i, v := range record {
			if i < len(header) {
				row[header[i]] = v
			}
		}
		rows = append(rows, row)
	}
}

// jsonRows finds the rows in the forms in which tools write them.
func jsonRows(rows []map[string]string, v any) []map[string]string {
	switch v := v.(type) {
	case []any:
		if row := insightsRow(v); row != nil {
			return append(rows, row)
		}
		for _, element := range v {
			rows = jsonRows(rows, element)
		}
	case map[string]any:
		for _, key := range []string{"results", "rows", "result", "data"} {
			if inner, ok := v[key]; ok {
				switch inner.(type) {
				case []any, map[string]any:
					return jsonRows(rows, inner)
				}
			}
		}
		row := make(map[string]string)
		// LogQL: the labels are the columns, the value is the count.
		if metric, ok := v["metric"].(map[string]any); ok {
			if pair, ok := v["value"].([]any); ok && len(pair) == 2 {
				row["requests"] = fmt.Sprint(pair[1])
			}
			v = metric
		}
		for key, value := range v {
			if value != nil {
				row[column(key)] = fmt.Sprint(value)
			}
		}
		return append(rows, row)
	}
	return rows
}

// insightsRow reads CloudWatch's list of {"field", "value"}, nil if it has another form.
func insightsRow(list []any) map[string]string {
	row := make(map[string]string)
	for _, element := range list {
		m, ok := element.(map[string]any)
		if !ok {
			return nil
		}
		field, ok := m["field"].(string)
		if !ok {
			return nil
		}
		value, _ := m["value"].(string)
		row[column(field)] = value
	}
	if len(row) == 0 {
		return nil
	}
	return row
}

func column(s string) string {
	return strings.NewReplacer("_", "", " ", "", "-", "", ".", "").Replace(strings.ToLower(strings.TrimSpace(s)))
}

func aggregateEvent(row map[string]string) (*Event, error) {
	for _, need := range []string{"username", "verb", "resource", "requests"} {
		if _, ok := row[need]; !ok {
			return nil, fmt.Errorf("the row has no column %q; see find audit-query for the columns", need)
		}
	}
	count, err := strconv.ParseFloat(row["requests"], 64)
	if err != nil || count < 0 || count > math.MaxInt32 {
		return nil, fmt.Errorf("requests is %q, not a number", row["requests"])
	}
	code := 0
	if text := row["code"]; text != "" {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil || f < 0 || f > 999 {
			return nil, fmt.Errorf("code is %q, not an HTTP status", text)
		}
		code = int(f)
	}
	e := &Event{
		Stage: responseComplete, Verb: knownVerb([]byte(row["verb"])), User: row["username"], UserAgent: row["useragent"],
		Pod: row["pod"], Resource: parseResource(row["apigroup"], row["resource"], ""), Namespace: row["namespace"],
		Code: code, Reason: row["reason"], Received: looseTime(row["firstseen"]), At: looseTime(row["lastseen"]), Times: int(count),
	}
	// An export may leave the group out; each of the two names has one group.
	if row["apigroup"] == "" && row["resource"] == "endpointslices" {
		e.Resource = EndpointSlices
	}
	e.Shape = shapeOf("", e.Namespace, "")
	if e.Times == 0 {
		e.Resource = 0
	}
	return e, nil
}
