package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
)

//go:embed assets
var assets embed.FS

// page is what layout.html needs of every report. The body is a template of its
// own that is parsed into the layout as "body".
type page struct {
	Title string
	Style template.CSS
	// Script is "" for a page without one. Data is what it reads; it is written as
	// JSON.
	Script template.JS
	Data   any
	// Body is what the template "body" gets.
	Body any
}

// Policy is the page's Content-Security-Policy: nothing but its own style and
// script, which are known by their hashes, so that not even an escaping mistake
// would run what a cluster's names say.
func (p page) Policy() string {
	script := "'none'"
	if p.Script != "" {
		script = hashSource(string(p.Script))
	}
	return fmt.Sprintf("default-src 'none'; style-src %s; script-src %s; base-uri 'none'; form-action 'none'", hashSource(string(p.Style)), script)
}

func hashSource(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// layout parses the layout with one body. The assets are part of the program,
// so that an error here is one of ours.
func layout(body string) *template.Template {
	return template.Must(template.New("layout.html").Funcs(functions).ParseFS(assets, "assets/layout.html", "assets/"+body))
}

// asset reads files of the program and joins them.
func asset(names ...string) string {
	var all bytes.Buffer
	for _, name := range names {
		text, err := assets.ReadFile("assets/" + name)
		if err != nil {
			panic(err)
		}
		all.Write(text)
	}
	return all.String()
}

// write executes into memory first: half a page is no page.
func (p page) write(w io.Writer, t *template.Template) error {
	var out bytes.Buffer
	if err := t.Execute(&out, p); err != nil {
		return fmt.Errorf("write the page %q: %w", p.Title, err)
	}
	_, err := out.WriteTo(w)
	return err
}
