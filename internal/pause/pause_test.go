package pause_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slicewright/slicewright/internal/pause"
)

func TestFor(t *testing.T) {
	for _, test := range []struct {
		name         string
		ends         time.Duration // when ctx ends; -1: before the call
		d, want      time.Duration
		wantCutShort bool
	}{
		{"the whole time", time.Hour, time.Minute, time.Minute, false},
		{"until ctx ends", time.Second, time.Minute, time.Second, true},
		{"ended before", -1, time.Minute, 0, true},
		{"no time", time.Hour, 0, 0, false},
		{"less than no time", time.Hour, -time.Minute, 0, false},
		{"no time, ended before", -1, 0, 0, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), test.ends)
				defer cancel()
				began := time.Now()
				err := pause.For(ctx, test.d)
				if got := time.Since(began); got != test.want {
					t.Errorf("it took %s, want %s", got, test.want)
				}
				if (err != nil) != test.wantCutShort || err != ctx.Err() {
					t.Errorf("error %v, of ctx %v", err, ctx.Err())
				}
			})
		})
	}
}
