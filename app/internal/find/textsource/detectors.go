package textsource

// rooms has the detector for each kind of text.
var rooms = detectors{
	kindCode:     codeDetector{},
	kindHCL:      hclDetector{},
	kindShell:    scriptDetector{},
	kindLines:    linesDetector{},
	kindYAML:     yamlDetector{},
	kindTemplate: yamlDetector{},
	kindSettings: settingsDetector{},
}
