package haproxy

import (
	"strings"
	"testing"
	"time"
)

func TestConfigErrorsNameTheField(t *testing.T) {
	for field, change := range map[string]func(*Config){
		"socket: is empty":         func(c *Config) { c.Socket = "" },
		"socket: \"admin":          func(c *Config) { c.Socket = "admin.sock" },
		"socket: \"/run/a\\nb":     func(c *Config) { c.Socket = "/run/a\nb" },
		"socket: \"/xxx":           func(c *Config) { c.Socket = "/" + strings.Repeat("x", 107) },
		"port \"0\"":               func(c *Config) { c.Socket = "localhost:0" },
		"socket: \":9999\"":        func(c *Config) { c.Socket = ":9999" },
		"backend: is empty":        func(c *Config) { c.Backend = "" },
		"backend: \"a b\"":         func(c *Config) { c.Backend = "a b" },
		"backend: \"a;b\"":         func(c *Config) { c.Backend = "a;b" },
		"backend: \"a\\nb\"":       func(c *Config) { c.Backend = "a\nb" },
		"backend: \"a/b\"":         func(c *Config) { c.Backend = "a/b" },
		"longer than 200":          func(c *Config) { c.Backend = strings.Repeat("b", 201) },
		"mode: \"magic\"":          func(c *Config) { c.Mode = "magic" },
		"timeout: -1s":             func(c *Config) { c.Timeout = -time.Second },
		"slotPrefix: is for":       func(c *Config) { c.SlotPrefix = "srv" },
		"slotPrefix: is empty":     func(c *Config) { c.Mode = Slots },
		"server: options":          func(c *Config) { c.Mode, c.SlotPrefix, c.Server.Check = Slots, "srv", true },
		"serversFile: does not":    func(c *Config) { c.Mode, c.SlotPrefix, c.ServersFile = Slots, "srv", "/x" },
		"serversFile: \"x.cfg\"":   func(c *Config) { c.ServersFile = "x.cfg" },
		"serversFile: \"/x\\ny":    func(c *Config) { c.ServersFile = "/x\ny" },
		"serversDefaults: is for":  func(c *Config) { c.ServersDefaults = "tuned" },
		"serversDefaults: \"a\\n":  func(c *Config) { c.ServersFile, c.ServersDefaults = "/x", "a\nb" },
		"server.weight: 257":       func(c *Config) { c.Server.Weight = 257 },
		"server.maxConn: -1":       func(c *Config) { c.Server.MaxConn = -1 },
		"server.poolMaxConn: -2":   func(c *Config) { c.Server.PoolMaxConn = -2 },
		"server.check: interval":   func(c *Config) { c.Server.Rise = 1 },
		"server.interval: 1µs":     func(c *Config) { c.Server.Check, c.Server.Interval = true, time.Microsecond },
		"server.rise, fall: -1":    func(c *Config) { c.Server.Check, c.Server.Rise = true, -1 },
		"server.proto: \"quic\"":   func(c *Config) { c.Server.Proto = "quic" },
		"server.sendProxy: \"on\"": func(c *Config) { c.Server.SendProxy = "on" },
		"server.ssl: verify":       func(c *Config) { c.Server.SNI = "a" },
		"server.verify: \"\"":      func(c *Config) { c.Server.SSL = true },
		"server.caFile: is empty":  func(c *Config) { c.Server.SSL, c.Server.Verify = true, "required" },
		"server.caFile: \"/a b\"":  func(c *Config) { c.Server.SSL, c.Server.Verify, c.Server.CAFile = true, "none", "/a b" },
		"server.sni: \"a)\"":       func(c *Config) { c.Server.SSL, c.Server.Verify, c.Server.SNI = true, "none", "a)" },
	} {
		t.Run(field, func(t *testing.T) {
			config := Config{Socket: "/run/haproxy.sock", Backend: "web"}
			change(&config)
			if _, err := New(config); err == nil || !strings.Contains(err.Error(), field) {
				t.Errorf("error %v, want one with %q", err, field)
			}
		})
	}
}

func TestTargetNamesSocketAndBackend(t *testing.T) {
	if got, want := newDriver(t, "/run/haproxy.sock").Target(), "haproxy:/run/haproxy.sock/web"; got != want {
		t.Errorf("target %q, want %q", got, want)
	}
}

func TestTCPSocketsAreAccepted(t *testing.T) {
	for _, socket := range []string{"127.0.0.1:9999", "[::1]:9999", "haproxy.example.com:9999"} {
		if kind, err := network(socket); kind != "tcp" || err != nil {
			t.Errorf("%s: %q, %v", socket, kind, err)
		}
	}
}
