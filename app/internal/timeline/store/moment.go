package store

import "time"

// toMicros is a moment as the database keeps it: 0 for none.
func toMicros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// fromMicros is the inverse of toMicros.
func fromMicros(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.UnixMicro(n).UTC()
}

func toInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
