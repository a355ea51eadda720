package haproxy

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// header26 is that of HAProxy 2.6.
const header26 = "# be_id be_name srv_id srv_name srv_addr srv_op_state srv_admin_state srv_uweight srv_iweight srv_time_since_last_change srv_check_status srv_check_result srv_check_health srv_check_state srv_agent_state bk_f_forced_id srv_f_forced_id srv_fqdn srv_port srvrecord srv_use_ssl srv_check_port srv_check_addr srv_agent_addr srv_agent_port\n"

func TestParseServersState(t *testing.T) {
	answer := "1\n" + header26 +
		"3 web 1 plain 127.0.0.9 2 0 1 1 137 1 0 2 0 0 0 0 - 9999 - 0 0 - - 0\n" +
		"3 web 2 was-disabled 127.0.0.9 2 4 1 1 7 1 0 2 6 0 0 0 - 1 - 0 0 - - 0\n" +
		"3 web 3 disabled 127.0.0.9 0 5 1 1 137 1 0 0 14 0 0 0 - 1 - 0 0 - - 0\n" +
		"3 web 4 six 2001:db8::1 2 8 10 10 0 1 0 2 2 0 0 0 - 80 - 0 0 - - 0\n" +
		"3 web 5 unix - 2 0 1 1 1 1 0 2 0 0 0 0 - 0 - 0 0 - - 0\n" +
		"3 web 6 name - 0 32 1 1 1 1 0 0 0 0 0 0 localhost 80 - 0 0 - - 0\n\n"
	got, err := parseServersState(answer, "web")
	if err != nil {
		t.Fatal(err)
	}
	nine := netip.MustParseAddrPort("127.0.0.9:1")
	want := []Server{
		{Name: "plain", ID: 1, Addr: netip.MustParseAddrPort("127.0.0.9:9999"), State: Ready, Since: 137 * time.Second},
		{Name: "was-disabled", ID: 2, Addr: nine, State: Ready, Since: 7 * time.Second, Checking: true},
		{Name: "disabled", ID: 3, Addr: nine, State: Maint, Since: 137 * time.Second, Checking: true},
		{Name: "six", ID: 4, Addr: netip.MustParseAddrPort("[2001:db8::1]:80"), State: Drain},
		{Name: "unix", ID: 5, State: Ready, Since: time.Second},
		{Name: "name", ID: 6, State: Maint, Since: time.Second},
	}
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b netip.AddrPort) bool { return a == b })); diff != "" {
		t.Errorf("servers (-want +got):\n%s", diff)
	}
}

func TestParseServersStateRefuses(t *testing.T) {
	const row = "3 web 1 plain 127.0.0.9 2 0 1 1 137 1 0 2 0 0 0 0 - 9999 - 0 0 - - 0\n"
	for says, answer := range map[string]string{
		"format \"\"":           "",
		"format \"2\"":          "2\n" + header26 + row,
		"no header":             "1\n",
		"before the header":     "1\n" + row,
		"no column srv_addr":    "1\n# be_name srv_id srv_name\n",
		"two columns":           "1\n# be_name srv_id srv_name srv_addr srv_admin_state x x srv_time_since_last_change srv_check_state srv_port\nweb 1 a - 0 x x 1 1\n",
		"3 fields of 25":        "1\n" + header26 + "3 web 1\n",
		"is not a number":       "1\n" + header26 + strings.Replace(row, "9999", "x", 1),
		"letters, digits":       "1\n" + header26 + strings.Replace(row, "plain", "pl;ain", 1),
		"answer for backend \"": "1\n" + header26 + strings.Replace(row, "web", "other", 1),
	} {
		if _, err := parseServersState(answer, "web"); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want one that says %q", err, says)
		}
	}
}

// parseStat returns the load of each server of the backend "web".
func parseStat(answer string) (map[string]load, error) {
	loads := make(map[string]load)
	err := readStat(answer, "web", func(server string, get func(string) string) error {
		l, err := parseLoad(get)
		loads[server] = l
		return err
	})
	return loads, err
}

func TestParseStat(t *testing.T) {
	got, err := parseStat("# pxname,svname,qcur,qmax,scur,last_chk,idle_conn_cur,used_conn_cur,\n" +
		"web,a,1,9,2,\"L4 \"\"x\"\", bad\",3,2,\nweb,b,0,9,0,,,,\nweb,c,0,0,1,,1,3,\n")
	want := map[string]load{"a": {sessions: 3, idle: 3}, "b": {}, "c": {sessions: 1, idle: 3}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(load{})); diff != "" || err != nil {
		t.Errorf("%v; loads (-want +got):\n%s", err, diff)
	}
	for says, answer := range map[string]string{
		"is no header":   "pxname",
		"no column scur": "# pxname,svname,qcur,\n",
		"no row":         "# pxname,svname,qcur,scur,\nother,a,1,1,\n",
		"count":          "# pxname,svname,qcur,scur,\nweb,a,1,-1,\n",
		"two columns":    "# pxname,svname,qcur,scur,,,idle_conn_cur\nweb,a,1,1,,,\n",
	} {
		if _, err := parseStat(answer); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want one that says %q", err, says)
		}
	}
}

func TestVersionsThatAddServers(t *testing.T) {
	for version, want := range map[string]bool{
		"1.8.30": false, "2.4.22-f8e3218": false, "2.5": false, "2.6.12-1+deb12u4": true,
		"2.6-dev3": true, "2.10.0": true, "3.0.11": true, "10.0": true, "custom": true,
	} {
		if got := addsServers(version); got != want {
			t.Errorf("%s: %v, want %v", version, got, want)
		}
	}
}

