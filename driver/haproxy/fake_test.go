package haproxy

import (
	"bufio"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// fakeServer is a server of the model HAProxy.
type fakeServer struct {
	id              int
	name, ip        string
	port            int
	admin           int
	sessions, idle  int
	changed         int64
	check, checking bool
}

func (s *fakeServer) maint() bool { return s.admin&adminMaint != 0 }
func (s *fakeServer) ready() bool { return s.admin&(adminMaint|adminDrain) == 0 }

// fakeHAProxy is a model of HAProxy 2.6's runtime API with its validation and its
// words. TestParity holds it to the real one.
type fakeHAProxy struct {
	mu       sync.Mutex
	version  string
	level    string // "user" refuses all changes
	now      int64
	backends map[string][]*fakeServer
	after    func(line string) // called after each change, with mu held

	lines       []string // commands that change something
	connections int
	hold        func(conn net.Conn, line string) // called before each command, without mu
}

func newFakeHAProxy(backends ...string) *fakeHAProxy {
	f := &fakeHAProxy{version: "2.6.12", level: "admin", now: 1000, backends: make(map[string][]*fakeServer)}
	for _, b := range backends {
		f.backends[b] = nil
	}
	return f
}

// listen serves the model on a unix socket until the test ends.
func (f *fakeHAProxy) listen(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "admin.sock")
	serveUnix(t, path, f.serve)
	return path
}

// serveUnix calls handle for each connection to path, and waits for all at the
// end of the test.
func serveUnix(t testing.TB, path string, handle func(net.Conn)) {
	t.Helper()
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() { defer conn.Close(); handle(conn) })
		}
	})
	t.Cleanup(func() { l.Close(); all.Wait() })
}

func (f *fakeHAProxy) serve(conn net.Conn) {
	f.mu.Lock()
	f.connections++
	f.mu.Unlock()
	in := bufio.NewReaderSize(conn, 16<<10)
	prompt, severity := false, false
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return // a line longer than the buffer ends the connection, as there
		}
		text := strings.TrimSuffix(string(line), "\n")
		if f.hold != nil {
			f.hold(conn, text)
		}
		answer := ""
		switch text {
		case "prompt":
			prompt = !prompt
		case "set severity-output number":
			severity = true
		default:
			answer = f.exec(text)
		}
		if !severity && strings.HasPrefix(answer, "[") {
			_, answer, _ = strings.Cut(answer, "]: ")
		}
		answer += "\n"
		if prompt {
			answer += "> "
		}
		if _, err := conn.Write([]byte(answer)); err != nil || !prompt {
			return
		}
	}
}

// exec carries out one command and returns the answer up to the newline that is
// before the prompt.
func (f *fakeHAProxy) exec(line string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	words := strings.Fields(line)
	is := func(prefix string) bool { return strings.HasPrefix(line, prefix+" ") }
	arg := func(i int) string {
		if i < len(words) {
			return words[i]
		}
		return ""
	}
	switch {
	case line == "show info":
		return "Name: HAProxy\nVersion: " + f.version + "\nPid: 1\n"
	case is("show servers state"):
		return f.showState(arg(3))
	case is("show stat"):
		return f.showStat(arg(2))
	}
	if f.level != "admin" {
		return "[3]: Permission denied\n"
	}
	var answer string
	switch {
	case is("add server"):
		answer = f.add(arg(2), words[3:])
	case is("del server"):
		answer = f.del(arg(2))
	case is("set server"):
		answer = f.set(arg(2), arg(3), words[4:])
	case is("enable health"):
		answer = f.enableHealth(arg(2))
	case is("shutdown sessions server"):
		answer = f.shutdown(arg(3))
	default:
		return "[6]: Unknown command, but maybe one of the following ones is a better match:\n"
	}
	f.lines = append(f.lines, line)
	if f.after != nil {
		f.after(line)
	}
	return answer
}

func (f *fakeHAProxy) find(ref string) (backend string, s *fakeServer) {
	backend, name, _ := strings.Cut(ref, "/")
	for _, s := range f.backends[backend] {
		if s.name == name {
			return backend, s
		}
	}
	return backend, nil
}

func (f *fakeHAProxy) add(ref string, args []string) string {
	backend, s := f.find(ref)
	if _, ok := f.backends[backend]; !ok {
		return "[3]: No such backend."
	}
	if other := f.holder(backend, args); other != nil {
		return fmt.Sprintf("[3]: 'id' : custom id %d already used at (null):0 ('server %s').\n", other.id, other.name)
	}
	if s != nil {
		return "[3]: Already exists a server with the same name in backend.\n"
	}
	_, name, _ := strings.Cut(ref, "/")
	s = &fakeServer{name: name, admin: 1, changed: f.now}
	if ap, err := netip.ParseAddrPort(args[0]); err == nil {
		s.ip, s.port = ap.Addr().String(), int(ap.Port())
	} else {
		s.ip = "0.0.0.0" // a host name that nobody resolves: accepted, as there
	}
	for _, a := range args[1:] {
		s.check = s.check || a == "check"
	}
	s.id = optionID(args)
	f.insert(backend, s)
	return "[6]: New server registered.\n"
}

// optionID is the number after "id", 0 without an id.
func optionID(args []string) int {
	at := slices.Index(args, "id")
	if at < 0 {
		return 0
	}
	id, _ := strconv.Atoi(args[at+1])
	return id
}

