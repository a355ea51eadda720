package cli

import "testing"

var program = slicewright

func run(t *testing.T, stdin string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	return Run(t, &program, stdin, args...)
}
