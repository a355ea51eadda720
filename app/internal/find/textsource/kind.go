package textsource

import (
	"bytes"
	"path"
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/textsource/lex"
)

// kind is what a file is, which decides how it is searched and read.
type kind uint8

const (
	kindOther kind = iota // not read by this source
	kindProse             // read by people
	kindCode
	kindShell
	kindLines // commands among other things: Makefile, Dockerfile, PowerShell
	kindYAML
	kindTemplate // Helm's .tpl, Jinja's .j2
	kindHCL      // Terraform, Grafana Alloy
	kindSettings // properties, env files, dependency lists
)

// fileKind is a kind and, for code, the language.
type fileKind struct {
	kind kind
	lang *lex.Language
	// embedded says of YAML that it is in another text, and may be no YAML at
	// all: what is not understood is no problem.
	embedded bool
	// blank says of embedded YAML that it has template actions, which must be
	// taken out first.
	blank bool
}

var byExtension = map[string]fileKind{
	".py": {kind: kindCode, lang: &lex.Python}, ".pyi": {kind: kindCode, lang: &lex.Python}, ".star": {kind: kindCode, lang: &lex.Python}, ".tiltfile": {kind: kindCode, lang: &lex.Python},
	".java": {kind: kindCode, lang: &lex.Java}, ".kt": {kind: kindCode, lang: &lex.Kotlin}, ".kts": {kind: kindCode, lang: &lex.Kotlin}, ".scala": {kind: kindCode, lang: &lex.Kotlin},
	".groovy": {kind: kindCode, lang: &lex.Groovy},
	".js":     {kind: kindCode, lang: &lex.JavaScript}, ".mjs": {kind: kindCode, lang: &lex.JavaScript}, ".cjs": {kind: kindCode, lang: &lex.JavaScript}, ".jsx": {kind: kindCode, lang: &lex.JavaScript},
	".ts": {kind: kindCode, lang: &lex.JavaScript}, ".mts": {kind: kindCode, lang: &lex.JavaScript}, ".cts": {kind: kindCode, lang: &lex.JavaScript}, ".tsx": {kind: kindCode, lang: &lex.JavaScript},
	".vue": {kind: kindCode, lang: &lex.JavaScript}, ".svelte": {kind: kindCode, lang: &lex.JavaScript},
	".rs": {kind: kindCode, lang: &lex.Rust}, ".cs": {kind: kindCode, lang: &lex.CSharp}, ".csx": {kind: kindCode, lang: &lex.CSharp},
	".jsonnet": {kind: kindCode, lang: &lex.Jsonnet}, ".libsonnet": {kind: kindCode, lang: &lex.Jsonnet},
	".sh": {kind: kindShell}, ".bash": {kind: kindShell}, ".ksh": {kind: kindShell}, ".zsh": {kind: kindShell}, ".bats": {kind: kindShell},
	".mk": {kind: kindLines}, ".ps1": {kind: kindLines}, ".psm1": {kind: kindLines}, ".dockerfile": {kind: kindLines},
	".bat": {kind: kindLines}, ".cmd": {kind: kindLines}, ".fish": {kind: kindLines}, ".just": {kind: kindLines},
	".yaml": {kind: kindYAML}, ".yml": {kind: kindYAML}, ".json": {kind: kindYAML}, ".jsonc": {kind: kindYAML},
	".tpl": {kind: kindTemplate}, ".j2": {kind: kindTemplate}, ".gotmpl": {kind: kindTemplate}, ".tmpl": {kind: kindTemplate},
	".tf": {kind: kindHCL, lang: &lex.HCL}, ".tofu": {kind: kindHCL, lang: &lex.HCL}, ".hcl": {kind: kindHCL, lang: &lex.HCL}, ".tfvars": {kind: kindHCL, lang: &lex.HCL},
	".alloy": {kind: kindHCL, lang: &lex.HCL}, ".river": {kind: kindHCL, lang: &lex.HCL},
	".properties": {kind: kindSettings}, ".env": {kind: kindSettings}, ".toml": {kind: kindSettings}, ".xml": {kind: kindSettings},
	".csproj": {kind: kindSettings}, ".ini": {kind: kindSettings}, ".cfg": {kind: kindSettings}, ".conf": {kind: kindSettings},
	".md": {kind: kindProse}, ".markdown": {kind: kindProse}, ".rst": {kind: kindProse}, ".adoc": {kind: kindProse}, ".txt": {kind: kindProse},
	".html": {kind: kindProse}, ".htm": {kind: kindProse}, ".mdx": {kind: kindProse}, ".org": {kind: kindProse},
}

