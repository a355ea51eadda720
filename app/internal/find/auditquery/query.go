// Package auditquery prints the aggregation of an audit log in the language of
// the place where the log is, for logs that are too large for one machine. All
// queries have the same columns, which audit.ReadAggregate takes:
//
//	username, user_agent, verb, resource, api_group, namespace, code, requests, first_seen, last_seen
//
// They count as the audit package does: a short request at its last stage, a
// watch at ResponseStarted, since it may be open for longer than the log; a
// refused watch has no such stage and counts at its end.
package auditquery

import (
	"fmt"
	"regexp"
	"strings"
	"text/template"
)

// Backends are the names that Query knows.
var Backends = []string{"bigquery", "athena", "cloudwatch", "loganalytics", "loki"}

// Options fill in what a query needs to know of its place. The zero value gives
// placeholders to replace.
type Options struct {
	// Table is the table or data set (bigquery, athena), or the stream selector
	// (loki).
	Table string
	// Days is how far back to look; 0 is 30.
	Days int
}

// Query returns the query for a backend, with a comment on how to run it.
func Query(backend string, opts Options) (string, error) {
	q, known := queries[backend]
	if !known {
		return "", fmt.Errorf("unknown backend %q: use one of %s", backend, strings.Join(Backends, ", "))
	}
	if opts.Table == "" {
		opts.Table = q.table
	}
	// The name is written into the query: nothing may end it there.
	if !q.allowed.MatchString(opts.Table) {
		return "", fmt.Errorf("%q is no %s: %s", opts.Table, q.what, q.form)
	}
	if opts.Days == 0 {
		opts.Days = 30
	}
	if opts.Days < 1 || opts.Days > 3660 {
		return "", fmt.Errorf("%d days: use 1 to 3660", opts.Days)
	}
	var b strings.Builder
	if err := q.text.Execute(&b, struct {
		Options
		Columns string
	}{opts, strings.Join(Columns, ", ")}); err != nil {
		return "", err
	}
	return b.String(), nil
}

// Columns are what a result must have; reason and pod may be added.
var Columns = []string{"username", "user_agent", "verb", "resource", "api_group", "namespace", "code", "requests", "first_seen", "last_seen"}

type query struct {
	what, form, table string
	allowed           *regexp.Regexp
	text              *template.Template
}

var queries = map[string]query{
	"bigquery": {
		"BigQuery table", "project.dataset.table, in letters, digits, - _ . and *", "PROJECT.DATASET.cloudaudit_googleapis_com_data_access_*",
		regexp.MustCompile(`^[A-Za-z0-9_.*-]+$`), parse("bigquery", bigquery),
	},
	"athena": {
		"table", "database.table, in letters, digits, _ and .", "kube_audit",
		regexp.MustCompile(`^[A-Za-z0-9_.]+$`), parse("athena", athena),
	},
	"cloudwatch": {
		"log group", "letters, digits and _ - / . #", "/aws/eks/CLUSTER/cluster",
		regexp.MustCompile(`^[A-Za-z0-9_/.#-]+$`), parse("cloudwatch", cloudwatch),
	},
	"loganalytics": {
		"table", "AKSAudit, or a function with its columns", "AKSAudit",
		regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`), parse("loganalytics", loganalytics),
	},
	"loki": {
		"stream selector", `label matchers such as job="kube-audit"`, `job="kube-audit"`,
		regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=~?"[^"\\{}|` + "`" + `\n]*"(,\s*[A-Za-z_][A-Za-z0-9_]*=~?"[^"\\{}|` + "`" + `\n]*")*$`), parse("loki", loki),
	},
}

func parse(name, text string) *template.Template {
	return template.Must(template.New(name).Option("missingkey=error").Parse(text))
}

const bigquery = `-- Who uses Endpoints, from Cloud Audit Logs (GKE). Reads are in data_access, which must
-- be enabled; run it on cloudaudit_googleapis_com_activity_* too for who writes.
-- bq query --use_legacy_sql=false --format=csv --max_rows=1000000 < this > aggregate.csv
SELECT
  protopayload_auditlog.authenticationInfo.principalEmail AS username,
  protopayload_auditlog.requestMetadata.callerSuppliedUserAgent AS user_agent,
  REGEXP_EXTRACT(protopayload_auditlog.methodName, r'([a-z]+)$') AS verb,
  REGEXP_EXTRACT(protopayload_auditlog.methodName, r'(endpoints|endpointslices)\.[a-z]+$') AS resource,
  IF(STARTS_WITH(protopayload_auditlog.methodName, 'io.k8s.discovery.'), 'discovery.k8s.io', '') AS api_group,
  IFNULL(REGEXP_EXTRACT(protopayload_auditlog.resourceName, r'/namespaces/([^/]+)'), '') AS namespace,
  CASE IFNULL(protopayload_auditlog.status.code, 0)
    WHEN 0 THEN 200 WHEN 5 THEN 404 WHEN 7 THEN 403 WHEN 16 THEN 401 ELSE 500 END AS code,
  COUNT(DISTINCT operation.id) AS requests,
  FORMAT_TIMESTAMP('%FT%TZ', MIN(timestamp)) AS first_seen,
  FORMAT_TIMESTAMP('%FT%TZ', MAX(timestamp)) AS last_seen
FROM ` + "`{{.Table}}`" + `
WHERE timestamp > TIMESTAMP_SUB(CURRENT_TIMESTAMP(), INTERVAL {{.Days}} DAY)
  AND REGEXP_CONTAINS(protopayload_auditlog.methodName, r'^io\.k8s\.(core\.v1\.endpoints|discovery\.v1\.endpointslices)\.[a-z]+$')
GROUP BY 1, 2, 3, 4, 5, 6, 7
`

