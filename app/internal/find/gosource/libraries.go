package gosource

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
	"sigs.k8s.io/yaml"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/gosource/analyzer"
)

//go:embed libraries.yaml
var libraryTable []byte

// library is one entry of libraries.yaml, which explains the fields.
type library struct {
	Modules  []string       `json:"modules"`
	Through  string         `json:"through"`
	From     string         `json:"from"`
	Packages []string       `json:"packages"`
	Symbols  []string       `json:"symbols"`
	Optional bool           `json:"optional"`
	Class    evidence.Class `json:"class"`
	Verbs    []string       `json:"verbs"`
	Access   []string       `json:"access"`
	What     string         `json:"what"`
	Advice   string         `json:"advice"`

	Module     string `json:"-"` // the one that go.mod asks for
	version    string // that it asks for
	confidence evidence.Confidence
	direct     bool
}

// libraries of the table. A table that does not parse is a broken build; a test
// reads it.
var libraries = mustParse(libraryTable)

func mustParse(data []byte) []library {
	var out []library
	if err := yaml.UnmarshalStrict(data, &out); err != nil {
		panic(fmt.Sprintf("libraries.yaml: %v", err))
	}
	return out
}

// required are the libraries of the table that a go.mod asks for in a version
// that uses Endpoints. A replacement by a version counts as that version; a
// folder may hold anything, so the version asked for counts.
func required(mod *modfile.File) []library {
	var out []library
	for _, req := range mod.Require {
		version := req.Mod.Version
		for _, rep := range mod.Replace {
			if rep.Old.Path == req.Mod.Path && (rep.Old.Version == "" || rep.Old.Version == version) && rep.New.Version != "" {
				version = rep.New.Version
			}
		}
		for _, lib := range libraries {
			if !slices.Contains(lib.Modules, req.Mod.Path) {
				continue
			}
			lib.Module = req.Mod.Path
			if lib.confidence = lib.at(version); lib.confidence != "" {
				lib.version, lib.direct = version, !req.Indirect
				out = append(out, lib)
			}
		}
	}
	return out
}

// at says how sure it is that a version uses Endpoints; "" is not at all.
func (l library) at(version string) evidence.Confidence {
	switch {
	case l.From != "" && semver.Compare(version, l.From) >= 0:
		return ""
	case l.Optional:
		return evidence.Possible
	case l.Through == "" || semver.Compare(version, l.Through) <= 0:
		return evidence.Likely
	}
	return evidence.Possible
}

// libraries reports the files that import a library of the table. One that only
// comes in through another dependency is named in the coverage: whether it is
// called is not visible here.
func (s *scan) libraries() {
	for _, m := range s.tree.modules {
		for _, lib := range m.uses {
			if !lib.direct {
				s.coverage.Notes = append(s.coverage.Notes, fmt.Sprintf("%s comes with %s %s through another dependency. %s", m.path, lib.Module, lib.version, lib.What))
			}
		}
		for _, f := range m.files {
			if len(f.imports) > 0 {
				s.importer(m, f)
			}
		}
	}
}

func (s *scan) importer(m *goModule, f *file) {
	data, err := readFile(f.path)
	if err != nil {
		return // the walk said so
	}
	fset := token.NewFileSet()
	parsed, _ := parser.ParseFile(fset, f.path, data, parser.ParseComments|parser.SkipObjectResolution)
	if parsed == nil {
		return // reported by the reading by syntax if it is a candidate
	}
	for _, spec := range parsed.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue
		}
		for _, lib := range f.imports {
			if lib.isImport(imported) && lib.isNamed(parsed) {
				site := analyzer.Site{
					Pos: spec.Pos(), End: spec.End(), Detector: "go/library",
					Class: lib.Class, Confidence: lib.confidence, Verbs: lib.Verbs, Access: lib.Access,
					Scope: analyzer.ScopeOf(f.path, parsed), Advice: lib.Advice,
					Notes: []string{fmt.Sprintf("%s go.mod asks for %s %s.", lib.What, lib.Module, lib.version)},
				}
				if reason, ok := analyzer.Acknowledged(fset, parsed, spec.Pos()); ok {
					site.Status = evidence.Acknowledged
					if reason != "" {
						site.Notes = append(site.Notes, "Acknowledged in place: "+reason)
					}
				}
				s.add(fset, site, moduleName(m.path))
			}
		}
	}
}

// isImport reports whether an import path is one of the packages that matter.
func (l library) isImport(imported string) bool {
	return slices.ContainsFunc(l.Packages, func(p string) bool { return imported == path.Join(l.Module, p) })
}

// isNamed reports whether a file names one of the symbols, if there are any.
func (l library) isNamed(file *ast.File) bool {
	if len(l.Symbols) == 0 {
		return true
	}
	found := false
	ast.Inspect(file, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			found = found || slices.Contains(l.Symbols, sel.Sel.Name)
		}
		return !found
	})
	return found
}
