package lab

import (
	_ "github.com/prometheus/common/expfmt"
	_ "github.com/rogpeppe/go-internal/testscript"
	_ "k8s.io/kubernetes/pkg/proxy"
)