const athena = `-- Who uses Endpoints, from audit logs in S3 with one JSON event a line (a prefix before
-- the JSON is passed over). The table has one column:
--   CREATE EXTERNAL TABLE kube_audit (line string)
--   ROW FORMAT DELIMITED FIELDS TERMINATED BY '\001' LOCATION 's3://BUCKET/PREFIX/';
WITH event AS (
  SELECT regexp_extract(line, '\{.*') AS e FROM {{.Table}} WHERE line LIKE '%endpoints%'
), request AS (
  SELECT
    json_extract_scalar(e, '$.auditID') AS id,
    json_extract_scalar(e, '$.stage') AS stage,
    json_extract_scalar(e, '$.user.username') AS username,
    json_extract_scalar(e, '$.userAgent') AS user_agent,
    json_extract_scalar(e, '$.verb') AS verb,
    json_extract_scalar(e, '$.objectRef.resource') AS resource,
    coalesce(json_extract_scalar(e, '$.objectRef.apiGroup'), '') AS api_group,
    json_extract_scalar(e, '$.objectRef.subresource') AS subresource,
    coalesce(json_extract_scalar(e, '$.objectRef.namespace'), '') AS namespace,
    CAST(json_extract_scalar(e, '$.responseStatus.code') AS integer) AS code,
    json_extract_scalar(e, '$.requestReceivedTimestamp') AS seen
  FROM event
)
SELECT username, user_agent, verb, resource, api_group, namespace, code,
       count(DISTINCT id) AS requests, min(seen) AS first_seen, max(seen) AS last_seen
FROM request
WHERE ((resource = 'endpoints' AND api_group = '') OR (resource = 'endpointslices' AND api_group = 'discovery.k8s.io'))
  AND subresource IS NULL
  AND ((verb <> 'watch' AND stage IN ('ResponseComplete', 'Panic'))
    OR (verb = 'watch' AND stage = 'ResponseStarted')
    OR (verb = 'watch' AND stage = 'ResponseComplete' AND code >= 400))
  AND from_iso8601_timestamp(seen) > current_timestamp - INTERVAL '{{.Days}}' DAY
GROUP BY 1, 2, 3, 4, 5, 6, 7
`

const cloudwatch = `# Who uses Endpoints, from the control plane logs of EKS (CloudWatch Logs Insights).
# Log group: {{.Table}}, the last {{.Days}} days:
#   aws logs start-query --log-group-name {{.Table}} --start-time ... --end-time ... --query-string file://this
#   aws logs get-query-results --query-id ... > aggregate.json
# Insights returns at most 10000 rows.
filter @logStream like /^kube-apiserver-audit/
| filter (objectRef.resource = "endpoints" and not ispresent(objectRef.apiGroup)) or (objectRef.resource = "endpointslices" and objectRef.apiGroup = "discovery.k8s.io")
| filter not ispresent(objectRef.subresource)
| filter (verb != "watch" and stage in ["ResponseComplete", "Panic"]) or (verb = "watch" and stage = "ResponseStarted") or (verb = "watch" and stage = "ResponseComplete" and responseStatus.code >= 400)
| stats count(*) as requests, min(requestReceivedTimestamp) as first_seen, max(requestReceivedTimestamp) as last_seen
    by user.username as username, userAgent as user_agent, verb, objectRef.resource as resource, objectRef.apiGroup as api_group, objectRef.namespace as namespace, responseStatus.code as code
| limit 10000
`

const loganalytics = `// Who uses Endpoints, from the audit log of AKS (resource-specific table AKSAudit, category
// kube-audit; kube-audit-admin has no reads).
//   az monitor log-analytics query -w WORKSPACE --analytics-query @this -o json > aggregate.json
{{.Table}}
| where TimeGenerated > ago({{.Days}}d)
| extend resource = tostring(ObjectRef.resource), api_group = tostring(ObjectRef.apiGroup), code = toint(ResponseStatus.code)
| where (resource == "endpoints" and api_group == "") or (resource == "endpointslices" and api_group == "discovery.k8s.io")
| where isempty(tostring(ObjectRef.subresource))
| where (Verb != "watch" and Stage in ("ResponseComplete", "Panic"))
    or (Verb == "watch" and Stage == "ResponseStarted")
    or (Verb == "watch" and Stage == "ResponseComplete" and code >= 400)
| summarize requests = count_distinct(AuditId), first_seen = min(RequestReceivedTime), last_seen = max(RequestReceivedTime)
    by username = tostring(User.username), user_agent = UserAgent, verb = Verb, resource, api_group, namespace = tostring(ObjectRef.namespace), code
`

const loki = `# Who uses Endpoints, from audit events in Loki, one JSON event a line (LogQL).
#   logcli instant-query --now=... "$(grep -v '^#' this)" > aggregate.json
# An instant query gives counts without first and last times.
sum by (username, user_agent, verb, resource, api_group, namespace, code) (count_over_time({ {{- .Table -}} } |= "endpoints"
  | json stage="stage", username="user.username", user_agent="userAgent", verb="verb", resource="objectRef.resource", api_group="objectRef.apiGroup", subresource="objectRef.subresource", namespace="objectRef.namespace", code="responseStatus.code"
  | subresource="" | (resource="endpoints" and api_group="") or (resource="endpointslices" and api_group="discovery.k8s.io")
  | (verb!="watch" and stage=~"ResponseComplete|Panic") or (verb="watch" and stage="ResponseStarted") or (verb="watch" and stage="ResponseComplete" and code>=400)
  [{{.Days}}d]))
`
