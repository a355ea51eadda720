package lab
import (
 _ "github.com/rogpeppe/go-internal/testscript"
 _ "github.com/vishvananda/netlink"
 _ "github.com/vishvananda/netns"
 _ "golang.org/x/net/http2/h2c"
 _ "k8s.io/client-go/kubernetes"
 _ "k8s.io/kubernetes/pkg/proxy"
 _ "github.com/google/go-cmp/cmp"
 _ "github.com/spf13/cobra"
 _ "go.etcd.io/etcd/client/v3"
 _ "github.com/google/renameio/v2"
 _ "github.com/prometheus/common/expfmt"
 _ "sigs.k8s.io/yaml"
 _ "golang.org/x/sync/errgroup"
)
