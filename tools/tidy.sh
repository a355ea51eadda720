#!/usr/bin/env bash
# Tidies the module files. go mod tidy looks at no workspace, and the app asks for
# a release of the library that may not exist yet: for the time of the tidying a
# copy of its module file replaces it by the library beside it.
set -euo pipefail
cd "$(dirname "$0")/.."
export GOWORK=off

go mod tidy

cd app
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp go.mod "$copy/tidy.mod"
cp go.sum "$copy/tidy.sum"
go mod edit -replace=github.com/slicewright/slicewright="$(cd .. && pwd)" "$copy/tidy.mod"
go mod tidy -modfile="$copy/tidy.mod"
go mod edit -dropreplace=github.com/slicewright/slicewright "$copy/tidy.mod"
cp "$copy/tidy.mod" go.mod
cp "$copy/tidy.sum" go.sum

cd ../lab
go mod tidy
