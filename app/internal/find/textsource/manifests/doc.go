// Package manifests finds uses of Endpoints in YAML and JSON: Kubernetes'
// objects, pipelines, Ansible, Compose, and configuration of all kinds. It goes
// through the tree of each document, and hands the scripts and programs in it to
// their own detectors.
package manifests
