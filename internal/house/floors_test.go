package house

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/slicewright/slicewright"

// floors lists the house from the top down. A package imports only what is on a
// floor below its own, or deeper in its own room. A room is a path prefix.
var floors = [][]string{
	{"cmd/slicewright", "cmd/endpointsvet"},
	{"internal/cli"},
	{"internal/web"},
	{"internal/config"},
	{"internal/backendreport"},
	{"readiness"},
	{"examples/echo"},
	{"verify"},
	{"shadow"},
	{"timeline"},
	{"inventory/report", "inventory/serve"},
	{"inventory"},
	{"examples"},
	{"producer"},
	{"driver/haproxy", "driver/template"},
	{"publish"},
	{"watch"},
	{"endpointset"},
}

// pure packages may reach nothing but the API's types and what computes: no
// client, no clock, no file, no socket, no log. To each, what of the forbidden it
// may have all the same.
var pure = map[string][]string{
	"endpointset":         nil,
	"timeline":            nil,
	"verify":              {"context"}, // its interfaces are of those who wait
	"inventory/obstacles": nil,
	"inventory/rbac":      nil,
	"inventory/writers":   nil,
	"readiness/report":    nil,
}

// forbidden in a pure package, with the reason.
var forbidden = map[string]string{
	"os":                                "reads files and the environment",
	"net":                               "opens sockets (net/netip is fine)",
	"net/http":                          "opens sockets",
	"log":                               "logs",
	"log/slog":                          "logs",
	"io":                                "reads and writes",
	"context":                           "is for what waits, and nothing here waits",
	"k8s.io/client-go":                  "is a client",
	"k8s.io/klog/v2":                    "logs",
	"k8s.io/apimachinery/pkg/util/wait": "waits",
}

// clock finds what asks for the time, or waits for it.
var clock = regexp.MustCompile(`\btime\.(Now|Since|Until|Sleep|After|AfterFunc|Tick|NewTimer|NewTicker)\b`)

type goPackage struct {
	ImportPath, Dir  string
	GoFiles, Imports []string
}

// packages are those of the module in a folder.
func packages(t *testing.T, folder string) []goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,GoFiles,Imports", "./...")
	cmd.Dir = folder
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var all []goPackage
	for decoder := json.NewDecoder(out); ; {
		var p goPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	return all
}

// floorOf returns the floor and the room of a package, named from the top of its
// module, or -1 if it has none.
func floorOf(floors [][]string, path string) (floor int, room string) {
	best := -1
	for i, rooms := range floors {
		for _, r := range rooms {
			if (path == r || strings.HasPrefix(path, r+"/")) && len(r) > len(room) {
				best, room = i, r
			}
		}
	}
	return best, room
}

func TestImportsGoDown(t *testing.T) {
	seen := 0
	for _, p := range packages(t, "../..") {
		floor, room := floorOf(floors, strings.TrimPrefix(p.ImportPath, module+"/"))
		if floor < 0 {
			if !strings.HasPrefix(p.ImportPath, module+"/internal/") {
				t.Errorf("%s is on no floor: give it one here and in docs/architecture.md", p.ImportPath)
			}
			// Anyone may import a helper that is on no floor, so it has to be below all.
			for _, imported := range p.Imports {
				if strings.HasPrefix(imported, module+"/") {
					t.Errorf("%s is on no floor, and imports %s: give it one here and in docs/architecture.md", p.ImportPath, imported)
				}
			}
			continue
		}
		for _, imported := range p.Imports {
			if !strings.HasPrefix(imported, module+"/") {
				continue
			}
			seen++
			below, otherRoom := floorOf(floors, strings.TrimPrefix(imported, module+"/"))
			if below < 0 {
				continue // a helper under internal/ that is on no floor
			}
			if room != otherRoom && below <= floor {
				t.Errorf("%s imports %s, which is not below it", p.ImportPath, imported)
			}
		}
	}
	if seen == 0 {
		t.Fatal("no import was looked at")
	}
}

func TestPurePackages(t *testing.T) {
	found := 0
	for _, p := range packages(t, "../..") {
		may, isPure := pure[strings.TrimPrefix(p.ImportPath, module+"/")]
		if !isPure {
			continue
		}
		found++
		for _, imported := range p.Imports {
			for path, why := range forbidden {
				if slices.Contains(may, path) {
					continue
				}
				if imported == path || strings.HasPrefix(imported, path+"/") && path != "net" && path != "io" && path != "os" && path != "log" {
					t.Errorf("%s imports %s, which %s", p.ImportPath, imported, why)
				}
			}
		}
		for _, name := range p.GoFiles {
			text, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if call := clock.Find(text); call != nil {
				t.Errorf("%s/%s has %s: the time is given to it", p.ImportPath, name, call)
			}
		}
	}
	if found != len(pure) {
		t.Fatalf("%d of %d pure packages were found", found, len(pure))
	}
}
