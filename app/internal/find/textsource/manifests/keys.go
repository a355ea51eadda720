package manifests

import (
	_ "embed"
	"strings"

	"github.com/slicewright/slicewright/app/internal/find/textsource/table"
)

//go:embed keys.yaml
var keyTable []byte

var keys = table.Load[struct {
	Commands        table.Set         `yaml:"commands"`
	CommandSuffixes table.Set         `yaml:"command_suffixes"`
	References      table.Set         `yaml:"references"`
	Ansible         map[string]string `yaml:"ansible"`
	Prose           table.Set         `yaml:"prose"`
	Expressions     table.Set         `yaml:"expressions"`
	Templates       table.Set         `yaml:"templates"`
}]("keys.yaml", keyTable)

// isCommandKey reports whether a key holds a command line or a script.
func isCommandKey(key string) bool {
	return keys.CommandSuffixes.EndsAny(key) || keys.Commands[key[strings.LastIndexByte(key, '.')+1:]]
}
