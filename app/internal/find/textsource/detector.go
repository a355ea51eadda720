package textsource

// detector finds uses of Endpoints in texts of one kind.
type detector interface {
	// hasWord reports whether a text has one of the words without which there is
	// nothing to find. Most texts have no such word and are read no further.
	hasWord(data []byte) bool
	// read looks into a text and reports to it what it finds. name is the text's
	// path or key, and can be empty.
	read(s *source, name string, k fileKind)
}

// detectors has the detector for each kind of text.
type detectors map[kind]detector

// hasWord reports whether a text of a kind is worth reading.
func (ds detectors) hasWord(k kind, data []byte) bool {
	d := ds[k]
	return d != nil && d.hasWord(data)
}

// read hands the text to the detector for its kind. A kind without a detector
// has nothing to find.
func (s *source) read(name string, k fileKind) {
	if d := s.detectors[k.kind]; d != nil {
		d.read(s, name, k)
	}
}
