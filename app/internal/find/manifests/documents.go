package manifests

import (
	"io"

	"go.yaml.in/yaml/v3"

	"github.com/slicewright/slicewright/internal/manifest"
)

// document is a piece of a stream that is read, or not, by itself.
type document struct {
	line int // of its beginning, from 1
	// text is YAML not yet parsed; nil where root is set.
	text []byte
	// root is JSON, parsed.
	root *yaml.Node
	// list says of which list this is an item: the items of a PodList from the
	// API itself name no kind.
	list typeMeta
	// incomplete says that there is nothing here but the end of a list that is one
	// page of a longer list.
	incomplete bool
}

// typeMeta names a type as an object does.
type typeMeta struct {
	apiVersion, kind string
}

// documents are those of a stream. JSON is split further than package manifest
// does, a list into its items, so that a dump of any length fits.
type documents struct {
	in      *manifest.Reader
	max     int
	line    int // of the document last returned, or of the error
	started bool
	json    *jsonDocuments
}

func newDocuments(stream io.Reader, max int) *documents {
	return &documents{in: manifest.NewReader(stream, max), max: max, line: 1}
}

// next returns the next document, io.EOF after the last. After
// manifest.ErrTooLong it can be called again; any other error ends the stream.
func (d *documents) next() (document, error) {
	if !d.started {
		d.started = true
		if stream, isJSON := d.in.JSON(); isJSON {
			d.json = newJSONDocuments(stream, d.max)
		}
	}
	if d.json != nil {
		doc, err := d.json.next()
		d.line = d.json.line
		return doc, err
	}
	doc, err := d.in.Next()
	d.line = d.in.Line()
	return document{line: doc.Line, text: doc.Text}, err
}
