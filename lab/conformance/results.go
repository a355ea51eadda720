package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/slicewright/slicewright/internal/atomicfile"
)

// Results are what a run saw. docs/conformance.md and its pages are made of
// them, and of nothing else.
type Results struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// Began is when the run began, Took how many seconds it took.
	Began time.Time `json:"began"`
	Took  float64   `json:"tookSeconds"`
	// Kubernetes is the version of the control plane.
	Kubernetes string           `json:"kubernetes"`
	Consumers  []ConsumerResult `json:"consumers"`
	// Scenarios are the names of those that were played.
	Scenarios []string `json:"scenarios"`
	Cells     []Cell   `json:"cells"`
}

// ConsumerResult says which consumer it was.
type ConsumerResult struct {
	Name     string   `json:"name"`
	Title    string   `json:"title"`
	Versions []string `json:"versions"`
	Policy   Policy   `json:"policy"`
	Source   string   `json:"source,omitempty"`
	Control  bool     `json:"control,omitempty"`
}

// Describe says who took part, with the versions that the programs print.
func (e *Engine) Describe(ctx context.Context, consumers []*Consumer) ([]ConsumerResult, error) {
	var all []ConsumerResult
	for _, c := range consumers {
		r := ConsumerResult{Name: c.Name, Title: c.Title, Policy: c.Promises.Policy, Source: c.Promises.Source, Control: c.Control}
		for _, v := range c.Versions {
			text, err := e.version(ctx, c, v)
			if err != nil {
				return nil, fmt.Errorf("%s: version of %s: %w", c.Name, v.Name, err)
			}
			r.Versions = append(r.Versions, v.Name+" "+text)
		}
		all = append(all, r)
	}
	return all, nil
}

// versionForm finds the version in what a program prints: not that of Go in
// "go1.26".
var versionForm = regexp.MustCompile(`(?:^|[\s/,(-])(v?\d+\.\d+[0-9A-Za-z.+~-]*)`)

func (e *Engine) version(ctx context.Context, c *Consumer, v Version) (string, error) {
	if v.Text != "" {
		return v.Text, nil
	}
	argv, err := e.values(c, e.Dir).fillAll(v.Command)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	// Some print it to stderr.
	out, err := exec.CommandContext(ctx, argv[0], argv[1:]...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %.200s", err, out)
	}
	return versionIn(string(out)), nil
}

// versionIn is the version that a program's output names, or its first line: a
// build of a checkout may have no number.
func versionIn(output string) string {
	if found := versionForm.FindStringSubmatch(output); found != nil {
		return found[1]
	}
	line, _, _ := strings.Cut(strings.TrimSpace(output), "\n")
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return -1
	}, line)
}

// Cell returns a scenario's cell of a consumer.
func (r *Results) Cell(scenario, consumer string) (Cell, bool) {
	i := slices.IndexFunc(r.Cells, func(c Cell) bool { return c.Scenario == scenario && c.Consumer == consumer })
	if i < 0 {
		return Cell{}, false
	}
	return r.Cells[i], true
}

// LoadResults reads results that were kept.
func LoadResults(path string) (*Results, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read results: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.DisallowUnknownFields()
	r := &Results{}
	if err := decoder.Decode(r); err != nil {
		return nil, fmt.Errorf("read results %s: %w", path, err)
	}
	if r.APIVersion != APIVersion || r.Kind != KindResults {
		return nil, fmt.Errorf("%s is of kind %q, %q", path, r.APIVersion, r.Kind)
	}
	return r, nil
}

// Save keeps results.
func (r *Results) Save(path string) error {
	content, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return fmt.Errorf("encode results: %w", err)
	}
	if err := atomicfile.Write(path, append(content, '\n'), 0o644); err != nil {
		return fmt.Errorf("keep results: %w", err)
	}
	return nil
}
