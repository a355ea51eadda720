package haproxy

import (
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// Lines as HAProxy 2.6.12 writes them.
const state = `1
# be_id be_name srv_id srv_name srv_addr srv_op_state srv_admin_state srv_uweight srv_iweight srv_time_since_last_change srv_check_status srv_check_result srv_check_health srv_check_state srv_agent_state bk_f_forced_id srv_f_forced_id srv_fqdn srv_port srvrecord srv_use_ssl srv_check_port srv_check_addr srv_agent_addr srv_agent_port
3 web 1 a 10.42.1.1 2 0 1 1 0 1 0 0 0 0 0 0 - 8080 - 0 0 - - 0
3 web 2 b 10.42.1.2 2 8 1 1 0 1 0 0 0 0 0 0 - 8080 - 0 0 - - 0
3 web 3 c fd42::1 0 1 1 1 0 1 0 0 0 0 0 0 - 8080 - 0 0 - - 0
3 web 4 slot1 - 0 5 1 1 0 1 0 0 0 0 0 0 - 0 - 0 0 - - 0

`

func TestServersStateIsReadByItsColumnNames(t *testing.T) {
	got, err := parseServers(state)
	if err != nil {
		t.Fatal(err)
	}
	want := []Server{
		{Name: "a", Address: netip.MustParseAddrPort("10.42.1.1:8080")},
		{Name: "b", Address: netip.MustParseAddrPort("10.42.1.2:8080"), Drain: true},
		{Name: "c", Address: netip.MustParseAddrPort("[fd42::1]:8080"), Maintenance: true},
		{Name: "slot1", Maintenance: true},
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateComparable(netip.AddrPort{})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	active := 0
	for _, s := range got {
		if s.Active() {
			active++
		}
	}
	if active != 1 {
		t.Errorf("%d active servers, want a alone", active)
	}
}

func TestAnythingElseThanServersStateIsRefused(t *testing.T) {
	for _, answer := range []string{"", "Can't find backend.\n", "2\n# a\n", "1\nno header\n", state + "3 web\n"} {
		if servers, err := parseServers(answer); err == nil {
			t.Errorf("%.30q gives %v", answer, servers)
		}
	}
}

func FuzzParseServers(f *testing.F) {
	f.Add(state)
	f.Add("1\n# srv_name\nx\n")
	f.Fuzz(func(t *testing.T, answer string) { _, _ = parseServers(answer) })
}
