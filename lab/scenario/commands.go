package scenario

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// A command is one word of the scripts' language.
type command struct {
	usage string
	run   func(s *script, out io.Writer, args []string) error
}

// vocabulary is what scripts can say beyond testscript's own commands. The
// usages are the reference; docs/lab.md explains them.
//
// ADDRESSES are ranges with commas between ("10.42.0.1-10.42.0.9,10.43.0.7"),
// or "none". Words in capitals stand for what the script fills in.
var vocabulary = map[string]command{
	// Objects.
	"namespace": {"namespace NAME", (*script).cmdNamespace},
	"apply":     {"apply FILE...", (*script).cmdApply},
	"delete":    {"delete KIND/NAME...", (*script).cmdDelete},
	"patch":     {"patch KIND/NAME JSON", (*script).cmdPatch},
	"scale":     {"scale DEPLOYMENT REPLICAS", (*script).cmdScale},
	"rollout":   {"rollout DEPLOYMENT", (*script).cmdRollout},
	"slice":     {"slice NAME SERVICE ADDRESSES PORTNAME:PORT [not-ready=ADDRESSES] [terminating=ADDRESSES] [terminating-not-serving=ADDRESSES]", (*script).cmdSlice},
	"annotate":  {"annotate pods SELECTOR NAME=VALUE...", (*script).cmdAnnotate},
	"account":   {"account SERVICEACCOUNT KUBECONFIG", (*script).cmdAccount},

	// Waiting.
	"await": {"await rolled-out DEPLOYMENT | drained SERVICE | pods SELECTOR N | open BACKEND N | slices SERVICE ADDRESSES|N | file PATH REGEXP | get URL REGEXP | log PRODUCT REGEXP", (*script).cmdAwait},

	// The control plane.
	"crash":    {"crash COMPONENT", (*script).cmdCrash},
	"restart":  {"restart COMPONENT [--FLAG=VALUE...]", (*script).cmdRestart},
	"compact":  {"compact", (*script).cmdCompact},
	"snapshot": {"snapshot NAME RESOURCE", (*script).cmdSnapshot},
	"return":   {"return SNAPSHOT", (*script).cmdReturn},

	// Backends without Pods.
	"listen":   {"listen ADDRESSES PORT", (*script).cmdListen},
	"unlisten": {"unlisten ADDRESSES", (*script).cmdUnlisten},

	// The load balancer and the program under test.
	"haproxy":     {"haproxy start|stop|restart|reload|set COMMAND", (*script).cmdHAProxy},
	"servers":     {"servers [-all] BACKEND ADDRESSES", (*script).cmdServers},
	"follows":     {"follows BACKEND SERVICE", (*script).cmdFollows},
	"observe":     {"observe start NAME BACKEND SERVICE | observe stop NAME [FEWEST]", (*script).cmdObserve},
	"slicewright": {"slicewright start NAME ARGS... | kill NAME | stop NAME | again NAME | bounce NAME TIMES WITHIN", (*script).cmdSlicewright},

	// Consumers of Endpoints, and what find reads of a cluster.
	"consumer": {"consumer DEPLOYMENT MODE [-FLAG=VALUE...]", (*script).cmdConsumer},
	"raw":      {"raw PATH FILE", (*script).cmdRaw},
	"dump":     {"dump FOLDER NAMESPACE...", (*script).cmdDump},

	// Its metrics, read as anybody reads them.
	"credentials": {"credentials SERVICEACCOUNT FOLDER", (*script).cmdCredentials},
	"prometheus":  {"prometheus start CONFIG ADDRESS | prometheus stop", (*script).cmdPrometheus},

	// The whole experiment, and what the API server wrote of it.
	"audit":      {"audit FILE", (*script).cmdAudit},
	"experiment": {"experiment REPORT [-consumer=endpoints-reader] [-acts=ACT,...] [-skip=CHECK,...] [-patience=DURATION] [-deaf]", (*script).cmdExperiment},

	// What verify sees.
	"view": {"view SPEC ADDRESSES|unknown", (*script).cmdView},

	// Requests.
	"expect":  {"expect URL ADDRESSES", (*script).cmdExpect},
	"probe":   {"probe URL N | probe start NAME URL | probe stop NAME", (*script).cmdProbe},
	"request": {"request start NAME URL | request wait NAME", (*script).cmdRequest},
}

// errUsage says that a command was not written as its usage says.
var errUsage = errors.New("usage")

// commands adapts the vocabulary to testscript. "! COMMAND" wants it to fail.
func commands() map[string]func(*testscript.TestScript, bool, []string) {
	result := map[string]func(*testscript.TestScript, bool, []string){}
	for name, c := range vocabulary {
		result[name] = func(ts *testscript.TestScript, neg bool, args []string) {
			s := ts.Value(scriptKey{}).(*script)
			err := c.run(s, ts.Stdout(), args)
			switch {
			case errors.Is(err, errUsage):
				ts.Fatalf("%s: %v: %s", name, err, c.usage)
			case neg && err == nil:
				ts.Fatalf("%s: worked, and should not", name)
			case neg:
				fmt.Fprintln(ts.Stderr(), err)
			case err != nil:
				ts.Fatalf("%s: %v", name, err)
			}
		}
	}
	return result
}

// Usage lists the commands, one a line.
func Usage() string {
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(vocabulary)) {
		fmt.Fprintln(&text, vocabulary[name].usage)
	}
	return text.String()
}

// arguments checks their number.
func arguments(args []string, least, most int) error {
	if len(args) < least || most >= 0 && len(args) > most {
		return errUsage
	}
	return nil
}
