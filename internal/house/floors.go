package house

import (
	"slices"
	"strings"
	"testing"
)

// Module is one of the modules, with its floors.
type Module struct {
	// Path is the module's path, Dir its folder.
	Path, Dir string
	// Floors lists the rooms from the top down. A room is a path prefix below
	// Path; "." is the package at the top of the module.
	Floors [][]string
	// Ground are packages on no floor, for all of the module. They import nothing
	// of it.
	Ground []string
	// Outside says for each package of the project outside the module, by its path
	// below the project, why the module may import it. A room means all packages in
	// it.
	Outside map[string]string
}

// room is a place on a floor.
type room struct {
	floor int
	name  string
}

// rooms returns the room of a package, false if it has none.
func (m Module) room(path string) (room, bool) {
	name := m.name(path)
	best := room{floor: -1}
	for i, floor := range m.Floors {
		for _, r := range floor {
			if (r == name || within(name, r)) && len(r) > len(best.name) {
				best = room{i, r}
			}
		}
	}
	return best, best.floor >= 0
}

func (m Module) name(path string) string {
	if path == m.Path {
		return "."
	}
	return strings.TrimPrefix(path, m.Path+"/")
}

// inside reports whether a package is one of the module's.
func (m Module) inside(path string) bool { return within(path, m.Path) }

// ImportsGoDown fails the test for each package that is on no floor, and for
// each import that does not lead to a floor below, or stay in its room.
func (m Module) ImportsGoDown(t *testing.T) {
	t.Helper()
	rooms, outside := map[string]bool{}, map[string]bool{}
	imports := 0
	for _, p := range List(t, m.Dir, "./...") {
		own, ok := m.room(p.ImportPath)
		ground := slices.ContainsFunc(m.Ground, func(g string) bool { return within(m.name(p.ImportPath), g) })
		if ok == ground {
			t.Errorf("%s needs one place: a floor or the ground, in this test and in docs/architecture.md", p.ImportPath)
			continue
		}
		rooms[own.name] = true
		for _, imported := range p.Imports {
			if !within(imported, project) {
				continue
			}
			imports++
			if !m.inside(imported) || m.otherModule(imported) {
				if of := m.allowed(imported); of != "" {
					outside[of] = true
				} else {
					t.Errorf("%s imports %s, which is outside the module and not on the list", p.ImportPath, imported)
				}
				continue
			}
			below, onFloor := m.room(imported)
			switch {
			case ground:
				t.Errorf("%s belongs to the ground and imports %s", p.ImportPath, imported)
			case onFloor && below.name != own.name && below.floor <= own.floor:
				t.Errorf("%s imports %s, which is not below it", p.ImportPath, imported)
			}
		}
	}
	if imports == 0 {
		t.Fatal("no import was looked at")
	}
	for _, r := range slices.Concat(m.Floors...) {
		if !rooms[r] {
			t.Errorf("no package is in the room %s: take it off the list", r)
		}
	}
	for name := range m.Outside {
		if !outside[name] {
			t.Errorf("no package imports %s: take it off the list", name)
		}
	}
}

// otherModule reports whether a package that has the module's prefix belongs to
// a module below it: the app and the lab are below the library.
func (m Module) otherModule(path string) bool {
	return m.Path == project && (within(path, project+"/app") || within(path, project+"/lab"))
}

// allowed returns the entry of Outside for a package, "" if it has none.
func (m Module) allowed(path string) string {
	path = strings.TrimPrefix(path, project+"/")
	for name := range m.Outside {
		if within(path, name) {
			return name
		}
	}
	return ""
}
