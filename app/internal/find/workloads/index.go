package workloads

import (
	"cmp"
	"slices"
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/objects"
)

// Account names a ServiceAccount.
type Account struct {
	Namespace, Name string
}

// String is "namespace/name".
func (a Account) String() string { return a.Namespace + "/" + a.Name }

// Username is the user as which the API server knows a holder of its token.
func (a Account) Username() string { return "system:serviceaccount:" + a.Namespace + ":" + a.Name }

// AccountOf reads a username back; ok is false for a user of another kind.
func AccountOf(username string) (account Account, ok bool) {
	rest, found := strings.CutPrefix(username, "system:serviceaccount:")
	if !found {
		return Account{}, false
	}
	namespace, name, found := strings.Cut(rest, ":")
	if !found || namespace == "" || name == "" || strings.Contains(name, ":") {
		return Account{}, false
	}
	return Account{namespace, name}, true
}

// Workload is one workload under one ServiceAccount. A workload whose account
// was changed is there once for each while Pods of both are left.
type Workload struct {
	evidence.Workload
	Account Account // zero for a static Pod
	// Application and Owner are proposed from labels and annotations; Application
	// is never "".
	Application, Owner string
	// Images of all containers: what runs, with the digests seen, and what the
	// template asks for.
	Images []evidence.Image
	// Containers are the names of the containers, sorted.
	Containers []string
	// Pods are the names of those seen, sorted, at most maxPods.
	Pods     []string
	PodCount int
	// Idle says why no Pod is expected: "scaled to zero", "suspended",
	// "finished"; "" otherwise.
	Idle string
	// Token: a token of the account is mounted into at least one Pod.
	Token bool
	// MadeBy is the object that made the workload, as Kind/namespace/name: an
	// operator's. "" where a person or a pipeline did.
	MadeBy string
	// Guessed: the chain of owners was not read to its end, and the workload's
	// name follows from how controllers name what they make.
	Guessed bool
	// Locator is where to look it up.
	Locator string
}

// maxPods bounds the Pod names that a Workload lists. PodCount counts all.
const maxPods = 10

// Index answers by ServiceAccount and by Pod. It is immutable and may be used by
// several goroutines.
type Index struct {
	byAccount map[Account][]*Workload
	byPod     map[podKey]*Workload
	accounts  []Account
	static    []*Workload
}

type podKey struct{ namespace, name string }

// New builds the index of a snapshot.
func New(s *objects.Snapshot) *Index {
	b := newBuilder(s)
	for i := range s.Workloads {
		b.addTemplate(&s.Workloads[i])
	}
	for i := range s.Pods {
		b.addPod(&s.Pods[i])
	}
	return b.index()
}

// Of returns the workloads that run as the account, sorted by namespace, kind
// and name.
func (ix *Index) Of(account Account) []*Workload { return ix.byAccount[account] }

// ByPod returns the workload of a Pod, nil if the Pod was not seen.
func (ix *Index) ByPod(namespace, name string) *Workload { return ix.byPod[podKey{namespace, name}] }

// Accounts returns every ServiceAccount that exists or that something runs as,
// sorted.
func (ix *Index) Accounts() []Account { return ix.accounts }

// Exists says whether the account exists or something runs as it.
func (ix *Index) Exists(account Account) bool {
	_, found := slices.BinarySearchFunc(ix.accounts, account, compareAccounts)
	return found
}

// Static returns the static Pods, one for each file that kubelets have: they have
// no ServiceAccount, and nothing owns them. ByPod knows their mirrors.
func (ix *Index) Static() []*Workload { return ix.static }

func compareAccounts(a, b Account) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}

func compareWorkloads(a, b *Workload) int {
	return cmp.Or(
		cmp.Compare(a.Namespace, b.Namespace),
		cmp.Compare(a.Kind, b.Kind),
		cmp.Compare(a.Name, b.Name),
	)
}
