package rbac

import (
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/slicewright/slicewright/app/internal/find/workloads"
)

// The groups that the API server puts ServiceAccounts into.
const (
	groupAccounts      = "system:serviceaccounts"
	groupAuthenticated = "system:authenticated"
)

// identity is whom a binding names: an account, a user or a group. One of the
// three is set.
type identity struct {
	account workloads.Account
	user    string
	group   string
}

// identityOf reads a subject as the authorizer does: an account without a
// namespace is one of the binding's own, which a ClusterRoleBinding has not; a
// user of an account's name is that account; the apiGroup does not count.
func identityOf(s rbacv1.Subject, bindingNamespace string) (identity, bool) {
	switch s.Kind {
	case rbacv1.ServiceAccountKind:
		namespace := s.Namespace
		if namespace == "" {
			namespace = bindingNamespace
		}
		if namespace == "" || s.Name == "" {
			return identity{}, false
		}
		return identity{account: workloads.Account{Namespace: namespace, Name: s.Name}}, true
	case rbacv1.UserKind:
		if account, ok := workloads.AccountOf(s.Name); ok {
			return identity{account: account}, true
		}
		return identity{user: s.Name}, s.Name != ""
	case rbacv1.GroupKind:
		return identity{group: s.Name}, s.Name != ""
	}
	return identity{}, false
}

// groupsOf are the groups that an account is in.
func groupsOf(account workloads.Account) []string {
	return []string{groupAccounts + ":" + account.Namespace, groupAccounts, groupAuthenticated}
}

// hasAccounts says whether ServiceAccounts can be in the group.
func hasAccounts(group string) bool {
	return group == groupAuthenticated || group == groupAccounts || strings.HasPrefix(group, groupAccounts+":")
}

// isEveryone: a group that singles nobody out.
func isEveryone(group string) bool {
	return group == groupAuthenticated || group == groupAccounts || group == "system:unauthenticated"
}

// String names the identity as a person would.
func (id identity) String() string {
	switch {
	case id.group != "":
		return "group " + id.group
	case id.user != "":
		return "user " + id.user
	}
	return "ServiceAccount " + id.account.String()
}
