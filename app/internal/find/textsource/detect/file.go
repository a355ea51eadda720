package detect

import (
	"bytes"
	"path"
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/textsource/lex"
)

// Kind is what a file is, which decides how it is searched and read.
type Kind uint8

const (
	Other Kind = iota // not read by this source
	Prose             // read by people
	Code
	Script
	Lines // commands among other things: Makefile, Dockerfile, PowerShell
	YAML
	Template // Helm's .tpl, Jinja's .j2
	HCL      // Terraform, Grafana Alloy
	Settings // properties, env files, dependency lists
)

// File is a kind and, for code, the language.
type File struct {
	Kind Kind
	Lang *lex.Language
	// Embedded says of YAML that it is in another text, and may be no YAML at
	// all: what is not understood is no problem.
	Embedded bool
	// Blank says of embedded YAML that it has template actions, which must be
	// taken out first.
	Blank bool
}

var byExtension = map[string]File{
	".py": {Kind: Code, Lang: &lex.Python}, ".pyi": {Kind: Code, Lang: &lex.Python}, ".star": {Kind: Code, Lang: &lex.Python}, ".tiltfile": {Kind: Code, Lang: &lex.Python},
	".java": {Kind: Code, Lang: &lex.Java}, ".kt": {Kind: Code, Lang: &lex.Kotlin}, ".kts": {Kind: Code, Lang: &lex.Kotlin}, ".scala": {Kind: Code, Lang: &lex.Kotlin},
	".groovy": {Kind: Code, Lang: &lex.Groovy},
	".js":     {Kind: Code, Lang: &lex.JavaScript}, ".mjs": {Kind: Code, Lang: &lex.JavaScript}, ".cjs": {Kind: Code, Lang: &lex.JavaScript}, ".jsx": {Kind: Code, Lang: &lex.JavaScript},
	".ts": {Kind: Code, Lang: &lex.JavaScript}, ".mts": {Kind: Code, Lang: &lex.JavaScript}, ".cts": {Kind: Code, Lang: &lex.JavaScript}, ".tsx": {Kind: Code, Lang: &lex.JavaScript},
	".vue": {Kind: Code, Lang: &lex.JavaScript}, ".svelte": {Kind: Code, Lang: &lex.JavaScript},
	".rs": {Kind: Code, Lang: &lex.Rust}, ".cs": {Kind: Code, Lang: &lex.CSharp}, ".csx": {Kind: Code, Lang: &lex.CSharp},
	".jsonnet": {Kind: Code, Lang: &lex.Jsonnet}, ".libsonnet": {Kind: Code, Lang: &lex.Jsonnet},
	".sh": {Kind: Script}, ".bash": {Kind: Script}, ".ksh": {Kind: Script}, ".zsh": {Kind: Script}, ".bats": {Kind: Script},
	".mk": {Kind: Lines}, ".ps1": {Kind: Lines}, ".psm1": {Kind: Lines}, ".dockerfile": {Kind: Lines},
	".bat": {Kind: Lines}, ".cmd": {Kind: Lines}, ".fish": {Kind: Lines}, ".just": {Kind: Lines},
	".yaml": {Kind: YAML}, ".yml": {Kind: YAML}, ".json": {Kind: YAML}, ".jsonc": {Kind: YAML},
	".tpl": {Kind: Template}, ".j2": {Kind: Template}, ".gotmpl": {Kind: Template}, ".tmpl": {Kind: Template},
	".tf": {Kind: HCL, Lang: &lex.HCL}, ".tofu": {Kind: HCL, Lang: &lex.HCL}, ".hcl": {Kind: HCL, Lang: &lex.HCL}, ".tfvars": {Kind: HCL, Lang: &lex.HCL},
	".alloy": {Kind: HCL, Lang: &lex.HCL}, ".river": {Kind: HCL, Lang: &lex.HCL},
	".properties": {Kind: Settings}, ".env": {Kind: Settings}, ".toml": {Kind: Settings}, ".xml": {Kind: Settings},
	".csproj": {Kind: Settings}, ".ini": {Kind: Settings}, ".cfg": {Kind: Settings}, ".conf": {Kind: Settings},
	".md": {Kind: Prose}, ".markdown": {Kind: Prose}, ".rst": {Kind: Prose}, ".adoc": {Kind: Prose}, ".txt": {Kind: Prose},
	".html": {Kind: Prose}, ".htm": {Kind: Prose}, ".mdx": {Kind: Prose}, ".org": {Kind: Prose},
}

