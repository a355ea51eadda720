package manifests

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/objects"
)

// read reads files given as name, content, name, content.
func read(t *testing.T, opts Options, files ...string) (*objects.Snapshot, evidence.Coverage) {
	t.Helper()
	fsys := fstest.MapFS{}
	for i := 0; i < len(files); i += 2 {
		fsys[files[i]] = &fstest.MapFile{Data: []byte(files[i+1])}
	}
	snapshot, coverage, err := Read(context.Background(), fsys, opts)
	if err != nil {
		t.Fatal(err)
	}
	return snapshot, coverage
}

// contents names everything in a snapshot with its place.
func contents(s *objects.Snapshot) []string {
	var out []string
	add := func(ref objects.Ref, place objects.Locators) {
		line := ref.String() + " " + place.Kind
		if len(place.Rules) > 0 {
			line += " rules " + strings.Join(place.Rules, " ")
		}
		out = append(out, line)
	}
	for _, o := range s.Roles {
		add(o.Ref, o.Locators)
	}
	for _, o := range s.Bindings {
		add(o.Ref, o.Locators)
	}
	for _, o := range s.ServiceAccounts {
		add(o.Ref, o.Locators)
	}
	for _, o := range s.Workloads {
		add(o.Ref, o.Locators)
	}
	for _, o := range s.Pods {
		add(o.Ref, o.Locators)
	}
	for _, o := range s.Services {
		add(o.Ref, o.Locators)
	}
	for _, o := range s.Endpoints {
		add(o.Ref, o.Locators)
	}
	for _, o := range s.Slices {
		add(o.Ref, o.Locators)
	}
	return out
}

func problems(c evidence.Coverage) []string {
	var out []string
	for _, p := range c.Problems {
		out = append(out, p.Locator+": "+p.Message)
	}
	return out
}

const role = "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: %s, namespace: n}\nrules:\n- apiGroups: ['']\n  resources: [endpoints]\n  verbs: [get]\n"

// utf16LE is the text in UTF-16 with a byte order mark.
func utf16LE(text string) string {
	out := []byte("\xff\xfe")
	for _, unit := range utf16.Encode([]rune(text)) {
		out = binary.LittleEndian.AppendUint16(out, unit)
	}
	return string(out)
}

