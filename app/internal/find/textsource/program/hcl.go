package program

import (
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/textsource/detect"
	"github.com/slicewright/slicewright/app/internal/find/textsource/lex"
	"github.com/slicewright/slicewright/app/internal/find/textsource/prometheus"
	"github.com/slicewright/slicewright/app/internal/find/textsource/shell"
	"github.com/slicewright/slicewright/app/internal/find/wordsearch"
)

// adviceTerraform is the EndpointSlice way of the provider's types.
const adviceTerraform = "Use kubernetes_endpoint_slice_v1."

var wordsHCL = wordsearch.New("ndpoint", "kubectl", "kube-state-metrics", "kube-prometheus")

// Terraform reads Terraform and Grafana Alloy.
type Terraform struct{}

func (Terraform) HasWord(data []byte) bool { return wordsHCL.In(data) }

func (Terraform) Read(s *detect.Text, _ string, _ detect.File) { readHCL(s) }

// readHCL looks into Terraform and Grafana Alloy.
func readHCL(s *detect.Text) {
	tokens := lex.Tokens(s.Data, lex.HCL)
	c := &code{s: s, lang: &lex.HCL, done: map[int]bool{}, kube: s.CallsAPI(), consts: constants(tokens), scrapes: detect.ContainsAny(s.Data, prometheus.ScrapeWords)}
	c.libs.kube = c.kube || strings.Contains(string(s.Data), "kubernetes")
	for i := range tokens {
		c.terraformBlock(tokens, i)
		c.terraformCommand(tokens, i)
	}
	c.walk(tokens)
}

// terraformBlock judges resource "kubernetes_endpoints_v1" "x" and its like.
func (c *code) terraformBlock(tokens []lex.Token, i int) {
	t := tokens[i]
	if t.Kind != lex.Ident || i+1 >= len(tokens) || tokens[i+1].Kind != lex.String || i > 0 && tokens[i-1].Kind != lex.Newline {
		return
	}
	typ := tokens[i+1].Value()
	switch {
	case clients.Terraform[typ] && clients.Blocks[t.Text].Verb != "":
		a := clients.Blocks[t.Text]
		c.report(detect.Hit{Offset: t.Start, Detector: "text/terraform", Verb: a.Verb, Access: a.Access, Advice: adviceTerraform})
	case t.Text == "data" && clients.TerraformData[typ]:
		c.terraformData(tokens, i)
	case t.Text == "resource" && typ == "helm_release":
		c.terraformChart(tokens, i)
	}
}

// terraformData judges the generic data sources, which name a kind.
func (c *code) terraformData(tokens []lex.Token, i int) {
	for n := i; n < closing(tokens, min(i+3, len(tokens)-1)); n++ {
		if !tokens[n].Is("kind") {
			continue
		}
		v, ok := fieldValue(tokens, n)
		version, _ := siblingField(tokens, n, "apiversion")
		if ok && v.Value() == "Endpoints" && (version == "v1" || version == "") {
			c.done[tokens[n].Start] = true
			c.report(detect.Hit{Offset: tokens[n].Start, Detector: "text/terraform", Verb: "get", Access: "get", Class: evidence.Reader, Advice: detect.Advice("get")})
		}
	}
}

// terraformChart judges charts whose default means Endpoints.
func (c *code) terraformChart(tokens []lex.Token, i int) {
	if detect.ContainsAny(c.s.Data, prometheus.ValueWords) {
		return
	}
	for n := i; n < closing(tokens, min(i+3, len(tokens)-1)); n++ {
		if !tokens[n].Is("chart") {
			continue
		}
		v, ok := fieldValue(tokens, n)
		if !ok {
			continue
		}
		if hit, known := prometheus.ChartHit(v.Value()); known {
			hit.Offset = tokens[n].Start
			c.report(hit)
		}
	}
}

// terraformCommand judges command = "kubectl …" of provisioners.
func (c *code) terraformCommand(tokens []lex.Token, i int) {
	if !clients.TerraformCommands[tokens[i].Text] || tokens[i].Kind != lex.Ident || i+2 >= len(tokens) || !tokens[i+1].Is("=") {
		return
	}
	list := tokens[i+2 : i+3]
	if tokens[i+2].Is("[") {
		list = tokens[i+2 : closing(tokens, i+2)]
	}
	for _, t := range list {
		if t.Kind != lex.String || !shell.MentionsCommands([]byte(t.Value())) {
			continue
		}
		if t.Raw && strings.Contains(t.Value(), "\n") {
			if in := c.s.Slice(t.Body, t.Body+len(t.Value())); in != nil {
				in.Read("", detect.File{Kind: detect.Script})
			}
			continue
		}
		for _, r := range shell.CommandsIn(t.Value(), c.s) {
			c.command(t.Start, r.Request, r.Confidence)
			break
		}
	}
}
