package incluster

import (
	"context"
	"fmt"
	"net/url"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	v1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// Account is whom a program runs as, and what it may do.
type Account struct {
	// Kubeconfig is that of an administrator, who makes the account.
	Kubeconfig string
	Namespace  string
	Name       string
	// Rules are those of the account's Role.
	Rules []rbacv1.PolicyRule
}

// credentials are what a container finds.
type credentials struct {
	Host, Port               string
	Token, CA, NamespaceFile []byte
}

// create makes the ServiceAccount, the Role and the binding unless they are
// there, and asks for a token.
func (a Account) create(ctx context.Context) (*credentials, error) {
	config, err := clientcmd.BuildConfigFromFlags("", a.Kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("read the kubeconfig: %w", err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("make a client: %w", err)
	}
	if err := a.grant(ctx, client); err != nil {
		return nil, err
	}
	// A day is longer than any lab.
	seconds := int64((24 * time.Hour).Seconds())
	token, err := client.CoreV1().ServiceAccounts(a.Namespace).CreateToken(ctx, a.Name,
		&authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &seconds}}, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("ask for a token of ServiceAccount %s/%s: %w", a.Namespace, a.Name, err)
	}
	return newCredentials(config, a.Namespace, token.Status.Token)
}

func (a Account) grant(ctx context.Context, client kubernetes.Interface) error {
	meta := metav1.ObjectMeta{Name: a.Name, Namespace: a.Namespace}
	account := &v1.ServiceAccount{ObjectMeta: meta}
	role := &rbacv1.Role{ObjectMeta: meta, Rules: a.Rules}
	binding := &rbacv1.RoleBinding{
		ObjectMeta: meta,
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: a.Name},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: a.Namespace, Name: a.Name}},
	}
	create := metav1.CreateOptions{}
	_, err1 := client.CoreV1().ServiceAccounts(a.Namespace).Create(ctx, account, create)
	_, err2 := client.RbacV1().Roles(a.Namespace).Create(ctx, role, create)
	_, err3 := client.RbacV1().RoleBindings(a.Namespace).Create(ctx, binding, create)
	for _, err := range []error{err1, err2, err3} {
		// A program that is started again has its account already.
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("make ServiceAccount %s/%s and its Role: %w", a.Namespace, a.Name, err)
		}
	}
	return nil
}

func newCredentials(config *rest.Config, namespace, token string) (*credentials, error) {
	server, err := url.Parse(config.Host)
	if err != nil || server.Scheme != "https" || server.Port() == "" {
		return nil, fmt.Errorf("the kubeconfig's server is %q: https://HOST:PORT is needed", config.Host)
	}
	if err := rest.LoadTLSFiles(config); err != nil {
		return nil, fmt.Errorf("read the certificates of the kubeconfig: %w", err)
	}
	return &credentials{
		Host: server.Hostname(), Port: server.Port(),
		Token: []byte(token), CA: config.CAData, NamespaceFile: []byte(namespace),
	}, nil
}
