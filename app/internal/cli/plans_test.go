package cli

import (
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/slicewright/slicewright/app/internal/cli/command"
	"github.com/slicewright/slicewright/app/internal/readiness/experiment"
)

// Every command of ours that a plan prints exists and takes the printed flags.
func TestThePlansCommandsExist(t *testing.T) {
	out, errs, code := runProgram(t, "", "experiment", "plan", "-o", "json", "--service", "shop/cart", "--workload", "deployment/cart",
		"--from-manifest", "../readiness/experiment/testdata/kube-controller-manager.yaml")
	if code != command.ExitHolds {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	var p experiment.Plan
	if err := json.Unmarshal([]byte(out), &p); err != nil {
		t.Fatal(err)
	}
	looked := map[string]bool{}
	for _, step := range append(p.Steps, *p.Back) {
		var commands []string
		for _, a := range step.Do {
			commands = append(commands, a.Command)
		}
		for _, e := range step.Expect {
			commands = append(commands, e.Command)
		}
		for _, text := range commands {
			args := wordsOf(text)
			if len(args) == 0 || args[0] != "slicewright" {
				continue
			}
			root := slicewright.Root(command.Streams{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard})
			cmd, rest, err := root.Find(args[1:])
			if err == nil {
				err = cmd.ParseFlags(rest)
			}
			if err == nil && cmd.Args != nil {
				err = cmd.Args(cmd, cmd.Flags().Args())
			}
			if err != nil || cmd == root {
				t.Errorf("step %s: %s: %v", step.Name, text, err)
				continue
			}
			looked[cmd.Name()] = true
		}
	}
	for _, name := range []string{"gate", "shadow", "verify", "plan"} {
		if !looked[name] {
			t.Errorf("no step uses %s", name)
		}
	}
}

// wordsOf splits a command as a shell does, as far as plans use one: single quotes,
// and a file to write to at the end.
func wordsOf(command string) []string {
	command, _, _ = strings.Cut(command, " > ")
	var words []string
	for i, part := range strings.Split(command, "'") {
		if i%2 == 1 {
			words = append(words, part)
		} else {
			words = append(words, strings.Fields(part)...)
		}
	}
	return words
}
