package experiment

import (
	"fmt"
	"strings"
)

// context is how many lines a diff shows around a change: what diff -u shows.
const context = 3

// unified is the difference of two texts as diff -u writes it, in one hunk: what
// is edited here lies close together. It is "" for equal texts.
func unified(name, before, after string) string {
	if before == after {
		return ""
	}
	old, young := lines(before), lines(after)
	head := 0
	for head < len(old) && head < len(young) && old[head] == young[head] {
		head++
	}
	tail := 0
	for tail < len(old)-head && tail < len(young)-head && old[len(old)-1-tail] == young[len(young)-1-tail] {
		tail++
	}
	from := max(head-context, 0)
	after1, after2 := min(len(old)-tail+context, len(old)), min(len(young)-tail+context, len(young))

	var out strings.Builder
	fmt.Fprintf(&out, "--- %s\n+++ %s\n@@ -%s +%s @@\n", name, name, span(from, after1), span(from, after2))
	write := func(mark string, list []string) {
		for _, line := range list {
			out.WriteString(mark + line)
			if !strings.HasSuffix(line, "\n") {
				out.WriteString("\n\\ No newline at end of file\n")
			}
		}
	}
	write(" ", old[from:head])
	write("-", old[head:len(old)-tail])
	write("+", young[head:len(young)-tail])
	write(" ", old[len(old)-tail:after1])
	return out.String()
}

// span is a range of lines as a hunk's header has it.
func span(from, to int) string {
	if from == to {
		return fmt.Sprintf("%d,0", from)
	}
	return fmt.Sprintf("%d,%d", from+1, to-from)
}

// lines splits a text and keeps the ends of its lines.
func lines(text string) []string {
	list := strings.SplitAfter(text, "\n")
	if list[len(list)-1] == "" {
		list = list[:len(list)-1]
	}
	return list
}