// holder is the server that has the id that a new one asks for.
func (f *fakeHAProxy) holder(backend string, args []string) *fakeServer {
	id := optionID(args)
	for _, s := range f.backends[backend] {
		if id != 0 && s.id == id {
			return s
		}
	}
	return nil
}

// insert gives a server without one the lowest free id, and its place by id, as
// HAProxy does.
func (f *fakeHAProxy) insert(backend string, s *fakeServer) {
	list := f.backends[backend]
	if s.id == 0 {
		s.id = 1
		for i := 0; i < len(list) && list[i].id == s.id; i++ {
			s.id++
		}
	}
	i := 0
	for i < len(list) && list[i].id < s.id {
		i++
	}
	f.backends[backend] = append(list[:i:i], append([]*fakeServer{s}, list[i:]...)...)
}

func (f *fakeHAProxy) del(ref string) string {
	backend, s := f.find(ref)
	if _, refused := f.locate(ref); s == nil {
		return strings.TrimSuffix(refused, "\n")
	}
	switch {
	case !s.maint():
		return "[3]: Only servers in maintenance mode can be deleted."
	case s.sessions+s.idle > 0:
		return "[3]: Server still has connections attached to it, cannot remove it."
	}
	list := f.backends[backend]
	for i := range list {
		if list[i] == s {
			f.backends[backend] = append(list[:i:i], list[i+1:]...)
			break
		}
	}
	return "[6]: Server deleted."
}

func (f *fakeHAProxy) set(ref, what string, args []string) string {
	s, refused := f.locate(ref)
	if s == nil {
		return refused
	}
	switch what {
	case "state":
		admin := map[string]int{"ready": 0, "drain": 8, "maint": 1}
		to, ok := admin[args[0]]
		if !ok {
			return "[3]: 'set server <srv> state' expects 'ready', 'drain' and 'maint'.\n"
		}
		if s.admin&^4 != to {
			s.changed = f.now
		}
		s.admin = s.admin&4 | to
	case "addr":
		port, _ := strconv.Atoi(args[2])
		answer := "no need to change the addr"
		if s.ip != args[0] {
			answer = fmt.Sprintf("IP changed from '%s' to '%s'", s.ip, args[0])
		}
		if s.port != port {
			answer += fmt.Sprintf(", port changed from '%d' to '%d'", s.port, port)
		} else {
			answer += ", no need to change the port"
		}
		s.ip, s.port = args[0], port
		return "[4]: " + answer + " by 'stats socket command'\n"
	}
	return ""
}

// locate finds a server, or returns HAProxy's words for what is missing.
func (f *fakeHAProxy) locate(ref string) (*fakeServer, string) {
	backend, s := f.find(ref)
	switch _, ok := f.backends[backend]; {
	case !ok:
		return nil, "[3]: No such backend.\n"
	case s == nil:
		return nil, "[3]: No such server.\n"
	}
	return s, ""
}

func (f *fakeHAProxy) enableHealth(ref string) string {
	s, refused := f.locate(ref)
	switch {
	case s == nil:
		return refused
	case !s.check:
		return "[3]: Health check was not configured on this server, cannot enable.\n"
	}
	s.checking = true
	return ""
}

func (f *fakeHAProxy) shutdown(ref string) string {
	s, refused := f.locate(ref)
	if s == nil {
		return refused
	}
	s.sessions = 0
	return ""
}

func (f *fakeHAProxy) showState(backend string) string {
	list, ok := f.backends[backend]
	if !ok {
		return "[3]: Can't find backend.\n"
	}
	var b strings.Builder
	b.WriteString("1\n# be_id be_name srv_id srv_name srv_addr srv_op_state srv_admin_state srv_uweight srv_iweight srv_time_since_last_change srv_check_status srv_check_result srv_check_health srv_check_state srv_agent_state bk_f_forced_id srv_f_forced_id srv_fqdn srv_port srvrecord srv_use_ssl srv_check_port srv_check_addr srv_agent_addr srv_agent_port\n")
	for _, s := range list {
		check := 0
		if s.check {
			check |= 2
		}
		if s.checking {
			check |= checkOn
		}
		fmt.Fprintf(&b, "%s %s %d %s %s 2 %d 1 1 %d 1 0 0 %d 0 0 0 - %d - 0 0 - - 0\n", f.id(backend), backend, s.id, s.name, s.ip, s.admin, f.now-s.changed, check, s.port)
	}
	return b.String()
}

// id is HAProxy's number of a backend.
func (f *fakeHAProxy) id(backend string) string {
	names := slices.Sorted(maps.Keys(f.backends))
	return strconv.Itoa(3 + slices.Index(names, backend))
}

// showStat knows the backends by number alone: a frontend has each of their
// names, and comes first. An unknown number has no rows.
func (f *fakeHAProxy) showStat(id string) string {
	var backend string
	for name := range f.backends {
		if f.id(name) == id {
			backend = name
		}
	}
	list := f.backends[backend]
	var b strings.Builder
	b.WriteString("# pxname,svname,qcur,qmax,scur,idle_conn_cur,last_chk,\n")
	for _, s := range list {
		fmt.Fprintf(&b, "%s,%s,0,0,%d,%d,\"\",\n", backend, s.name, s.sessions, s.idle)
	}
	return b.String()
}
