package textsource

import (
	"github.com/slicewright/slicewright/app/internal/find/textsource/detect"
	"github.com/slicewright/slicewright/app/internal/find/textsource/manifests"
	"github.com/slicewright/slicewright/app/internal/find/textsource/program"
	"github.com/slicewright/slicewright/app/internal/find/textsource/settings"
	"github.com/slicewright/slicewright/app/internal/find/textsource/shell"
)

// rooms has the detector for each kind of text.
var rooms = detect.Detectors{
	detect.Code:     program.Programs{},
	detect.HCL:      program.Terraform{},
	detect.Script:   shell.Scripts{},
	detect.Lines:    shell.Lines{},
	detect.YAML:     manifests.Detector{},
	detect.Template: manifests.Detector{},
	detect.Settings: settings.Detector{},
}
