package program

import (
	_ "embed"

	"github.com/slicewright/slicewright/app/internal/find/textsource/table"
)

//go:embed clients.yaml
var clientTable []byte

// clients are the libraries and what their methods do.
var clients = table.Load[struct {
	Actions           []action                       `yaml:"actions"`
	Objects           table.Set                      `yaml:"objects"`
	Suffixes          table.Set                      `yaml:"suffixes"`
	Typed             map[string]string              `yaml:"typed"`
	Fabric8           map[string]string              `yaml:"fabric8"`
	Steps             table.Set                      `yaml:"steps"`
	Receivers         table.Set                      `yaml:"receivers"`
	ShortReceivers    table.Set                      `yaml:"short_receivers"`
	Fluent            map[string]string              `yaml:"fluent"`
	Pepr              map[string]string              `yaml:"pepr"`
	Generic           []action                       `yaml:"generic"`
	Rust              map[string]action              `yaml:"rust"`
	RustWatchers      table.Set                      `yaml:"rust_watchers"`
	Dispatchers       table.Set                      `yaml:"dispatchers"`
	Dynamic           map[string]string              `yaml:"dynamic"`
	ObjectsByKind     map[string]string              `yaml:"objects_by_kind"`
	ObjectsByVersion  map[string]string              `yaml:"objects_by_version"`
	Methods           map[string]string              `yaml:"methods"`
	Clients           map[string]map[string][]string `yaml:"clients"`
	FluentWords       table.Set                      `yaml:"fluent_words"`
	Modules           table.Set                      `yaml:"modules"`
	Terraform         table.Set                      `yaml:"terraform"`
	Blocks            map[string]action              `yaml:"blocks"`
	TerraformData     table.Set                      `yaml:"terraform_data"`
	TerraformCommands table.Set                      `yaml:"terraform_commands"`
}]("clients.yaml", clientTable)

// action is what a word in a method's name means.
type action struct {
	Word   string `yaml:"word"`
	With   string `yaml:"with"` // must be in the name, too
	Verb   string `yaml:"verb"`
	Access string `yaml:"access"`
}

//go:embed calls.yaml
var callTable []byte

// calls are what a call does with its strings.
var calls = table.Load[struct {
	Prose          table.Set `yaml:"prose"`
	ProsePrefixes  table.Set `yaml:"prose_prefixes"`
	ProseSuffixes  table.Set `yaml:"prose_suffixes"`
	ProseFields    table.Set `yaml:"prose_fields"`
	Runners        table.Set `yaml:"runners"`
	RunnerParts    table.Set `yaml:"runner_parts"`
	RunnerSuffixes table.Set `yaml:"runner_suffixes"`
	Routes         table.Set `yaml:"routes"`
	RouteMethods   table.Set `yaml:"route_methods"`
	Servers        table.Set `yaml:"servers"`
	Declared       table.Set `yaml:"declared"`
	NotDeclared    table.Set `yaml:"not_declared"`
}]("calls.yaml", callTable)
