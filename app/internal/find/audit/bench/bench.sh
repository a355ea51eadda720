#!/bin/sh
# Side by side, in one run and on the same file: slicewright find --audit, the jq
# filter that people use for this, and ripgrep's bare search as the lower bound.
# Needs jq and GNU time (/usr/bin/time); ripgrep is optional.
#
#	app/internal/find/audit/bench/bench.sh [BYTES]
#
# Fails if slicewright is less than 15 times as fast as jq.
set -eu
size=${1:-1073741824}
cd "$(dirname "$0")/../../.."
for tool in jq /usr/bin/time; do
	command -v "$tool" >/dev/null || { echo "bench: $tool is missing: run make deps" >&2; exit 1; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go build -o "$work/slicewright" ./app/cmd/slicewright
go run ./app/internal/find/audit/bench -size "$size" >"$work/audit.log"
bytes=$(wc -c <"$work/audit.log")
cat "$work/audit.log" >/dev/null # every program finds the file in memory

# measure NAME RUNS COMMAND...: wall and processor seconds of the best run, and
# peak memory. jq runs once: its time does not vary, and is long.
measure() {
	name=$1 runs=$2 best=
	shift 2
	for _ in $(seq "$runs"); do
		/usr/bin/time -f '%e %U %S %M' -o "$work/time" "$@" >"$work/out.$name"
		read -r wall user sys memory <"$work/time"
		if [ -z "$best" ] || awk -v a="$wall" -v b="$best" 'BEGIN { exit !(a < b) }'; then
			best=$wall
			cpu=$(awk -v u="$user" -v s="$sys" 'BEGIN { print u + s }')
		fi
	done
	eval "${name}_wall=$best ${name}_cpu=$cpu"
	awk -v n="$name" -v s="$best" -v c="$cpu" -v b="$bytes" -v m="$memory" \
		'BEGIN { printf "%-12s %7.2f s %8.0f MB/s  %6.2f s of processor  %4.0f MB peak\n", n, s, b / 1e6 / s, c, m / 1024 }'
}

echo "$bytes bytes, one line in eight about Endpoints, $(getconf _NPROCESSORS_ONLN) processors"
measure slicewright 3 "$work/slicewright" find --audit "$work/audit.log" -o json
if command -v rg >/dev/null; then
	measure ripgrep 3 rg --no-mmap -c '"resource":"endpoints"' "$work/audit.log"
fi
measure jq 1 jq -r 'select(.objectRef.resource == "endpoints" and (.objectRef.apiGroup // "") == "" and .stage == "ResponseComplete") | [.user.username, .verb, .responseStatus.code] | @tsv' "$work/audit.log"

# The two must have counted the same requests, or the comparison is worth nothing.
ours=$(jq '[.entries[] | (.verbs | add // 0) + (.refused // 0)] | add' "$work/out.slicewright")
theirs=$(wc -l <"$work/out.jq")
[ "$ours" -eq "$theirs" ] || { echo "bench: slicewright counts $ours requests, jq $theirs" >&2; exit 1; }
awk -v a="$jq_wall" -v b="$slicewright_wall" -v c="$jq_cpu" -v d="$slicewright_cpu" -v n="$ours" \
	'BEGIN { printf "%d requests each; slicewright is %.1f times as fast as jq, with 1/%.1f of its processor time\n", n, a / b, c / d; exit a / b < 15 }'
