#!/usr/bin/env bash
# Shows how the library's public API differs from a revision.
#
#   tools/apidiff.sh [REVISION]
#
# Without a revision it is the newest release (a tag v*), and before the first
# release the commit before this one. From v1 on an incompatible change fails;
# before, it is shown.
set -euo pipefail
cd "$(dirname "$0")/.."
module=github.com/slicewright/slicewright
apidiff=${APIDIFF:-bin/tools/apidiff}
apidiff=$(realpath "$apidiff")

base=${1:-}
if [ -z "$base" ]; then
  base=$(git describe --tags --abbrev=0 --match 'v[0-9]*' 2>/dev/null || true)
fi
if [ -z "$base" ]; then
  base=HEAD~1
fi
if [ -z "${1:-}" ] && ! git rev-parse --verify --quiet "$base^{commit}" >/dev/null; then
  echo "apidiff: a clone without history; nothing to compare with"
  exit 0
fi
if ! git rev-parse --verify --quiet "$base^{commit}" >/dev/null; then
  echo "apidiff: this clone has no revision $base to compare with (fetch it, or name another: make apidiff BASE=REVISION)" >&2
  exit 2
fi

work=$(mktemp -d)
trap 'git worktree remove --force "$work/base" 2>/dev/null || true; rm -rf "$work"' EXIT
git worktree add --quiet --detach "$work/base" "$base"
export GOWORK=off
# What is said on stderr is which internal packages are left out.
(cd "$work/base" && "$apidiff" -m -w "$work/old" "$module" 2>"$work/log") || { cat "$work/log" >&2; exit 1; }
"$apidiff" -m -w "$work/new" "$module" 2>"$work/log" || { cat "$work/log" >&2; exit 1; }
"$apidiff" -m "$work/old" "$work/new" >"$work/report" 2>/dev/null

echo "The library's API since $(git describe --tags --always "$base"):"
if [ ! -s "$work/report" ]; then
  echo "no change"
  exit 0
fi
cat "$work/report"
if [[ "$base" =~ ^v[1-9] ]] && "$apidiff" -m -incompatible "$work/old" "$work/new" 2>/dev/null | grep -q .; then
  echo "apidiff: incompatible with $base: keep what it promised, or begin a new major version (docs/release.md)" >&2
  exit 1
fi
