package haproxy

import (
	"errors"
	"strings"
	"testing"
)

const (
	statHeader = "# pxname,svname,qcur,scur,stot,status,weight,bck,idle_conn_cur,used_conn_cur,\n"
	twoServers = "1\n" + header26 +
		"3 web 1 a 127.0.0.9 2 0 1 1 137 1 0 2 0 0 0 0 - 80 - 0 0 - - 0\n" +
		"3 web 2 b 2001:db8::1 2 0 1 1 137 1 0 2 0 0 0 0 - 80 - 0 0 - - 0\n"
)

func TestParseRows(t *testing.T) {
	rows, err := parseRows(twoServers, statHeader+"web,a,1,2,77,UP 1/3,1,0,,,\nweb,gone,0,0,0,UP,1,0,,,\nweb,b,0,0,,no check,0,1,4,0,\n", "web")
	if err != nil || len(rows) != 2 {
		t.Fatalf("%+v, %v", rows, err)
	}
	a, b := rows[0], rows[1]
	if a.Status != "UP 1/3" || a.Backup || a.Weight != 1 || a.Current != 2 || a.Total != 77 || a.Sessions != 3 || a.Addr.String() != "127.0.0.9:80" {
		t.Errorf("a: %+v", a)
	}
	if b.Status != "no check" || !b.Backup || b.Weight != 0 || b.Total != -1 || b.Idle != 4 || b.Addr.String() != "[2001:db8::1]:80" {
		t.Errorf("b: %+v", b)
	}
}

func TestParseRowsRefuses(t *testing.T) {
	for says, row := range map[string]string{
		"no word":        "web,a,0,0,0,,1,0,,,\n",
		`no word of`:     "web,a,0,0,0,UP\x1b[2J,1,0,,,\n",
		"weight":         "web,a,0,0,0,UP,-1,0,,,\n",
		"stot":           "web,a,0,0,-4,UP,1,0,,,\n",
		"count of sess":  "web,a,0,x,0,UP,1,0,,,\n",
		"is no row of":   "other,a,0,0,0,UP,1,0,,,\n",
		"is no row of b": "web,a\n",
	} {
		if _, err := parseRows(twoServers, statHeader+row, "web"); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: error %v, want one that says %q", row, err, says)
		} else if strings.ContainsFunc(err.Error(), func(r rune) bool { return r < ' ' }) {
			t.Errorf("control characters in %q", err)
		}
	}
	if _, err := parseRows("[3]: Can't find backend.\n", "", "web"); !errors.Is(err, ErrNoBackend) {
		t.Errorf("error %v, want ErrNoBackend", err)
	}
}

// FuzzRows: any two answers give rows or an error.
func FuzzRows(f *testing.F) {
	f.Add(twoServers, statHeader+"web,a,1,2,77,UP 1/3,1,0,,,\n")
	f.Add("1\n"+header26, noStat)
	f.Fuzz(func(t *testing.T, state, stat string) {
		rows, err := parseRows(state, stat, "web")
		if err != nil {
			return
		}
		for _, r := range rows {
			if r.Current < 0 || r.Total < -1 || r.Status == "" {
				t.Errorf("%+v", r)
			}
		}
	})
}