func TestReadFindsObjectsAndTheirPlaces(t *testing.T) {
	service := "apiVersion: v1\nkind: Service\nmetadata:\n  name: %s\n"
	for _, test := range []struct {
		name, file, text string
		want             []string
		problem          string // part of the one problem that is wanted
	}{
		{"one document", "a.yaml", fmt.Sprintf(role, "r"), []string{"Role/n/r a.yaml:2:1 rules a.yaml:6:3"}, ""},
		{
			"documents with comments, blanks and markers", "a.yml",
			"# first\n---\n" + fmt.Sprintf(service, "a") + "---\n\n--- # empty before\n" + fmt.Sprintf(service, "b") + "...\n",
			[]string{"Service/default/a a.yml:4:1", "Service/default/b a.yml:11:1"},
			"",
		},
		{"a directive", "a.yaml", "%YAML 1.1\n---\n" + fmt.Sprintf(service, "a"), []string{"Service/default/a a.yaml:4:1"}, ""},
		{"a byte order mark and CRLF", "a.yaml", "\xef\xbb\xbf" + strings.ReplaceAll(fmt.Sprintf(service, "a"), "\n", "\r\n"), []string{"Service/default/a a.yaml:2:1"}, ""},
		{"content on the marker's line", "a.yaml", "--- {apiVersion: v1, kind: Service, metadata: {name: a}}", []string{"Service/default/a a.yaml:1:22"}, ""},
		{
			"a List", "a.yaml", "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Service\n  metadata: {name: a}\n- apiVersion: v1\n  kind: ConfigMap\n",
			[]string{"Service/default/a a.yaml:5:3"},
			"",
		},
		{"a List in a List", "a.yaml", "{kind: List, items: [{kind: List, items: [{apiVersion: v1, kind: Service, metadata: {name: a}}]}]}", []string{"Service/default/a a.yaml:1:60"}, ""},
		{"the API's own list, whose items name no kind", "a.json", `{"kind":"ServiceList","apiVersion":"v1","items":[{"metadata":{"name":"a"}}]}`, []string{"Service/default/a a.json:1:50"}, ""},
		{
			"kubectl's JSON, which names its kind after the items", "a.json",
			"{\n \"apiVersion\": \"v1\",\n \"items\": [\n  {\n   \"apiVersion\": \"v1\",\n   \"kind\": \"Service\",\n   \"metadata\": {\"name\": \"a\"}\n  },\n  {\"apiVersion\": \"v1\", \"kind\": \"Service\", \"metadata\": {\"name\": \"b\"}}\n ],\n \"kind\": \"List\"\n}\n",
			[]string{"Service/default/a a.json:6:4", "Service/default/b a.json:9:24"},
			"",
		},
		{"JSON indented with tabs", "a.json", "{\n\t\"apiVersion\": \"v1\",\n\t\"kind\": \"Service\",\n\t\"metadata\": {\"name\": \"a\"}\n}\n", []string{"Service/default/a a.json:3:2"}, ""},
		{"JSON values in a row", "a.json", `{"apiVersion":"v1","kind":"Service","metadata":{"name":"a"}}` + "\n" + `{"apiVersion":"v1","kind":"Service","metadata":{"name":"b"}}`, []string{"Service/default/a a.json:1:20", "Service/default/b a.json:2:20"}, ""},
		{"a JSON array", "a.json", `[{"apiVersion":"v1","kind":"Service","metadata":{"name":"a"}}, 7]`, []string{"Service/default/a a.json:1:21"}, "a.json:1:64: is no Kubernetes object, as it has no kind"},
		{"JSON in a .yaml", "a.yaml", `{"apiVersion":"v1","kind":"Service","metadata":{"name":"a"}}`, []string{"Service/default/a a.yaml:1:20"}, ""},
		{"another kind", "a.yaml", "apiVersion: example/v1\nkind: Service\nmetadata: {name: a}\n", nil, ""},
		{"other text", "a.yaml", "kind: [a]\n---\njust kind text\n---\na: 1\n", nil, ""},
		{"no kind before an object", "a.yaml", "a: 1\n---\n" + fmt.Sprintf(service, "a"), []string{"Service/default/a a.yaml:4:1"}, "a.yaml:1: is no Kubernetes object, as it has no kind"},
		{"no kind behind an object", "a.yaml", fmt.Sprintf(service, "a") + "---\nkind: [a]\n", []string{"Service/default/a a.yaml:2:1"}, "a.yaml:6:1: is no Kubernetes object, as it has no kind"},
		{"no kind in a List", "a.json", `{"kind":"List","items":[{"metadata":{"name":"a"}},{"apiVersion":"v1","kind":"Service","metadata":{"name":"b"}}]}`, []string{"Service/default/b a.json:1:70"}, "a.json:1:25: is no Kubernetes object, as it has no kind"},
		{"a List with nothing else", "a.json", `{"kind":"List","items":[{"metadata":{"name":"a"}}]}`, nil, "a.json:1:25: is no Kubernetes object, as it has no kind"},
		{"an incomplete list", "a.yaml", "apiVersion: v1\nkind: ServiceList\nmetadata: {continue: x}\nitems: [{metadata: {name: a}}]\n", []string{"Service/default/a a.yaml:4:9"}, "a.yaml:1:1: is an incomplete list (metadata.continue is set)"},
		{"an incomplete list as the API writes it", "a.json", "\n" + `{"kind":"ServiceList","apiVersion":"v1","metadata":{"continue":"x"},"items":[{"metadata":{"name":"a"}}]}`, []string{"Service/default/a a.json:2:78"}, "a.json:2: is an incomplete list (metadata.continue is set)"},
		{"an incomplete list as kubectl writes it", "a.json", `{"apiVersion":"v1","items":[{"apiVersion":"v1","kind":"Service","metadata":{"name":"a"}}],"kind":"List","metadata":{"continue":"x"}}`, []string{"Service/default/a a.json:1:48"}, "a.json:1: is an incomplete list (metadata.continue is set)"},
		{"UTF-16, as PowerShell writes it", "a.yaml", utf16LE(fmt.Sprintf(service, "a") + "---\r\n" + fmt.Sprintf(service, "b")), []string{"Service/default/a a.yaml:2:1", "Service/default/b a.yaml:7:1"}, ""},
		{
			"an anchor and a merge key", "a.yaml", "apiVersion: v1\nkind: Service\nmetadata: &m {name: a, namespace: n}\nx: {<<: *m}\n---\napiVersion: v1\nkind: Service\nmetadata: {<<: {name: b, namespace: x}, namespace: n}\n",
			[]string{"Service/n/a a.yaml:2:1", "Service/n/b a.yaml:7:1"},
			"",
		},
		{"a time without quotes stays text", "a.yaml", "apiVersion: v1\nkind: Service\nmetadata: {name: a, creationTimestamp: 2026-01-02T03:04:05Z}\n", []string{"Service/default/a a.yaml:2:1"}, ""},
		{
			"a broken document costs itself alone", "a.yaml", fmt.Sprintf(service, "a") + "---\nkind: [\n---\n" + fmt.Sprintf(service, "b"),
			[]string{"Service/default/a a.yaml:2:1", "Service/default/b a.yaml:9:1"},
			"a.yaml:5: does not parse",
		},
		{"a template that is no YAML", "templates/a.yaml", "{{- if .x }}\nkind: Role\n{{- end }}\n", nil, "render it first"},
		{"a template that is a version", "templates/a.yaml", "apiVersion: {{ .x }}\nkind: Role\n", nil, "render it first"},
		{"a template that is a name", "templates/a.yaml", "apiVersion: v1\nkind: Service\nmetadata:\n  name: {{ .Release.Name }}\n", nil, "render it first"},
		{"a wrong type", "a.yaml", "apiVersion: v1\nkind: Service\nmetadata: {name: 7}\n", nil, "a.yaml:2:1: Service 7: is not what the API server takes"},
		{"a name that no server stores", "a.yaml", "apiVersion: v1\nkind: Service\nmetadata: {name: \"a\\x1b[31m\"}\n", nil, "has characters that no name has"},
		{"a name with a slash", "a.yaml", "apiVersion: v1\nkind: Service\nmetadata: {name: a/b}\n", nil, "may not contain '/'"},
		{"no name", "a.yaml", "apiVersion: v1\nkind: Service\n", nil, "metadata.name is missing"},
		{"a key twice", "a.yaml", "apiVersion: v1\nkind: Service\nmetadata: {name: a, name: b}\n", nil, "a.yaml:2:1"},
		{"a binary file", "a.yaml", "kind\x00\x01\x02", nil, "binary"},
		{"another encoding", "a.yaml", "kind: \xe4\xf6\xfc", nil, "UTF-8"},
		{"JSON cut short", "a.json", `{"apiVersion":"v1","items":[{"apiVersion":"v1","kind":"Service","metadata":{"name":"a"}},{"api`, []string{"Service/default/a a.json:1:48"}, "cut short"},
		{"a List too deep", "a.yaml", strings.Repeat("{kind: List, items: [", 12) + strings.Repeat("]}", 12), nil, "deeper than is read"},
	} {
		t.Run(test.name, func(t *testing.T) {
			snapshot, coverage := read(t, Options{}, test.file, test.text)
			if diff := cmp.Diff(test.want, contents(snapshot)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			got := problems(coverage)
			switch {
			case test.problem == "" && len(got) > 0:
				t.Errorf("problems %q", got)
			case test.problem != "" && (len(got) != 1 || !strings.Contains(got[0], test.problem)):
				t.Errorf("problems %q, want one with %q", got, test.problem)
			}
			if coverage.Read != len(test.want) || coverage.Skipped != len(got) {
				t.Errorf("read %d and skipped %d, want %d and %d", coverage.Read, coverage.Skipped, len(test.want), len(got))
			}
		})
	}
}

func TestAliasesCannotGrowWithoutBound(t *testing.T) {
	var bomb strings.Builder
	bomb.WriteString("apiVersion: v1\nkind: Service\nmetadata: {name: a}\na0: &a0 [x,x,x,x,x,x,x,x,x,x]\n")
	for i := 1; i < 12; i++ {
		fmt.Fprintf(&bomb, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i-1), 10), ","))
	}
	for name, text := range map[string]string{
		"multiplying":   bomb.String(),
		"into itself":   "apiVersion: v1\nkind: Service\nmetadata: &m {name: a, labels: *m}\n",
		"merged itself": "apiVersion: v1\nkind: Service\nmetadata: &m {name: a, <<: *m}\n",
		"nested":        "apiVersion: v1\nkind: Service\nmetadata: " + strings.Repeat("{a: ", 5000) + strings.Repeat("}", 5000),
	} {
		t.Run(name, func(t *testing.T) {
			snapshot, coverage := read(t, Options{}, "bomb.yaml", text, "good.yaml", fmt.Sprintf(role, "good"))
			if diff := cmp.Diff([]string{"Role/n/good good.yaml:2:1 rules good.yaml:6:3"}, contents(snapshot)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if len(coverage.Problems) != 1 {
				t.Errorf("problems %q, want the bomb", problems(coverage))
			}
		})
	}
	deep := `{"apiVersion":"v1","kind":"Service","metadata":` + strings.Repeat(`{"a":`, 5000)
	if _, coverage := read(t, Options{}, "deep.json", deep); len(coverage.Problems) != 1 {
		t.Errorf("problems %q, want the nesting", problems(coverage))
	}
}

