package find

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slicewright/slicewright/app/internal/cli/clitest"
	"github.com/slicewright/slicewright/app/internal/cli/command"
	"github.com/slicewright/slicewright/app/internal/find/registry"
)

// The test binary is also the process that find renders charts in.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "find" && os.Args[2] == renderChart {
		os.Exit(program.Main(context.Background(), command.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}, os.Args))
	}
	os.Exit(m.Run())
}

func TestFindRendersChartsWithValues(t *testing.T) {
	root := clitest.WriteFiles(t, map[string]string{
		"src/sync/Chart.yaml":       "apiVersion: v2\nname: sync\nversion: 1.0.0\n",
		"src/sync/values.yaml":      "role: pod\nword: endpoints\n",
		"src/sync/templates/a.yaml": "scrape_configs:\n- job_name: a\n  kubernetes_sd_configs:\n  - role: {{ .Values.role }}\n",
		"src/loop/Chart.yaml":       "apiVersion: v2\nname: loop\nversion: 1.0.0\n",
		"src/loop/templates/a.yaml": "{{ repeat 2000000000 \"endpoints\" }}",
		"prod.yaml":                 "role: endpoints\n",
		"list.yaml":                 "- a\n",
	})
	src := filepath.Join(root, "src")
	entries := func(got findResult) []registry.Entry {
		t.Helper()
		var r registry.Registry
		if err := json.Unmarshal([]byte(got.out), &r); err != nil {
			t.Fatalf("%v: exit %d: %s", err, got.code, got.errors)
		}
		return r.Entries
	}
	// The chart that eats memory costs itself, and is why nothing is not nothing.
	got := runFind(t, "", "--source", src, "-o", "json")
	if got.code != command.ExitUnknown || len(entries(got)) != 0 || !strings.Contains(got.errors, "loop/Chart.yaml: chart not rendered") {
		t.Errorf("with the chart's own values: exit %d, %d entries: %s", got.code, len(entries(got)), got.errors)
	}
	for _, values := range []string{"", "sync=", "sync/../sync="} {
		got = runFind(t, "", "--source", src, "--helm-values", values+filepath.Join(root, "prod.yaml"), "-o", "json")
		found := entries(got)
		if len(found) != 1 || len(found[0].Evidence) != 1 || found[0].Evidence[0].Locator != "sync/templates/a.yaml:4:5" {
			t.Errorf("with %sprod.yaml: exit %d, entries %+v: %s", values, got.code, found, got.errors)
		}
		clitest.CheckSchema(t, "consumerregistry", got.out)
	}
	if got = runFind(t, "", "--source", src, "--render=false"); strings.Contains(got.errors, "not rendered: ") || got.code != command.ExitHolds {
		t.Errorf("without rendering: exit %d: %s", got.code, got.errors)
	}
	for _, test := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"--source", src, "--helm-values", filepath.Join(root, "none.yaml")}, command.ExitFailed, "none.yaml"},
		{[]string{"--source", src, "--helm-values", filepath.Join(root, "list.yaml")}, command.ExitFailed, "no YAML mapping"},
		{[]string{"--audit", realLog, "--helm-values", filepath.Join(root, "prod.yaml")}, command.ExitUsage, "--helm-values"},
		{[]string{"--source", src, "--render=false", "--helm-values", filepath.Join(root, "prod.yaml")}, command.ExitUsage, "--render"},
	} {
		if got := runFind(t, "", test.args...); got.code != test.code || !strings.Contains(got.errors, test.says) {
			t.Errorf("%v: exit %d: %s", test.args, got.code, got.errors)
		}
	}
}
