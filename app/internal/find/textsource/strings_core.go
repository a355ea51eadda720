package textsource

// maxValues is how many strings one name is followed to. A name that takes
// more is a table, and its use is put together at run time.
const maxValues = 8

// possible is a text as far as it can be seen: every string that it can be, with
// {} for what only the run will tell.
type possible struct {
	all []string
	// pieces is how many literals, names and gaps it was put together from.
	pieces int
}

// append adds one piece, in each of its values, to each value so far.
func (f *possible) append(piece []string) {
	f.pieces++
	var out []string
	for _, a := range f.all {
		for _, b := range piece {
			if len(out) < maxValues && len(a)+len(b) < 4096 {
				out = append(out, a+b)
			}
		}
	}
	if len(out) > 0 {
		f.all = out
	}
}
