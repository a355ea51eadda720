package auditquery

import (
	"strings"
	"testing"
)

func TestEveryQueryHasTheColumnsAndCountsWatchesAtTheirBeginning(t *testing.T) {
	for _, backend := range Backends {
		t.Run(backend, func(t *testing.T) {
			q, err := Query(backend, Options{})
			if err != nil {
				t.Fatal(err)
			}
			want := []string{"username", "user_agent", "verb", "resource", "api_group", "namespace", "code", "30"}
			switch backend {
			case "bigquery": // an operation's two entries have one ID
				want = append(want, "COUNT(DISTINCT operation.id)")
			case "loki": // the value of a LogQL vector is the count
				want = append(want, "ResponseStarted")
			default:
				want = append(want, "ResponseStarted", "requests", "first_seen", "last_seen")
			}
			for _, w := range want {
				if !strings.Contains(q, w) {
					t.Errorf("no %q in\n%s", w, q)
				}
			}
		})
	}
}

func TestATableNameCannotEndTheQuery(t *testing.T) {
	for backend, table := range map[string]string{
		"bigquery": "a`; DROP TABLE x; --", "athena": "t; DROP TABLE x", "cloudwatch": "g\n| stats", "loganalytics": "T | take 1", "loki": `job="a"} |= "b`,
	} {
		if q, err := Query(backend, Options{Table: table}); err == nil {
			t.Errorf("%s took %q:\n%s", backend, table, q)
		}
	}
	q, err := Query("loki", Options{Table: `job="audit", cluster=~"prod-.*"`, Days: 7})
	if err != nil || !strings.Contains(q, `{job="audit", cluster=~"prod-.*"} |=`) || !strings.Contains(q, "[7d]") {
		t.Errorf("error %v, query\n%s", err, q)
	}
	if _, err := Query("splunk", Options{}); err == nil {
		t.Error("an unknown backend is no error")
	}
}
