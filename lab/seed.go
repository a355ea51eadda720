package lab

import (
	_ "github.com/prometheus/common/expfmt"
	_ "k8s.io/kubernetes/pkg/proxy"
)
