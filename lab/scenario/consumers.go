package scenario

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/slicewright/slicewright/lab/controlplane"
	"github.com/slicewright/slicewright/lab/process"
)

// cmdConsumer runs what is in the Pod of a Deployment: lab-consumer in a mode,
// with a token that the API server issued for that Pod, so that requests carry
// the Pod's name as they do in any cluster.
func (s *script) cmdConsumer(_ io.Writer, args []string) error {
	if err := arguments(args, 2, -1); err != nil {
		return err
	}
	name, mode, flags := args[0], args[1], args[2:]
	if s.products[name] != nil {
		return fmt.Errorf("%s runs already", name)
	}
	program, err := s.labProgram("lab-consumer")
	if err != nil {
		return err
	}
	pod, err := s.onlyPod("app=" + name)
	if err != nil {
		return err
	}
	kubeconfig := s.path(name + ".pod.kubeconfig")
	if err := s.podKubeconfig(pod, kubeconfig); err != nil {
		return err
	}
	all := append([]string{"-name=" + name, "-namespace=" + s.namespace, "-kubeconfig=" + kubeconfig}, flags...)
	p, err := process.Start(process.Spec{
		Name: name, Path: program, Args: append(all, mode), Dir: s.work, Log: filepath.Join(s.logs, name+".log"),
	})
	if err != nil {
		return err
	}
	s.products[name] = p
	return nil
}

// labProgram builds a command of the lab, once a script. Everything that it
// needs is in the module cache, as the lab itself is made of it.
func (s *script) labProgram(name string) (string, error) {
	program := s.path(name)
	if _, err := os.Stat(program); err == nil {
		return program, nil
	}
	source, err := controlplane.FindSource(".")
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(s.ctx, "go", "build", "-o", program, "./cmd/"+name)
	cmd.Dir = source
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", name, err, out)
	}
	return program, nil
}

// onlyPod waits for the one running Pod of a selector.
func (s *script) onlyPod(selector string) (*v1.Pod, error) {
	var pod *v1.Pod
	err := s.await(func(ctx context.Context) error {
		pods, err := s.pods(ctx, selector)
		if err != nil {
			return err
		}
		if len(pods) != 1 || pods[0].Status.Phase != v1.PodRunning {
			return fmt.Errorf("%d Pods of %s instead of one that runs", len(pods), selector)
		}
		pod = &pods[0]
		return nil
	})
	return pod, err
}

// podKubeconfig writes a kubeconfig with a token of the Pod's ServiceAccount
// that is bound to the Pod.
func (s *script) podKubeconfig(pod *v1.Pod, path string) error {
	lab, account := s.engine.Lab, pod.Spec.ServiceAccountName
	answer, err := lab.Client.CoreV1().ServiceAccounts(pod.Namespace).CreateToken(s.ctx, account, &authenticationv1.TokenRequest{
		Spec: authenticationv1.TokenRequestSpec{
			ExpirationSeconds: ptr.To(int64(3600)),
			BoundObjectRef:    &authenticationv1.BoundObjectReference{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("request a token for Pod %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	config := clientcmdapi.NewConfig()
	config.Clusters["lab"] = &clientcmdapi.Cluster{Server: lab.Config.Host, CertificateAuthorityData: lab.Config.CAData}
	config.AuthInfos[account] = &clientcmdapi.AuthInfo{Token: answer.Status.Token}
	config.Contexts["lab"] = &clientcmdapi.Context{Cluster: "lab", AuthInfo: account}
	config.CurrentContext = "lab"
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		return fmt.Errorf("write the kubeconfig of Pod %s: %w", pod.Name, err)
	}
	return nil
}

// cmdRaw keeps what the API server answers, as "kubectl get --raw" does.
func (s *script) cmdRaw(_ io.Writer, args []string) error {
	if err := arguments(args, 2, 2); err != nil {
		return err
	}
	content, err := s.engine.Lab.Client.CoreV1().RESTClient().Get().AbsPath(args[0]).DoRaw(s.ctx)
	if err != nil {
		return fmt.Errorf("get %s: %w", args[0], err)
	}
	return os.WriteFile(s.path(args[1]), content, 0o644)
}

// dumped are what find reads of a cluster; {} is replaced by the namespace.
var dumped = []string{
	"/api/v1/namespaces/{}/serviceaccounts", "/api/v1/namespaces/{}/pods", "/api/v1/namespaces/{}/endpoints", //nolint:endpointsvet // what find is given to read
	"/apis/apps/v1/namespaces/{}/deployments", "/apis/apps/v1/namespaces/{}/replicasets",
	"/apis/rbac.authorization.k8s.io/v1/namespaces/{}/roles", "/apis/rbac.authorization.k8s.io/v1/namespaces/{}/rolebindings",
}

// dumpedOnce are those that have no namespace.
var dumpedOnce = []string{
	"/api/v1/namespaces", "/apis/rbac.authorization.k8s.io/v1/clusterroles", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
}

// cmdDump writes the objects that find looks at into files, as "kubectl get
// --show-managed-fields" does.
func (s *script) cmdDump(_ io.Writer, args []string) error {
	if err := arguments(args, 2, -1); err != nil {
		return err
	}
	folder := s.path(args[0])
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, path := range dumpedOnce {
		if err := s.dumpList(path, filepath.Join(folder, filepath.Base(path)+".yaml")); err != nil {
			return err
		}
	}
	for _, namespace := range args[1:] {
		for _, path := range dumped {
			path = strings.ReplaceAll(path, "{}", namespace)
			if err := s.dumpList(path, filepath.Join(folder, namespace+"-"+filepath.Base(path)+".yaml")); err != nil {
				return err
			}
		}
	}
	return nil
}

// dumpList writes a list as kubectl does: of kind List, each item saying what
// it is.
func (s *script) dumpList(path, file string) error {
	content, err := s.engine.Lab.Client.CoreV1().RESTClient().Get().AbsPath(path).SetHeader("Accept", "application/json").DoRaw(s.ctx)
	if err != nil {
		return fmt.Errorf("get %s: %w", path, err)
	}
	var list unstructured.UnstructuredList
	if err := list.UnmarshalJSON(content); err != nil {
		return fmt.Errorf("decode %s: %w", path, err)
	}
	list.SetAPIVersion("v1")
	list.SetKind("List")
	text, err := yaml.Marshal(list.UnstructuredContent())
	if err != nil {
		return fmt.Errorf("encode %s: %w", path, err)
	}
	return os.WriteFile(file, text, 0o644)
}
