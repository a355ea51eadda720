# What the scripts beside this file have in common: they write EndpointSlices,
# run one consumer, and hold its view against what the slices mean.
#
# A script wants kubectl with a KUBECONFIG that may do everything, curl, jq, and
# PROGRAMS, the folder with the consumers' programs. Slices can be written in any
# cluster; nothing has to listen on their addresses. It ends with 0 when the
# consumer was right, and with 3 when it was not.
# shellcheck shell=bash
set -euo pipefail

: "${PROGRAMS:?the folder of the programs: see README.md}"
: "${KUBECONFIG:?a kubeconfig of an administrator}"
at=127.0.0.1:${LISTEN_PORT:-8199}
ns=finding-$$
dir=$(mktemp -d)
wrong=0
pid=

cleanup() {
  stop
  kubectl delete namespace "$ns" --wait=false >/dev/null
  rm -rf "$dir"
}
kubectl create namespace "$ns" >/dev/null
trap cleanup EXIT
trap 'exit 1' INT TERM

# slice NAME SERVICE PORTS ENDPOINT... writes a slice. SERVICE "-" is no label.
# PORTS is name:number, with commas between; a number left out is none; "-" is no
# ports. An ENDPOINT is ADDRESS[/CONDITIONS]: ready, serving and terminating, each
# T, F or - where absent; TTF if not given. The YAML is printed.
slice() {
  local name=$1 service=$2 ports=$3 family=IPv4 p e i keys=(ready serving terminating)
  shift 3
  [[ ${1:-} == *:* ]] && family=IPv6
  {
    echo "apiVersion: discovery.k8s.io/v1"
    echo "kind: EndpointSlice"
    echo "metadata:"
    echo "  name: $name"
    [[ $service == - ]] || echo "  labels: {kubernetes.io/service-name: $service}"
    echo "addressType: $family"
    if [[ $ports == - ]]; then echo "ports: []"; else echo "ports:"; fi
    for p in ${ports//,/ }; do
      [[ $p == - ]] || echo "- {name: ${p%%:*}${p##"${p%%:*}"}}" | sed 's/{name: \([^:}]*\):\([0-9]*\)}/{name: \1, port: \2}/'
    done
    echo "endpoints:"
    for e in "$@"; do
      local address=${e%%/*} conditions=TTF list=
      [[ $e == */* ]] && conditions=${e##*/}
      for i in 0 1 2; do
        case ${conditions:i:1} in
          T) list+="${list:+, }${keys[i]}: true" ;;
          F) list+="${list:+, }${keys[i]}: false" ;;
        esac
      done
      echo "- {addresses: ['$address'], conditions: {$list}}"
    done
  } >"$dir/slice.yaml"
  sed 's/^/    /' "$dir/slice.yaml"
  kubectl apply --server-side --force-conflicts -n "$ns" -f "$dir/slice.yaml" >/dev/null
}

unslice() {
  echo "    kubectl delete endpointslice $1"
  kubectl delete endpointslice -n "$ns" "$1" >/dev/null
}

# relabel NAME SERVICE moves a slice to another Service.
relabel() {
  echo "    kubectl label --overwrite endpointslice $1 kubernetes.io/service-name=$2"
  kubectl label --overwrite endpointslice -n "$ns" "$1" "kubernetes.io/service-name=$2" >/dev/null
}

# follow PROGRAM PORT starts a gRPC client of the Service web.
follow() {
  command=("$PROGRAMS/$1" --kubeconfig "$KUBECONFIG" --namespace "$ns" --service web --listen "$at" --port "$2")
  start
}

start() {
  "${command[@]}" >>"$dir/log" 2>&1 &
  pid=$!
  for _ in $(seq 100); do
    if curl -fs "http://$at/${ready:-view}" >/dev/null; then return; fi
    sleep 0.2
  done
  echo "the consumer does not answer:" >&2
  cat "$dir/log" >&2
  exit 1
}

stop() {
  [[ -z $pid ]] || kill -9 "$pid" 2>/dev/null || true
  [[ -z $pid ]] || wait "$pid" 2>/dev/null || true
  pid=
}

restart() {
  echo "  restarted"
  stop
  start
}

view() { curl -fs "http://$at/view" | jq -r 'unique | join(" ")'; }

# wants SAY ADDRESS... waits until the view is these addresses, and says what it
# is if it is not within a time many times what it takes.
wants() {
  local say=$1 want has
  shift
  want=$(printf '%s\n' "$@" | sort | xargs)
  sleep "${SETTLE:-2}" # what is right before the change is seen proves nothing
  for _ in $(seq "${PATIENCE:-8}"); do
    has=$(view | tr ' ' '\n' | sort | xargs)
    if [[ $has == "$want" ]]; then
      echo "  right: $say: ${has:-none}"
      return
    fi
    sleep 1
  done
  wrong=3
  echo "  WRONG: $say: should be ${want:-none}, is ${has:-none}"
}

finish() { exit "$wrong"; }
