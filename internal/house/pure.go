package house

import (
	"regexp"
	"slices"
	"testing"
)

// forbidden in a pure package, with the reason.
var forbidden = map[string]string{
	"os":                                "reads files and the environment",
	"net":                               "opens sockets (net/netip is fine)",
	"net/http":                          "opens sockets",
	"log":                               "logs",
	"log/slog":                          "logs",
	"io":                                "reads and writes",
	"context":                           "is for code that waits",
	"k8s.io/client-go":                  "is a client",
	"k8s.io/klog/v2":                    "logs",
	"k8s.io/apimachinery/pkg/util/wait": "waits",
}

// exact are forbidden themselves, and not what is below them.
var exact = []string{"os", "net", "io", "log"}

// clock finds calls that ask for the time or wait for it.
var clock = regexp.MustCompile(`\btime\.(Now|Since|Until|Sleep|After|AfterFunc|Tick|NewTimer|NewTicker)\b`)

// Pure fails the test for each of these packages that has a client, a clock, a
// file, a socket or a log: itself, or by way of a package of the project. Each
// package, by its path below the module, may have the listed imports all the same.
func (m Module) Pure(t *testing.T, packages map[string][]string) {
	t.Helper()
	for name, may := range packages {
		path := m.Path + "/" + name
		for _, p := range List(t, m.Dir, "-deps", path) {
			if !within(p.ImportPath, project) {
				if why := forbidden["k8s.io/client-go"]; within(p.ImportPath, "k8s.io/client-go") {
					t.Errorf("%s reaches %s, which %s", name, p.ImportPath, why)
				}
				continue
			}
			for _, imported := range p.Imports {
				for of, why := range forbidden {
					if (imported == of || within(imported, of) && !slices.Contains(exact, of)) && !slices.Contains(may, of) {
						t.Errorf("%s: %s imports %s, which %s", name, p.ImportPath, imported, why)
					}
				}
			}
			for _, file := range p.GoFiles {
				if call := clock.Find(p.read(t, file)); call != nil {
					t.Errorf("%s: %s/%s has %s: the time is given to it", name, p.ImportPath, file, call)
				}
			}
		}
	}
}