func TestNamesAreStable(t *testing.T) {
	// A change of these names would have every server replaced at an update.
	for addr, want := range map[string]string{
		"10.42.0.1:8080":      "sw-9d5d2ed5d893c78e7911427027378fd1",
		"[2001:db8::3]:8443":  "sw-5abb21ccaf833bd85bed63dd5bd457c9",
		"10.42.0.1:8080 zero": "",
	} {
		ap, err := netip.ParseAddrPort(addr)
		if err != nil {
			continue
		}
		if got := serverName(ap, Options{}.String()); got != want || !isOurs(got) {
			t.Errorf("%s: %s, want %s", addr, got, want)
		}
	}
	for _, name := range []string{"", "sw-", "sw-9d5d2ed5d893c78e7911427027378fd", "sw-9D5d2ed5d893c78e7911427027378fd1", "xw-9d5d2ed5d893c78e7911427027378fd1"} {
		if isOurs(name) {
			t.Errorf("%q counts as ours", name)
		}
	}
	for name, want := range map[string]bool{"srv1": true, "srv200": true, "srv": false, "srv01": false, "srv0": false, "srv1x": false, "web1": false} {
		if isSlot("srv", name) != want {
			t.Errorf("slot %q: %v", name, !want)
		}
	}
}

// FuzzRead feeds the three answers that Observe reads: no panic, and nothing is
// taken for ours that has another name.
func FuzzRead(f *testing.F) {
	fake := newFakeHAProxy("web")
	fake.exec("add server web/sw-9d5d2ed5d893c78e7911427027378fd1 10.42.0.1:8080 check")
	f.Add(fake.exec("show info"), fake.exec("show servers state web"), fake.exec("show stat 3 4 -1"))
	f.Add("Name: HAProxy\nVersion: 2.6\n", "1\n"+header26, "# pxname,svname,qcur,scur\n\"")
	f.Add("Name: x\nVersion: 1.8\n", "[3]: Can't find backend.\n", "[3]: No such proxy.\n")
	d := newDriver(f, "/run/haproxy.sock")
	f.Fuzz(func(t *testing.T, info, state, stat string) {
		o, err := d.read(info, state, stat)
		if err != nil {
			return
		}
		for _, s := range o.Servers {
			if !isOurs(s.Name) || s.Sessions < 0 || s.Idle < 0 || s.Since < 0 {
				t.Errorf("taken for ours: %+v", s)
			}
		}
		if len(o.Foreign()) != len(o.foreign) {
			t.Error("a foreign server is not reported")
		}
	})
}

// FuzzJudge: any answer to any command is an outcome or an error that is short.
func FuzzJudge(f *testing.F) {
	f.Add(uint8(verbAdd), "[6]: New server registered.\n")
	f.Add(uint8(verbDelete), "[3]: Server still has connections attached to it, cannot remove it.")
	f.Add(uint8(verbAddr), "[4]: no need to change the addr, no need to change the port by 'stats socket command'\n")
	f.Fuzz(func(t *testing.T, v uint8, answer string) {
		if _, err := judge(verb(v), answer); err != nil && len(err.Error()) > 2000 {
			t.Errorf("an error of %d bytes", len(err.Error()))
		}
	})
}

func TestJudge(t *testing.T) {
	for _, tc := range []struct {
		verb   verb
		answer string
		want   outcome
		says   string // of the error; "" for none
	}{
		{verbAdd, "[6]: New server registered.\n", done, ""},
		{verbAdd, "", done, "HAProxy says"},
		{verbAdd, "[3]: Already exists a server with the same name in backend.\n", exists, ""},
		{verbAdd, "[3]: 'id' : custom id 70 already used at (null):0 ('server sw-9d5d2ed5d893c78e7911427027378fd1').\n", exists, ""},
		{verbAdd, "[3]: invalid port '80000'\n", done, "invalid port"},
		{verbAdd, "[6]: Unknown command: 'add server', but maybe", done, "use mode slots"},
		{verbAddr, "[4]: IP changed from '::1' to '127.0.0.1' by 'stats socket command'\n", done, ""},
		{verbAddr, "[4]: port changed from '1' to '2' by 'stats socket command'\n", done, ""},
		{verbAddr, "[4]: no need to change the addr, no need to change the port by 'stats socket command'\n", done, ""},
		{verbAddr, "[4]: Update for the current server address family is only supported through configuration file by 'stats socket command'\n", done, "only supported through configuration file"},
		{verbAddr, "", done, "HAProxy says"},
		{verbReady, "", done, ""},
		{verbReady, "[3]: No such server.\n", done, "No such server"},
		{verbDrain, "[3]: No such server.\n", gone, ""},
		{verbDelete, "[6]: Server deleted.", done, ""},
		{verbDelete, "[3]: No such server.", gone, ""},
		{verbDelete, "[3]: Only servers in maintenance mode can be deleted.", held, ""},
		{verbDelete, "[3]: Server still has connections attached to it, cannot remove it.", held, ""},
		{verbDelete, "[3]: This server cannot be removed at runtime due to other configuration elements pointing to it.", done, "due to other configuration"},
		{verbDelete, "", done, "HAProxy says"},
		{verbMaint, "[3]: Permission denied\n", done, "level admin"},
		{verbEnableHealth, "[3]: Health check was not configured on this server, cannot enable.\n", done, "added without check"},
		{verbAdd, "[3]: No such backend.\n", done, "correct the name"},
	} {
		got, err := judge(tc.verb, tc.answer)
		if got != tc.want || (err == nil) != (tc.says == "") || err != nil && !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%d %q: %d, %v; want %d, %q", tc.verb, tc.answer, got, err, tc.want, tc.says)
		}
	}
}
