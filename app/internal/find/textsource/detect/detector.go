package detect

// detector finds uses of Endpoints in texts of one kind.
type detector interface {
	// HasWord reports whether a text has one of the words without which there is
	// nothing to find. Most texts have no such word and are read no further.
	HasWord(data []byte) bool
	// Read looks into a text and reports to it what it finds. name is the text's
	// path or key, and can be empty.
	Read(s *Text, name string, k File)
}

// Detectors has the detector for each kind of text.
type Detectors map[Kind]detector

// HasWord reports whether a text of a kind is worth reading.
func (ds Detectors) HasWord(k Kind, data []byte) bool {
	d := ds[k]
	return d != nil && d.HasWord(data)
}

// Read hands the text to the detector for its kind. A kind without a detector
// has nothing to find.
func (s *Text) Read(name string, k File) {
	if d := s.Detectors[k.Kind]; d != nil {
		d.Read(s, name, k)
	}
}