func TestWhatIsTooLongIsSkippedAndWhatFollowsIsRead(t *testing.T) {
	item := func(name string, more int) string {
		return fmt.Sprintf(`{"apiVersion":"v1","kind":"Service","metadata":{"name":%q},"x":[%s0]}`, name, strings.Repeat("0,", more))
	}
	opts := Options{MaxDocument: 400}
	for name, test := range map[string]struct {
		file, text string
		want       []string
	}{
		"JSON items": {
			"a.json", `{"items":[` + item("a", 1) + "," + item("long", 500) + "," + item("b", 1) + `],"kind":"List"}` + item("c", 1),
			[]string{"Service/default/a", "Service/default/b", "Service/default/c"},
		},
		"YAML documents": {"a.yaml", item("a", 1) + "\n---\n", []string{"Service/default/a"}},
		"YAML lines":     {"a.yaml", "#\n" + item("a", 1) + "\n---\n" + item("long", 500) + "\n---\n" + item("b", 1), []string{"Service/default/a", "Service/default/b"}},
		"YAML of many lines": {
			"a.yaml", "#\n" + item("a", 1) + "\n---\n" + strings.Repeat("kind: x\n", 100) + "---\n" + item("b", 1),
			[]string{"Service/default/a", "Service/default/b"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			snapshot, coverage := read(t, opts, test.file, test.text)
			var got []string
			for _, s := range snapshot.Services {
				got = append(got, s.Ref.String())
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			tooLong := 0
			for _, p := range coverage.Problems {
				if strings.Contains(p.Message, "longer than the limit") {
					tooLong++
				}
			}
			if want := strings.Count(test.text, "long") + strings.Count(test.text, "kind: x\nkind: x\n")/50; tooLong != want || len(coverage.Problems) != want {
				t.Errorf("problems %q, want %d", problems(coverage), want)
			}
		})
	}
}

func TestReadWalksFoldersAndFollowsNoLoops(t *testing.T) {
	dir := t.TempDir()
	outside := filepath.Join(t.TempDir(), "outside.yaml")
	for path, text := range map[string]string{
		filepath.Join(dir, "sub", "deeper", "role.yaml"): fmt.Sprintf(role, "deep"),
		filepath.Join(dir, ".git", "hidden.yaml"):        fmt.Sprintf(role, "hidden"),
		filepath.Join(dir, "notes.txt"):                  fmt.Sprintf(role, "notes"),
		filepath.Join(dir, "app", "kustomization.yaml"):  "resources: [kind.yaml]\n",
		filepath.Join(dir, "app", "UPPER.YAML"):          fmt.Sprintf(role, "upper"),
		outside:                                          fmt.Sprintf(role, "outside"),
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{
		"loop.yaml": ".", "outside.yaml": outside, "link.yaml": "sub/deeper/role.yaml", "dangling.yaml": "nowhere",
	} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	snapshot, coverage, err := Read(context.Background(), root.FS(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{
		"Role/n/upper app/UPPER.YAML:2:1 rules app/UPPER.YAML:6:3",
		"Role/n/deep link.yaml:2:1 rules link.yaml:6:3",
		"Role/n/deep sub/deeper/role.yaml:2:1 rules sub/deeper/role.yaml:6:3",
	}, contents(snapshot)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var where []string
	for _, p := range coverage.Problems {
		where = append(where, p.Locator)
	}
	if diff := cmp.Diff([]string{"dangling.yaml", "loop.yaml", "outside.yaml"}, where); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	if len(coverage.Notes) != 1 || !strings.Contains(coverage.Notes[0], "kustomize build") {
		t.Errorf("notes %q, want the kustomization", coverage.Notes)
	}
}

func TestAMissingRootIsAnError(t *testing.T) {
	_, _, err := Read(context.Background(), os.DirFS(filepath.Join(t.TempDir(), "nowhere")), Options{})
	if err == nil {
		t.Error("no error")
	}
}

func TestTheNamespaceOfTheCallerIsGivenToWhatNamesNone(t *testing.T) {
	snapshot, coverage := read(t, Options{Namespace: "prod"}, "a.yaml",
		"{apiVersion: v1, kind: ServiceAccount, metadata: {name: a}}\n---\n"+
			"{apiVersion: v1, kind: ServiceAccount, metadata: {name: b, namespace: own}}\n---\n"+
			"{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: c, namespace: stray}}\n")
	if diff := cmp.Diff([]string{"ClusterRole/c a.yaml:5:44", "ServiceAccount/prod/a a.yaml:1:18", "ServiceAccount/own/b a.yaml:3:18"}, contents(snapshot)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(coverage.Notes) != 1 || !strings.Contains(coverage.Notes[0], `1 objects name no namespace and were read as of namespace "prod"`) {
		t.Errorf("notes %q", coverage.Notes)
	}
}

func TestAThousandProblemsAreCountedAndNotListed(t *testing.T) {
	_, coverage := read(t, Options{}, "a.yaml", strings.Repeat("kind: [\n---\n", 1000))
	if len(coverage.Problems) != maxProblems || coverage.Skipped != 1000 || len(coverage.Notes) != 1 {
		t.Errorf("%d problems, %d skipped, notes %q", len(coverage.Problems), coverage.Skipped, coverage.Notes)
	}
}
