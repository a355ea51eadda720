package program

import (
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/textsource/detect"
	"github.com/slicewright/slicewright/app/internal/find/textsource/lex"
)

// csharpName judges generic methods: client.ListAsync<V1Endpoints>(),
// IResourceController<V1Endpoints>.
func (c *code) csharpName(tokens []lex.Token, i int) {
	name := tokens[i].Text
	if name != "V1Endpoints" && name != "V1EndpointsList" || !c.libs.used["official"] {
		return
	}
	if i < 2 || !tokens[i-1].Is("<") || tokens[i-2].Kind != lex.Ident {
		return
	}
	if c.statementCallsClient(tokens, i) {
		return
	}
	fn := strings.ToLower(tokens[i-2].Text)
	if strings.HasPrefix(fn, "watch") && i+1 < len(tokens) && tokens[i+1].Is(",") {
		return // the official client's extension on a response: who asked for it is found there
	}
	h := detect.Hit{Offset: tokens[i-2].Start, Detector: "text/typed-client"}
	for _, a := range clients.Generic {
		if strings.HasPrefix(fn, a.Word) && strings.Contains(fn, a.With) {
			h.Verb, h.Access = a.Verb, a.Access
			break
		}
	}
	if h.Verb == "" {
		return // List<V1Endpoints>, Task<V1EndpointsList>: only a type
	}
	// List<V1Endpoints> is the language's own list.
	if tokens[i-2].Text == "List" && (i < 3 || !tokens[i-3].Is(".")) {
		return
	}
	c.report(h)
}

// statementCallsClient reports whether a client's method is earlier in the
// same statement: ListNamespacedEndpointsWithHttpMessagesAsync(…).WatchAsync<V1Endpoints, …>.
func (c *code) statementCallsClient(tokens []lex.Token, i int) bool {
	for j := i; j >= 0 && j > i-maxLookback && !tokens[j].Is(";"); j-- {
		if tokens[j].Kind == lex.Ident {
			if _, ok := clientVerb(tokens[j].Text); ok {
				return true
			}
		}
	}
	return false
}
