package command

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/slicewright/slicewright/app/internal/api"
)

// version is set by the release build with -ldflags -X; a plain `go build` or
// `go install` falls back on the module's own build information.
var version = ""

// BuildInfo says which build of the program this is.
type BuildInfo struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Version    string `json:"version"`
	Revision   string `json:"revision,omitempty"`
	Go         string `json:"go"`
	Platform   string `json:"platform"`
}

// Build returns the information about this build.
func Build() BuildInfo {
	info := BuildInfo{
		APIVersion: api.Version,
		Kind:       "Version",
		Version:    version,
		Go:         runtime.Version(),
		Platform:   runtime.GOOS + "/" + runtime.GOARCH,
	}
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return info
	}
	if info.Version == "" {
		info.Version = build.Main.Version
	}
	for _, s := range build.Settings {
		if s.Key == "vcs.revision" {
			info.Revision = s.Value
		}
	}
	return info
}

// UserAgent is how audit logs know the product, and which command of it.
func UserAgent(command string) string {
	info := Build()
	return fmt.Sprintf("slicewright/%s (%s) %s", info.Version, info.Platform, command)
}