var byName = map[string]fileKind{
	"Makefile": {kind: kindLines}, "GNUmakefile": {kind: kindLines}, "makefile": {kind: kindLines}, "Justfile": {kind: kindLines}, "justfile": {kind: kindLines},
	"Dockerfile": {kind: kindLines}, "Containerfile": {kind: kindLines}, "Jenkinsfile": {kind: kindCode, lang: &lex.Groovy},
	"Tiltfile": {kind: kindCode, lang: &lex.Python}, "SConstruct": {kind: kindCode, lang: &lex.Python},
	"requirements.txt": {kind: kindSettings}, ".env": {kind: kindSettings},
	".bashrc": {kind: kindShell}, ".bash_aliases": {kind: kindShell}, ".zshrc": {kind: kindShell}, ".profile": {kind: kindShell}, ".envrc": {kind: kindShell},
}

// lockFiles are written by machines, name everything and run nothing.
var lockFiles = map[string]bool{
	"package-lock.json": true, "yarn.lock": true, "pnpm-lock.yaml": true, "Cargo.lock": true, "poetry.lock": true, "uv.lock": true,
	"go.sum": true, "packages.lock.json": true, ".terraform.lock.hcl": true, "composer.lock": true, "npm-shrinkwrap.json": true,
}

// kindOf tells a file's kind by its name alone.
func kindOf(name string) (fileKind, bool) {
	base := path.Base(name)
	if lockFiles[base] {
		return fileKind{}, true
	}
	if k, ok := byName[base]; ok {
		return k, true
	}
	if strings.HasPrefix(base, "Dockerfile.") || strings.HasPrefix(base, "Makefile.") {
		return fileKind{kind: kindLines}, true
	}
	switch {
	case strings.HasSuffix(base, ".gradle"):
		return fileKind{kind: kindSettings, lang: &lex.Groovy}, true
	case strings.HasSuffix(base, ".gradle.kts"):
		return fileKind{kind: kindSettings, lang: &lex.Kotlin}, true
	}
	ext := strings.ToLower(path.Ext(base))
	switch ext {
	case ".tpl", ".j2", ".tmpl", ".gotmpl", ".template", ".in", ".erb", ".dist", ".example":
		// prometheus.yml.j2 is YAML with actions in it, run.sh.j2 is a script,
		// and types.go.tmpl is not ours.
		if inner := strings.ToLower(path.Ext(strings.TrimSuffix(base, path.Ext(base)))); inner != "" {
			k := byExtension[inner]
			if k.kind == kindYAML {
				k.kind = kindTemplate
			}
			return k, true
		}
	}
	if k, ok := byExtension[ext]; ok {
		return k, true
	}
	// Without a telling name only the first line can tell.
	return fileKind{}, ext != ""
}

// kindByContent tells a file without an extension by its first line.
func kindByContent(head []byte) fileKind {
	if !bytes.HasPrefix(head, []byte("#!")) {
		return fileKind{}
	}
	line, _, _ := bytes.Cut(head, []byte("\n"))
	fields := strings.Fields(strings.TrimPrefix(string(line), "#!"))
	for i, f := range fields {
		name := path.Base(f)
		if name == "env" || strings.HasPrefix(f, "-") && i > 0 {
			continue
		}
		switch {
		case name == "sh" || name == "bash" || name == "dash" || name == "ksh" || name == "zsh" || name == "ash":
			return fileKind{kind: kindShell}
		case strings.HasPrefix(name, "python") || name == "uv":
			return fileKind{kind: kindCode, lang: &lex.Python}
		case name == "node" || name == "deno" || name == "bun" || name == "ts-node":
			return fileKind{kind: kindCode, lang: &lex.JavaScript}
		case name == "pwsh" || name == "fish" || name == "make":
			return fileKind{kind: kindLines}
		case name == "kotlin":
			return fileKind{kind: kindCode, lang: &lex.Kotlin}
		}
		return fileKind{}
	}
	return fileKind{}
}

// looksLikeYAML tells a manifest or a configuration from a script and prose.
func looksLikeYAML(v string) bool {
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
