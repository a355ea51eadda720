package haproxy

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Options are what a server is added with. HAProxy does not apply its
// default-server line to servers added at run time, so what is not here is
// HAProxy's built-in default. The zero value adds no option.
//
// Options are part of a server's name (see docs/haproxy.md): when they change,
// each server is replaced, the new one coming in before the old one is drained.
type Options struct {
	// Weight is from 1 to 256; 0 means HAProxy's default, 1.
	Weight int
	// MaxConn bounds a server's concurrent connections; 0 means unlimited.
	MaxConn int
	// PoolMaxConn is how many idle connections HAProxy keeps for the next
	// request; -1 means any number. 0 leaves it to HAProxy, which before 3.0
	// keeps none for a server that was added at run time.
	PoolMaxConn int
	// Check has HAProxy check the server as the backend's configuration says.
	// Interval, Rise and Fall need it; 0 means HAProxy's default (2 s, 2, 3).
	Check      bool
	Interval   time.Duration
	Rise, Fall int
	// Proto forces the protocol spoken to the server: "h1", "h2" or "fcgi".
	// HAProxy accepts it for backends in http mode only.
	Proto string
	// SendProxy is "v1" or "v2" to send the PROXY protocol.
	SendProxy string
	// SSL speaks TLS to the server. Verify is then "required", which needs a
	// CAFile that HAProxy had loaded when it started, or "none". SNI is the host
	// name to ask for.
	SSL    bool
	Verify string
	CAFile string
	SNI    string
}

// validate checks what goes into a command. Each error starts with the field.
func (o Options) validate() error {
	switch {
	case o.Weight < 0 || o.Weight > 256:
		return fmt.Errorf("weight: %d is not from 1 to 256", o.Weight)
	case o.MaxConn < 0:
		return fmt.Errorf("maxConn: %d is negative", o.MaxConn)
	case o.PoolMaxConn < -1:
		return fmt.Errorf("poolMaxConn: %d is below -1, which means any number", o.PoolMaxConn)
	case !o.Check && (o.Interval != 0 || o.Rise != 0 || o.Fall != 0):
		return errors.New("check: interval, rise and fall need check to be on")
	case o.Interval < 0 || o.Interval%time.Millisecond != 0 || o.Interval > 24*time.Hour:
		return fmt.Errorf("interval: %v is not whole milliseconds up to a day", o.Interval)
	case o.Rise < 0 || o.Fall < 0 || o.Rise > 1000 || o.Fall > 1000:
		return fmt.Errorf("rise, fall: %d and %d are not from 1 to 1000", o.Rise, o.Fall)
	case o.Proto != "" && o.Proto != "h1" && o.Proto != "h2" && o.Proto != "fcgi":
		return fmt.Errorf("proto: %q is not one of h1, h2, fcgi", o.Proto)
	case o.SendProxy != "" && o.SendProxy != "v1" && o.SendProxy != "v2":
		return fmt.Errorf("sendProxy: %q is neither v1 nor v2", o.SendProxy)
	}
	return o.validateSSL()
}

func (o Options) validateSSL() error {
	switch {
	case !o.SSL && (o.Verify != "" || o.CAFile != "" || o.SNI != ""):
		return errors.New("ssl: verify, caFile and sni need ssl to be on")
	case !o.SSL:
		return nil
	case o.Verify != "required" && o.Verify != "none":
		return fmt.Errorf("verify: %q is neither required nor none", o.Verify)
	case o.Verify == "required" && o.CAFile == "":
		return errors.New("caFile: is empty, and verify is required")
	case strings.Trim(o.CAFile, letters+digits+"/._+@-") != "":
		return fmt.Errorf("caFile: %q may hold letters, digits and / . _ + @ - only", o.CAFile)
	case strings.Trim(o.SNI, letters+digits+".-") != "":
		return fmt.Errorf("sni: %q is not a host name", o.SNI)
	case len(o.CAFile) > 1024 || len(o.SNI) > 253:
		return errors.New("caFile, sni: too long")
	}
	return nil
}

// String returns the options as HAProxy reads them, each after a blank, always in
// the same order: names depend on it.
func (o Options) String() string {
	var b strings.Builder
	word := func(on bool, words ...string) {
		for _, w := range words {
			if on {
				b.WriteString(" " + w)
			}
		}
	}
	number := func(word string, n int64) {
		if n != 0 {
			b.WriteString(" " + word + " " + strconv.FormatInt(n, 10))
		}
	}
	number("weight", int64(o.Weight))
	number("maxconn", int64(o.MaxConn))
	if o.PoolMaxConn != 0 {
		number("pool-max-conn", int64(o.PoolMaxConn))
		// HAProxy 2.6 adds a server with a delay of 0, and then keeps nothing
		// whatever the number; 5 s is its default for configured servers.
		number("pool-purge-delay", 5000)
	}
	word(o.Check, "check")
	number("inter", o.Interval.Milliseconds())
	number("rise", int64(o.Rise))
	number("fall", int64(o.Fall))
	word(o.Proto != "", "proto", o.Proto)
	word(o.SendProxy == "v1", "send-proxy")
	word(o.SendProxy == "v2", "send-proxy-v2")
	word(o.SSL, "ssl", "verify", o.Verify)
	word(o.CAFile != "", "ca-file", o.CAFile)
	word(o.SNI != "", "sni", "str("+o.SNI+")")
	return b.String()
}