var byName = map[string]File{
	"Makefile": {Kind: Lines}, "GNUmakefile": {Kind: Lines}, "makefile": {Kind: Lines}, "Justfile": {Kind: Lines}, "justfile": {Kind: Lines},
	"Dockerfile": {Kind: Lines}, "Containerfile": {Kind: Lines}, "Jenkinsfile": {Kind: Code, Lang: &lex.Groovy},
	"Tiltfile": {Kind: Code, Lang: &lex.Python}, "SConstruct": {Kind: Code, Lang: &lex.Python},
	"requirements.txt": {Kind: Settings}, ".env": {Kind: Settings},
	".bashrc": {Kind: Script}, ".bash_aliases": {Kind: Script}, ".zshrc": {Kind: Script}, ".profile": {Kind: Script}, ".envrc": {Kind: Script},
}

// byInterpreter tells a script by the program that runs it.
var byInterpreter = map[string]File{
	"sh": {Kind: Script}, "bash": {Kind: Script}, "dash": {Kind: Script}, "ksh": {Kind: Script}, "zsh": {Kind: Script}, "ash": {Kind: Script},
	"uv":   {Kind: Code, Lang: &lex.Python},
	"node": {Kind: Code, Lang: &lex.JavaScript}, "deno": {Kind: Code, Lang: &lex.JavaScript}, "bun": {Kind: Code, Lang: &lex.JavaScript}, "ts-node": {Kind: Code, Lang: &lex.JavaScript},
	"pwsh": {Kind: Lines}, "fish": {Kind: Lines}, "make": {Kind: Lines},
	"kotlin": {Kind: Code, Lang: &lex.Kotlin},
}

// lockFiles are written by machines, name everything and run nothing.
var lockFiles = map[string]bool{
	"package-lock.json": true, "yarn.lock": true, "pnpm-lock.yaml": true, "Cargo.lock": true, "poetry.lock": true, "uv.lock": true,
	"go.sum": true, "packages.lock.json": true, ".terraform.lock.hcl": true, "composer.lock": true, "npm-shrinkwrap.json": true,
}

// FileOf tells a file's kind by its name alone.
func FileOf(name string) (File, bool) {
	base := path.Base(name)
	if lockFiles[base] {
		return File{}, true
	}
	if k, ok := byName[base]; ok {
		return k, true
	}
	if strings.HasPrefix(base, "Dockerfile.") || strings.HasPrefix(base, "Makefile.") {
		return File{Kind: Lines}, true
	}
	switch {
	case strings.HasSuffix(base, ".gradle"):
		return File{Kind: Settings, Lang: &lex.Groovy}, true
	case strings.HasSuffix(base, ".gradle.kts"):
		return File{Kind: Settings, Lang: &lex.Kotlin}, true
	}
	ext := strings.ToLower(path.Ext(base))
	switch ext {
	case ".tpl", ".j2", ".tmpl", ".gotmpl", ".template", ".in", ".erb", ".dist", ".example":
		// prometheus.yml.j2 is YAML with actions in it, run.sh.j2 is a script,
		// and types.go.tmpl is not ours.
		if inner := strings.ToLower(path.Ext(strings.TrimSuffix(base, path.Ext(base)))); inner != "" {
			k := byExtension[inner]
			if k.Kind == YAML {
				k.Kind = Template
			}
			return k, true
		}
	}
	if k, ok := byExtension[ext]; ok {
		return k, true
	}
	// Without a telling name only the first line can tell.
	return File{}, ext != ""
}

// FileByContent tells a file without an extension by its first line.
func FileByContent(head []byte) File {
	if !bytes.HasPrefix(head, []byte("#!")) {
		return File{}
	}
	line, _, _ := bytes.Cut(head, []byte("\n"))
	fields := strings.Fields(strings.TrimPrefix(string(line), "#!"))
	for i, f := range fields {
		name := path.Base(f)
		if name == "env" || strings.HasPrefix(f, "-") && i > 0 {
			continue
		}
		if strings.HasPrefix(name, "python") {
			return File{Kind: Code, Lang: &lex.Python}
		}
		return byInterpreter[name]
	}
	return File{}
}

// LooksLikeYAML tells a manifest or a configuration from a script and prose.
func LooksLikeYAML(v string) bool {
	if strings.HasPrefix(v, "#!") {
		return false
	}
	for _, mark := range []string{"kind:", "role:", "kubernetes_sd_configs:", "source_labels:", "serviceDiscoveryRole:", "resourceLock:", "prometheusSpec:", "collectors:", `"kind"`, `"role"`} {
		if strings.Contains(v, mark) {
			return true
		}
	}
	return false
}
