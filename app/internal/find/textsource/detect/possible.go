package detect

// MaxValues is how many strings one name is followed to. A name that takes
// more is a table, and its use is put together at run time.
const MaxValues = 8

// Possible is a text as far as it can be seen: every string that it can be, with
// {} for what only the run will tell.
type Possible struct {
	All []string
	// Pieces is how many literals, names and gaps it was put together from.
	Pieces int
}

// Append adds one piece, in each of its values, to each value so far.
func (f *Possible) Append(piece []string) {
	f.Pieces++
	var out []string
	for _, a := range f.All {
		for _, b := range piece {
			if len(out) < MaxValues && len(a)+len(b) < 4096 {
				out = append(out, a+b)
			}
		}
	}
	if len(out) > 0 {
		f.All = out
	}
}
