package chart

// PlaceIn is Place in one template.
func PlaceIn(template, rendered string, line, column int) Place {
	t := Template{File: "t", Text: rendered, own: []byte(template)}
	r := Rendered{tree: &chartTree{}}
	t.Has(line)
	return r.Place(&t, line, column)
}

// HasIn is Has in one template.
func HasIn(template, rendered string, line int) bool {
	t := Template{File: "t", Text: rendered, own: []byte(template)}
	return t.Has(line)
}
