package textsource

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/slicewright/slicewright/app/internal/find/chart"
	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/textsource/detect"
)

// chartFiles is what a scan notes on its way about charts, so that those without
// a word need not be read a second time.
type chartFiles struct {
	dirs []string // with a Chart.yaml
	// words are files that have a word to look for, and archives of sub-charts,
	// which can have any.
	words []string
}

func (c *chartFiles) see(name string) {
	switch {
	case strings.HasSuffix(name, "Chart.yaml") && chart.IsMetadata(name):
		c.dirs = append(c.dirs, path.Dir(name))
	case strings.HasSuffix(name, ".tgz") && path.Base(path.Dir(name)) == "charts":
		c.words = append(c.words, name)
	}
}

func (c *chartFiles) word(name string) { c.words = append(c.words, name) }

func (c *chartFiles) add(other chartFiles) {
	c.dirs = append(c.dirs, other.dirs...)
	c.words = append(c.words, other.words...)
}

// roots are the charts worth rendering: with a word somewhere, or with values
// that could have one.
func (c *chartFiles) roots(values bool) []string {
	slices.Sort(c.dirs)
	var out []string
	for _, dir := range chart.Roots(c.dirs) {
		if values || slices.ContainsFunc(c.words, func(name string) bool { return dir == "." || strings.HasPrefix(name, dir+"/") }) {
			out = append(out, dir)
		}
	}
	return out
}

// releaseNamespace is the namespace that charts are rendered in. Nobody knows
// it; what is found in it is in none.
const releaseNamespace = "namespace-of-the-release"

// renderCharts looks into charts as their values make them. What is in a
// template and in its output is one finding, at its place in the template.
func (s *scan) renderCharts(ctx context.Context, charts chartFiles, files []fileResult, cov *evidence.Coverage) []fileResult {
	opts := s.opts.Charts
	opts.Namespace = releaseNamespace
	dirs := charts.roots(opts.Applies())
	if len(dirs) == 0 {
		return files
	}
	if opts.Renderer == nil {
		cov.Notes = append(cov.Notes, fmt.Sprintf("not rendered: %d Helm charts, of which the templates were read as they are", len(dirs)))
		return files
	}
	root, err := os.OpenRoot(s.root)
	if err != nil {
		cov.Problem(".", "charts are not rendered: "+reason(err))
		return files
	}
	defer root.Close()
	merge := newChartMerge(files)
	results := make([]*chart.Rendered, len(dirs))
	problems := make([]string, len(dirs))
	var wg sync.WaitGroup
	slot := make(chan struct{}, s.opts.Workers)
	for i, dir := range dirs {
		slot <- struct{}{}
		wg.Go(func() {
			defer func() { <-slot }()
			r, err := opts.Render(ctx, root.FS(), dir)
			if err != nil {
				problems[i] = err.Error()
			}
			results[i] = r
		})
	}
	wg.Wait()
	rendered := 0
	for i, r := range results {
		if r == nil {
			cov.Problem(path.Join(dirs[i], "Chart.yaml"), "chart not rendered, only its templates were read as they are: "+problems[i])
			continue
		}
		rendered++
		for _, p := range r.Problems {
			cov.Problem(p.Locator, p.Message)
		}
		s.judgeChart(r, merge)
	}
	cov.Notes = append(cov.Notes, fmt.Sprintf("rendered: %d of %d Helm charts that have a word to look for", rendered, len(dirs)))
	return merge.files()
}

// judgeChart reads a chart's output as the YAML that it is to be.
func (s *scan) judgeChart(r *chart.Rendered, merge *chartMerge) {
	for i := range r.Templates {
		t := &r.Templates[i]
		scope := scopeOf(t.File)
		if k, known := detect.FileOf(t.File); !s.opts.wants(scope) || known && k.Kind == detect.Prose {
			continue
		}
		if rooms.HasWord(detect.YAML, []byte(t.Text)) {
			w := s.newWorker()
			w.judge(job{path: "rendered.yaml", scope: scope}, detect.File{Kind: detect.YAML}, []byte(t.Text))
			for _, res := range w.results {
				for _, f := range res.findings {
					merge.finding(r, t, f)
				}
				for _, p := range res.problems {
					merge.problem(r, t, p)
				}
			}
		}
		merge.unseen(r, t)
	}
}

// chartMerge puts findings in rendered text to those in the files.
type chartMerge struct {
	byPath map[string]*fileResult
	// seen are the findings in files that are rendered, too.
	seen map[string]bool
}

func newChartMerge(files []fileResult) *chartMerge {
	m := &chartMerge{byPath: make(map[string]*fileResult, len(files)), seen: map[string]bool{}}
	for i := range files {
		m.byPath[files[i].path] = &files[i]
	}
	return m
}

func (m *chartMerge) files() []fileResult {
	out := make([]fileResult, 0, len(m.byPath))
	for _, name := range slices.Sorted(maps.Keys(m.byPath)) {
		out = append(out, *m.byPath[name])
	}
	return out
}

func (m *chartMerge) file(name string) *fileResult {
	if m.byPath[name] == nil {
		m.byPath[name] = &fileResult{path: name}
	}
	return m.byPath[name]
}

