package workloads

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/objects"
)

// builder gathers workloads by owner and account.
type builder struct {
	owners    owners
	automount map[Account]bool // what the ServiceAccount says, true if nothing
	accounts  map[Account]bool
	drafts    map[draftKey]*draft
	pods      map[podKey]*draft
	static    map[objects.Ref]*draft
}

type draftKey struct {
	ref     objects.Ref
	account Account
}

// draft is a Workload that is being gathered.
type draft struct {
	Workload
	images     map[evidence.Image]bool
	containers map[string]bool
	podNames   []string
	rank       int // of the source of Application, Owner and Locator; higher wins
}

func newBuilder(s *objects.Snapshot) *builder {
	b := &builder{
		owners:    newOwners(s),
		automount: make(map[Account]bool),
		accounts:  make(map[Account]bool),
		drafts:    make(map[draftKey]*draft),
		pods:      make(map[podKey]*draft),
		static:    make(map[objects.Ref]*draft),
	}
	for _, sa := range s.ServiceAccounts {
		account := Account{sa.Namespace, sa.Name}
		b.accounts[account] = true
		b.automount[account] = sa.Automount == nil || *sa.Automount
	}
	return b
}

// addTemplate adds what a template asks for, to the workload that a person
// wrote: the template of a ReplicaSet speaks for its owner only where the owner
// was not read.
func (b *builder) addTemplate(w *objects.Workload) {
	if w.Template == nil {
		return
	}
	top := b.owners.top(w.Ref)
	if top.ref != w.Ref && b.owners.hasTemplate(top.ref) {
		return
	}
	rank := 1
	if top.ref == w.Ref {
		rank = 2
	}
	d := b.draft(top, w.Template, rank, w.Labels, w.Annotations, w.Locators.Of(w.Ref))
	if rank == 2 || d.Idle == "" {
		d.Idle = w.Idle
	}
	for _, c := range w.Template.Containers {
		d.add(c)
	}
}

func (b *builder) addPod(p *objects.Pod) {
	if p.Static {
		b.addStatic(p)
		return
	}
	top := b.owners.top(p.Ref)
	d := b.draft(top, &p.Spec, 0, nil, nil, p.Locators.Of(p.Ref))
	d.podNames = append(d.podNames, p.Name)
	for _, c := range p.Spec.Containers {
		d.add(c)
	}
	b.pods[podKey{p.Namespace, p.Name}] = d
}

// addStatic adds the mirror of a static Pod to the workload that its file is. The
// kubelet appends its node's name to the file's, so that mirrors of one file on
// several nodes are one workload.
func (b *builder) addStatic(p *objects.Pod) {
	node := p.Node
	if p.Controller.Kind == "Node" {
		node = p.Controller.Name
	}
	ref := p.Ref
	if name, found := strings.CutSuffix(p.Name, "-"+node); found && name != "" && node != "" {
		ref.Name = name
	}
	d := b.static[ref]
	if d == nil {
		d = &draft{rank: -1, images: make(map[evidence.Image]bool), containers: make(map[string]bool)}
		d.Workload.Workload = evidence.Workload{Kind: ref.Kind, Namespace: ref.Namespace, Name: ref.Name}
		d.Application = application(ref.Name, p.Spec.Labels)
		d.Owner = ownerName(p.Spec.Annotations, p.Spec.Labels)
		d.Locator = p.Locators.Of(p.Ref)
		b.static[ref] = d
	}
	d.Locator = min(d.Locator, p.Locators.Of(p.Ref))
	d.podNames = append(d.podNames, p.Name)
	for _, c := range p.Spec.Containers {
		d.add(c)
	}
	b.pods[podKey{p.Namespace, p.Name}] = d
}

func (d *draft) add(c objects.Container) {
	d.containers[c.Name] = true
	d.images[evidence.Image{Image: c.Image, Digest: c.Digest}] = true
}

// draft finds or begins the draft of a workload, and lets the source with the
// highest rank name it: the workload itself, then a template below it, then a
// Pod.
func (b *builder) draft(top owner, spec *objects.PodSpec, rank int, labels, annotations map[string]string, locator string) *draft {
	account := Account{top.ref.Namespace, spec.ServiceAccount}
	b.accounts[account] = true
	key := draftKey{top.ref, account}
	d := b.drafts[key]
	if d == nil {
		d = &draft{
			rank: -1, images: make(map[evidence.Image]bool), containers: make(map[string]bool),
		}
		d.Workload.Workload = evidence.Workload{Kind: top.ref.Kind, Namespace: top.ref.Namespace, Name: top.ref.Name}
		d.Account = account
		d.Guessed = true
		b.drafts[key] = d
	}
	// One chain of owners that was read to its end is enough.
	d.Guessed = d.Guessed && top.guessed
	if top.madeBy != (objects.Ref{}) {
		d.MadeBy = top.madeBy.String()
	}
	if b.mounts(account, spec) {
		d.Token = true
	}
	if rank > d.rank || rank == d.rank && locator < d.Locator {
		d.rank, d.Locator = rank, locator
		d.Application = application(top.ref.Name, labels, spec.Labels)
		d.Owner = ownerName(annotations, labels, spec.Annotations, spec.Labels)
	}
	return d
}

// mounts says whether Pods of spec get a token: the Pod's word counts before the
// ServiceAccount's, and the default is yes.
func (b *builder) mounts(account Account, spec *objects.PodSpec) bool {
	if spec.OwnToken {
		return true
	}
	if spec.Automount != nil {
		return *spec.Automount
	}
	says, known := b.automount[account]
	return !known || says
}

func (b *builder) index() *Index {
	ix := &Index{
		byAccount: make(map[Account][]*Workload), byPod: make(map[podKey]*Workload, len(b.pods)),
		accounts: slices.SortedFunc(maps.Keys(b.accounts), compareAccounts),
	}
	for _, d := range b.static {
		ix.static = append(ix.static, d.finish())
	}
	for _, d := range b.drafts {
		ix.byAccount[d.Account] = append(ix.byAccount[d.Account], d.finish())
	}
	for _, list := range ix.byAccount {
		slices.SortFunc(list, compareWorkloads)
	}
	for key, d := range b.pods {
		ix.byPod[key] = &d.Workload
	}
	slices.SortFunc(ix.static, compareWorkloads)
	return ix
}

func (d *draft) finish() *Workload {
	slices.Sort(d.podNames)
	d.PodCount = len(d.podNames)
	if d.rank < 2 && d.PodCount > 0 {
		d.Idle = "" // it was said of one generation, and another runs
	}
	d.Pods = d.podNames[:min(len(d.podNames), maxPods)]
	d.Containers = slices.Sorted(maps.Keys(d.containers))
	withDigest := make(map[string]bool)
	for image := range d.images {
		withDigest[image.Image] = withDigest[image.Image] || image.Digest != ""
	}
	for image := range d.images {
		// Of an image that runs under a known digest, the template's line without
		// one says nothing more.
		if image.Digest == "" && withDigest[image.Image] {
			continue
		}
		d.Images = append(d.Images, image)
	}
	slices.SortFunc(d.Images, func(a, b evidence.Image) int {
		return cmp.Or(cmp.Compare(a.Image, b.Image), cmp.Compare(a.Digest, b.Digest))
	})
	return &d.Workload
}
