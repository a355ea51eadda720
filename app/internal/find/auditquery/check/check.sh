#!/usr/bin/env bash
# Holds the queries of find audit-query to the languages' own analyzers, which are
# npm packages: Kusto's from Microsoft and ZetaSQL (BigQuery's SQL), both with the
# columns of the table; Trino's grammar (Athena) and Grafana's grammar of LogQL. For
# CloudWatch Insights there is none. It needs node, npm and 500 MB in the temporary
# folder, so that no other target runs it.
#
# usage: check.sh [SLICEWRIGHT]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
slicewright=${1:-slicewright}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for backend in bigquery athena loganalytics loki; do
  "$slicewright" find audit-query --for "$backend" >"$work/$backend"
done
cp "$here"/*.cjs "$work"
cd "$work"
npm init -y >/dev/null
npm install --no-save --no-audit --no-fund --ignore-scripts --loglevel=error \
  @kusto/language-service-next@12.4.1 @fivetrandevelopers/zetasql@1.13.0 \
  dt-sql-parser@4.5.1 @grafana/lezer-logql@0.4.2 @lezer/lr @lezer/common esbuild
# The grammars are modules in a form that node alone does not load.
for name in athena loki; do
  npx --no-install esbuild "$name.cjs" --bundle --platform=node --outfile="$name.bundle.cjs" --log-level=error
  mv "$name.bundle.cjs" "$name.cjs"
done

failed=0
# check BACKEND WORD: the query passes, and with WORD misspelled it does not.
check() {
  if out=$(timeout 60 node "$1.cjs" "$1" 2>&1); then
    echo "$1: ok $out"
  else
    echo "$1: $out"
    failed=1
  fi
  sed "s/$2/${2}x/" "$1" >"$1.broken"
  if cmp -s "$1" "$1.broken" || timeout 60 node "$1.cjs" "$1.broken" >/dev/null 2>&1; then
    echo "$1: the check takes a query with ${2}x too"
    failed=1
  fi
}
check bigquery STARTS_WITH
check athena WITH
check loganalytics count_distinct
check loki count_over_time
exit $failed
