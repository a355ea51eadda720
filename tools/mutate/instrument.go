package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// edit replaces a piece of a file. No edit has a line break, so that lines keep
// their numbers.
type edit struct {
	at, remove int
	text       string
	closes     int // for text after code: how long that code is, plus one
	opens      int // for text before code: how long that code is, plus one
}

// wrap puts text before and after the code from one offset to another.
func wrap(from, to int, before, after string) []edit {
	return []edit{{at: from, text: before, opens: to - from + 1}, {at: to, text: after, closes: to - from + 1}}
}

// order puts edits in the order of the file. Where some are at one offset, what
// ends there comes first and what begins there last; the inner ends before the
// outer, which begins before the inner.
func order(a, b edit) int {
	kind := func(e edit) int {
		switch {
		case e.closes > 0:
			return 0
		case e.opens > 0:
			return 1
		}
		return 2
	}
	return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(kind(a), kind(b)), cmp.Compare(a.closes, b.closes), cmp.Compare(b.opens, a.opens))
}

func applyEdits(content []byte, edits []edit) []byte {
	slices.SortStableFunc(edits, order)
	var out []byte
	from := 0
	for _, e := range edits {
		out = append(out, content[from:e.at]...)
		out = append(out, e.text...)
		from = e.at + e.remove
	}
	return append(out, content[from:]...)
}

var on = regexp.MustCompile(`\bon\b`)

// withSwitch asks whether swap number n is made, for the word on.
func withSwitch(text string, n int) string {
	return on.ReplaceAllString(text, fmt.Sprintf("(mutatePlace == %d)", n))
}

// placeVariable tells a test binary which swap to make.
const placeVariable = "MUTATE_PLACE"

var names = map[token.Token]string{
	token.LSS: "Less", token.LEQ: "AtMost", token.GTR: "More", token.GEQ: "AtLeast", token.ADD: "Sum", token.SUB: "Difference",
}

// switches is added to each package. Its functions are small enough that the
// compiler puts them into their callers, so that tests that count costs pass.
const switches = `package %s

import (
	"cmp"
	"os"
)

var mutatePlace = func() (n int) {
	text := os.Getenv(%q)
	if text == "" {
		return -1
	}
	for _, digit := range text {
		n = 10*n + int(digit-'0')
	}
	return n
}()

type mutateNumber interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr | ~float32 | ~float64
}

func mutateLess[T cmp.Ordered](on bool, a, b T) bool    { return a < b || on && a == b }
func mutateMore[T cmp.Ordered](on bool, a, b T) bool    { return a > b || on && a == b }
func mutateAtMost[T cmp.Ordered](on bool, a, b T) bool  { return a < b || !on && a == b }
func mutateAtLeast[T cmp.Ordered](on bool, a, b T) bool { return a > b || !on && a == b }

func mutateSum[T mutateNumber](on bool, a, b T) T        { return a + mutateSign(on, a, b) }
func mutateDifference[T mutateNumber](on bool, a, b T) T { return a - mutateSign(on, a, b) }

func mutateSign[T mutateNumber](on bool, _, b T) T {
	if on {
		return 0 - b
	}
	return b
}
`

// overlay writes the package's files with all swaps in them, each to be made when
// the environment says so, into a folder, and returns the file that tells the
// compiler of them.
func overlay(p *pkg, dir string) (string, error) {
	edits := map[string][]edit{}
	for _, l := range p.places {
		if !l.unusable {
			edits[l.file] = append(edits[l.file], l.rewrite...)
		}
	}
	own := filepath.Join(dir, "mutate_switches.go")
	errs := []error{os.WriteFile(own, fmt.Appendf(nil, switches, p.Name, placeVariable), 0o600)}
	replace := map[string]string{filepath.Join(p.Dir, "mutate_switches.go"): own}
	for file, all := range edits {
		content, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		replace[file] = filepath.Join(dir, filepath.Base(file))
		errs = append(errs, os.WriteFile(replace[file], applyEdits(content, all), 0o600))
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	path := filepath.Join(dir, "overlay.json")
	return path, errors.Join(append(errs, err, os.WriteFile(path, text, 0o600))...)
}

var compilerMessage = regexp.MustCompile(`(?m)^(?:vet: )?\S*?([^/\s:]+\.go):(\d+):\d+: `)

// dropUnusable marks the places on lines of which the compiler complains, and
// reports whether there are any.
func (p *pkg) dropUnusable(printed string) bool {
	lines := map[string]bool{}
	for _, m := range compilerMessage.FindAllStringSubmatch(printed, -1) {
		lines[m[1]+":"+m[2]] = true
	}
	found := false
	for _, l := range p.places {
		if !l.unusable && lines[fmt.Sprintf("%s:%d", filepath.Base(l.file), l.at.Line)] {
			l.unusable, found = true, true
		}
	}
	return found
}

// short is a path as seen from the working directory.
func short(path string) string {
	if wd, err := os.Getwd(); err == nil {
		if relative, err := filepath.Rel(wd, path); err == nil && filepath.IsLocal(relative) {
			return relative
		}
	}
	return path
}
