package haproxy

import "testing"

// What is no number of a backend is not sent back to HAProxy.
func TestBackendID(t *testing.T) {
	const header = "# be_id be_name srv_id\n"
	for answer, want := range map[string]string{
		"1\n" + header + "3 web 1\n":             "3",
		"1\n# be_name be_id\nweb 12\n":           "12",
		"1\n" + header + "x web 1\n":             "",
		"1\n" + header + "-1 web 1\n":            "",
		"1\n" + header + "99999999999 web 1\n":   "",
		"1\n" + header:                           "",
		"1\n":                                    "",
		"":                                       "",
		"1\nbe_id be_name\n3 web\n":              "",
		"1\n# be_name srv_id\n3 1\n":             "",
		"1\n# be_name srv_id be_id\nweb 1\n":     "",
		"1\n" + header + "3; show env web 1\n\n": "",
	} {
		id, ok := backendID(answer)
		if ok != (want != "") || ok && id != want {
			t.Errorf("%q has %q, %t; want %q", answer, id, ok, want)
		}
	}
}
