package experiment

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/slicewright/slicewright/app/experiment/controllers"

	"go.yaml.in/yaml/v3"

	"github.com/slicewright/slicewright/app/internal/yamlnode"
	"github.com/slicewright/slicewright/internal/text"
)

// program is the name of the binary that runs the controllers.
const program = "kube-controller-manager"

// MaxFile is how long a file may be, in bytes: many times the length of a manifest
// or of kubeadm's configuration.
const MaxFile = 1 << 20

// Manifest is a static Pod that runs kube-controller-manager, as a file has it.
type Manifest struct {
	// Name is the file's, for messages.
	Name string
	// Image is that of the container.
	Image string
	// Minor is the Kubernetes minor version that the image's tag names, 0 if it
	// names none.
	Minor int
	// Controllers is the value of --controllers, and "" where the flag is not
	// given.
	Controllers string

	text  string
	words []string // the command line
	flag  flagPlace
}

// flagPlace is where the flag is, or would be.
type flagPlace struct {
	// value is the word that holds the flag's value, prefix is the text before the
	// value in it. Nil if the flag is not given.
	value  *yaml.Node
	prefix string
	index  int // of value among the words
	// last is the last word of the command line, after which a flag can be added.
	last *yaml.Node
}

// ParseManifest reads the file from which the kubelet starts
// kube-controller-manager, in YAML or JSON. An error says what about it is not as
// expected; where the flag's value is known by then, what to write too.
func ParseManifest(name string, text []byte) (*Manifest, error) {
	m := &Manifest{Name: name, text: string(text)}
	pod, err := podOf(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	container, err := containerOf(pod)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	m.Image = yamlnode.Text(container, "image")
	m.Minor = minorOf(m.Image)
	if err := m.readFlag(container); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// podOf returns the one document of a static Pod's file.
func podOf(text []byte) (*yaml.Node, error) {
	documents, err := parseDocuments(text)
	if err != nil {
		return nil, err
	}
	switch {
	case len(documents) == 0:
		return nil, errors.New("is empty: give the static Pod's manifest, on a kubeadm control-plane node " + DefaultManifestPath)
	case len(documents) > 1:
		return nil, fmt.Errorf("has %d documents, and a static Pod's file has one", len(documents))
	}
	kind := yamlnode.Text(yamlnode.Value(documents[0], "kind"))
	if kind == "" {
		return nil, errors.New("has no kind: give the static Pod's manifest, on a kubeadm control-plane node " + DefaultManifestPath)
	}
	if kind != "Pod" {
		return nil, fmt.Errorf("is a %s, and the kubelet starts %s from a Pod: where something else starts it, change the flag there", quoted(kind), program)
	}
	return documents[0], nil
}

// parseDocuments parses YAML, of which JSON is a part, and leaves out documents
// that say nothing.
func parseDocuments(data []byte) ([]*yaml.Node, error) {
	if len(data) > MaxFile {
		return nil, fmt.Errorf("has %d bytes, more than %d: it is something else than is asked for", len(data), MaxFile)
	}
	var documents []*yaml.Node
	decoder := yaml.NewDecoder(strings.NewReader(string(data)))
	for {
		var n yaml.Node
		err := decoder.Decode(&n)
		if errors.Is(err, errEOF) {
			return documents, nil
		}
		if err != nil {
			return nil, fmt.Errorf("is no YAML: %s", text.Line(err.Error()))
		}
		if err := plainKeys(&n); err != nil {
			return nil, err
		}
		if root := yamlnode.Target(&n); root != nil && root.Kind == yaml.MappingNode {
			documents = append(documents, root)
		} else if root != nil && root.Tag != "!!null" {
			return nil, errors.New("is no YAML object")
		}
	}
}

// plainKeys refuses repeated keys and aliases. Of two equal keys, some readers
// of YAML take the first, some the last, and some refuse the document. A change
// under an alias changes two places.
func plainKeys(n *yaml.Node) error {
	if n.Kind == yaml.AliasNode {
		return fmt.Errorf("has the alias *%s (line %d), with which a change in one place is one in another: write it out", text.Line(n.Value), n.Line)
	}
	if n.Kind == yaml.MappingNode {
		seen := make(map[string]bool, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			switch {
			case key.Tag == "!!merge":
				return fmt.Errorf("takes fields over with << (line %d), which is not read: write them out", key.Line)
			case key.Kind == yaml.ScalarNode && seen[key.Value]:
				return fmt.Errorf("has %s twice in one object (line %d): keep the one that is meant", quoted(key.Value), key.Line)
			}
			seen[key.Value] = true
		}
	}
	for _, inner := range n.Content {
		if err := plainKeys(inner); err != nil {
			return err
		}
	}
	return nil
}

// containerOf returns the container that runs the program.
func containerOf(pod *yaml.Node) (*yaml.Node, error) {
	containers := yamlnode.Value(pod, "spec", "containers")
	if containers == nil || containers.Kind != yaml.SequenceNode {
		return nil, errors.New("has no spec.containers")
	}
	for _, c := range containers.Content {
		c = yamlnode.Target(c)
		words, err := commandLine(c)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(words, func(w *yaml.Node) bool { return path.Base(w.Value) == program }) {
			return c, nil
		}
		// Without a command it is the image's own.
		image, _, _ := strings.Cut(path.Base(yamlnode.Text(c, "image")), ":")
		if yamlnode.Value(c, "command") == nil && (image == program || yamlnode.Text(c, "name") == program) {
			return c, nil
		}
		for _, w := range words {
			if strings.Contains(w.Value, program) && strings.ContainsAny(w.Value, " \t\n") {
				return nil, fmt.Errorf("starts %s by a line of shell (line %d): add -%s to its --controllers there by hand, or after * if it has none", program, w.Line, controllers.Endpoints)
			}
		}
	}
	return nil, fmt.Errorf("has no container that runs %s", program)
}

// commandLine returns the words of a container's command and args.
func commandLine(container *yaml.Node) ([]*yaml.Node, error) {
	var words []*yaml.Node
	for _, name := range []string{"command", "args"} {
		list := yamlnode.Value(container, name)
		if list == nil || list.Tag == "!!null" {
			continue
		}
		if list.Kind != yaml.SequenceNode {
			return nil, fmt.Errorf("a container's %s (line %d) is no list", name, list.Line)
		}
		for _, w := range list.Content {
			if w.Kind != yaml.ScalarNode {
				return nil, fmt.Errorf("a container's %s has something else than text (line %d)", name, w.Line)
			}
			words = append(words, w)
		}
	}
	return words, nil
}

// readFlag finds --controllers in the two forms that it can be given in.
func (m *Manifest) readFlag(container *yaml.Node) error {
	const flag = "--controllers"
	words, err := commandLine(container)
	if err != nil {
		return err
	}
	var values []string
	for i, w := range words {
		m.words = append(m.words, w.Value)
		switch {
		case w.Value == flag && i+1 == len(words):
			return fmt.Errorf("%s (line %d) has no value", flag, w.Line)
		case w.Value == flag:
			m.flag = flagPlace{value: words[i+1], index: i + 1}
			values = append(values, words[i+1].Value)
		case strings.HasPrefix(w.Value, flag+"="):
			m.flag = flagPlace{value: w, prefix: flag + "=", index: i}
			values = append(values, strings.TrimPrefix(w.Value, flag+"="))
		}
	}
	m.Controllers = strings.Join(values, ",")
	if len(values) > 0 && m.Controllers == "" {
		return fmt.Errorf(`%s (line %d) is empty, with which nothing would run: is it "*"?`, flag, m.flag.value.Line)
	}
	if len(words) > 0 {
		m.flag.last = words[len(words)-1]
	}
	to, err := m.to()
	switch {
	case err != nil:
		return err
	case len(values) > 1:
		// Repeated, the flag's values count together.
		return fmt.Errorf("%s is given %d times: write it once, as %s=%s", flag, len(values), flag, to)
	case m.flag.last == nil:
		return fmt.Errorf("has neither command nor args to which %s=%s could be added: add it by hand", flag, to)
	}
	return nil
}

// to is the value with the Endpoints controller off.
func (m *Manifest) to() (string, error) { return switchOff(m.Controllers, m.Minor) }

// SwitchOff is the change of the file that switches the Endpoints controller off.
func (m *Manifest) SwitchOff() (Edit, error) {
	to, err := m.to()
	if err != nil {
		return Edit{}, fmt.Errorf("%s: %w", m.Name, err)
	}
	e := Edit{File: m.Name, From: m.Controllers, To: to, Line: m.flag.last.Line}
	if m.flag.value != nil {
		e.Line = m.flag.value.Line
	}
	if to == m.Controllers {
		e.After = m.text
		return e, nil
	}
	// A word without quotes may need some now: a comma ends it between brackets.
	for _, quote := range []bool{false, true} {
		if e.After, err = m.edit(to, quote); err == nil {
			err = m.check(e.After, to)
		}
		if err == nil {
			break
		}
	}
	if err != nil {
		return Edit{}, fmt.Errorf("%s: %w: set --controllers=%s by hand", m.Name, err, to)
	}
	e.Diff = unified(path.Base(m.Name), m.text, e.After)
	return e, nil
}

// edit returns the text with another value, every other byte as it was.
func (m *Manifest) edit(to string, quote bool) (string, error) {
	list := lines(m.text)
	if m.flag.value != nil {
		return replaceWord(list, m.flag.value, m.flag.prefix+to, quote)
	}
	return addWord(list, m.flag.last, "--controllers="+to, quote)
}

// check parses what was edited: a change that is not exactly the one that was
// meant must not be printed.
func (m *Manifest) check(text, to string) error {
	want := slices.Clone(m.words)
	if m.flag.value != nil {
		want[m.flag.index] = m.flag.prefix + to
	} else {
		want = append(want, "--controllers="+to)
	}
	after, err := ParseManifest(m.Name, []byte(text))
	if err != nil || !slices.Equal(after.words, want) {
		return errLayout
	}
	return nil
}

// minorOf reads the minor version from an image's tag, such as 37 from
// registry.k8s.io/kube-controller-manager:v1.37.2.
func minorOf(image string) int {
	image, _, _ = strings.Cut(image, "@")
	_, tag, _ := strings.Cut(path.Base(image), ":")
	return MinorVersion(tag)
}

// MinorVersion is the minor version of a Kubernetes version such as "v1.37.2" or
// "v1.29.1-gke.1", 0 for any other text.
func MinorVersion(version string) int {
	rest, ok := strings.CutPrefix(version, "v1.")
	if !ok {
		return 0
	}
	end := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(rest)
	}
	minor, err := strconv.ParseUint(rest[:end], 10, 16)
	if err != nil {
		return 0
	}
	return int(minor)
}