func (m *chartMerge) finding(r *chart.Rendered, t *chart.Template, f evidence.Finding) {
	ev := &f.Evidence[0]
	_, line, column := splitPlace(ev.Locator)
	place := r.Place(t, line, column)
	f.Subject = unplaced(f.Subject)
	f.Namespaces = slices.DeleteFunc(f.Namespaces, func(ns string) bool { return ns == releaseNamespace })
	if old := m.same(place, ev.Detector); old != nil {
		m.seen[old.Evidence[0].Locator] = true
		if old.Confidence != evidence.Likely && f.Confidence == evidence.Likely {
			// What was a guess about values is known now.
			f.Evidence[0].Locator, f.Evidence[0].Excerpt = old.Evidence[0].Locator, old.Evidence[0].Excerpt
			f.Status = cmp.Or(old.Status, f.Status)
			f.Notes = []string{seenIn(f, r)}
			*old = f
		}
		return
	}
	switch {
	case place.Known():
		ev.Locator = fmt.Sprintf("%s:%d:%d", place.File, place.Lines[0], place.Column)
	case len(place.Lines) > 1:
		ev.Locator = place.File + evidence.Rendered
		f.Notes = append(f.Notes, "One of the lines "+numbers(place.Lines)+" of "+place.File+".")
	default:
		ev.Locator = place.File + evidence.Rendered
	}
	f.Notes = append(f.Notes, seenIn(f, r))
	m.seen[ev.Locator] = true
	res := m.file(place.File)
	for i := range res.findings { // a loop in the template, or a second rendering of it
		if old := &res.findings[i]; old.Evidence[0].Locator == ev.Locator && old.Evidence[0].Detector == ev.Detector && (place.Known() || old.Evidence[0].Excerpt == ev.Excerpt) {
			return
		}
	}
	res.findings = append(res.findings, f)
	res.settings = append(res.settings, "")
	res.sort()
}

// same is the finding of the file itself at a place; nil if the file has no
// finding there.
func (m *chartMerge) same(place chart.Place, detector string) *evidence.Finding {
	res := m.byPath[place.File]
	if res == nil {
		return nil
	}
	for i := range res.findings {
		ev := res.findings[i].Evidence[0]
		if _, line, _ := splitPlace(ev.Locator); ev.Detector == detector && slices.Contains(place.Lines, line) {
			return &res.findings[i]
		}
	}
	return nil
}

func (m *chartMerge) problem(r *chart.Rendered, t *chart.Template, p evidence.Problem) {
	_, line, column := splitPlace(p.Locator)
	place := r.Place(t, line, column)
	locator := place.File + evidence.Rendered
	if place.Known() {
		locator = fmt.Sprintf("%s:%d:%d", place.File, place.Lines[0], place.Column)
	}
	res := m.file(place.File)
	res.problems = append(res.problems, evidence.Problem{Locator: locator, Message: "as rendered: " + p.Message})
}

// seenIn says of a finding, whose notes are apart from it in a registry, which
// values it comes from.
func seenIn(f evidence.Finding, r *chart.Rendered) string {
	return fmt.Sprintf("%s is so in chart %s rendered with %s.", withoutColumn(f.Evidence[0].Locator), r.Name, r.With)
}

func withoutColumn(locator string) string {
	if name, line, _ := splitPlace(locator); line > 0 {
		return fmt.Sprintf("%s:%d", name, line)
	}
	return locator
}

// unseen says of findings in a template that nothing like them is in its output.
func (m *chartMerge) unseen(r *chart.Rendered, t *chart.Template) {
	res := m.byPath[t.File]
	if res == nil {
		return
	}
	for i := range res.findings {
		f := &res.findings[i]
		locator := f.Evidence[0].Locator
		if _, line, _ := splitPlace(locator); line > 0 && !m.seen[locator] && !t.Has(line) {
			f.Notes = append(f.Notes, fmt.Sprintf("%s is not in chart %s rendered with %s: other values bring it.", withoutColumn(locator), r.Name, r.With))
		}
	}
}

// sort keeps findings in order of place, each with its setting.
func (r *fileResult) sort() {
	order := make([]int, len(r.findings))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		_, la, ca := splitPlace(r.findings[a].Evidence[0].Locator)
		_, lb, cb := splitPlace(r.findings[b].Evidence[0].Locator)
		return cmp.Or(cmp.Compare(la, lb), cmp.Compare(ca, cb))
	})
	findings, settings := make([]evidence.Finding, len(order)), make([]string, len(order))
	for to, from := range order {
		findings[to], settings[to] = r.findings[from], r.settings[from]
	}
	r.findings, r.settings = findings, settings
}

// unplaced takes the made-up namespace out of a subject.
func unplaced(s evidence.Subject) evidence.Subject {
	if s.Workload.Namespace == releaseNamespace {
		s.Workload.Namespace = ""
	}
	if strings.HasPrefix(s.ServiceAccount, releaseNamespace+"/") {
		s.ServiceAccount = ""
	}
	return s
}

// splitPlace cuts path:line:column.
func splitPlace(locator string) (name string, line, column int) {
	rest, last, _ := cutLast(locator)
	name, middle, found := cutLast(rest)
	line, err := strconv.Atoi(middle)
	column, err2 := strconv.Atoi(last)
	if !found || err != nil || err2 != nil {
		return locator, 0, 0
	}
	return name, line, column
}

func cutLast(s string) (before, after string, found bool) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

func numbers(lines []int) string {
	parts := make([]string, len(lines))
	for i, n := range lines {
		parts[i] = strconv.Itoa(n)
	}
	return strings.Join(parts, ", ")
}
