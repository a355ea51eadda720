#!/usr/bin/env bash
# Prometheus, role endpointslice: endpoints of a port without a number are targets
# without a port, scraped on port 80 (S2).
. "$(dirname "$0")/lib.sh"
kubectl create service clusterip web -n "$ns" --tcp=80:8080 >/dev/null
cat >"$dir/prometheus.yml" <<YAML
scrape_configs:
- job_name: web
  kubernetes_sd_configs:
  - {role: endpointslice, kubeconfig_file: "$KUBECONFIG", namespaces: {names: ["$ns"]}}
  relabel_configs:
  - {source_labels: [__meta_kubernetes_service_name], regex: web, action: keep}
  - {source_labels: [__meta_kubernetes_endpointslice_port_name], regex: http, action: keep}
YAML
view() {
  curl -fs "http://$at/api/v1/targets?state=active" | jq -r '[.data.activeTargets[].discoveredLabels.__address__] | unique | join(" ")'
}
slice a web http:8080 10.42.0.1
slice b web http 10.42.0.2
ready=-/ready PATIENCE=20
command=("$PROGRAMS/prometheus" --config.file="$dir/prometheus.yml" --storage.tsdb.path="$dir/data" --web.listen-address="$at")
start
wants "the port of b has no number" 10.42.0.1:8080
restart
wants "the port of b has no number" 10.42.0.1:8080
finish
