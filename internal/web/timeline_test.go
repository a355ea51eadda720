package web_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/slicewright/slicewright/internal/web"
	"github.com/slicewright/slicewright/timeline"
	"github.com/slicewright/slicewright/timeline/timelinetest"
)

func pageOf(t *testing.T, events []timeline.Event) string {
	t.Helper()
	var b timeline.Builder
	for _, ev := range events {
		b.Add(ev)
	}
	report := timeline.NewReport(b.Build(time.Time{}), timeline.Filter{}, timeline.Options{})
	path := filepath.Join(t.TempDir(), "timeline.html")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := web.WriteTimeline(f, report); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTimelinePageInABrowser(t *testing.T) {
	path := pageOf(t, timelinetest.Rollout())
	b := openBrowser(t)
	for _, s := range []struct {
		name   string
		width  int
		height int
		scheme string
	}{
		{"wide-light", 1280, 900, "light"},
		{"wide-dark", 1280, 900, "dark"},
		{"narrow-light", 390, 844, "light"},
		{"narrow-dark", 390, 844, "dark"},
	} {
		t.Run(s.name, func(t *testing.T) {
			b.t = t
			b.screen(s.width, s.height, s.scheme)
			b.open(path)
			b.picture(s.name)
			b.press("n")
			b.press("n")
			b.picture(s.name + "-finding")
			for _, trouble := range b.trouble {
				t.Errorf("the page is in trouble: %s", trouble)
			}
		})
	}
}
