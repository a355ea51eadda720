//go:build !unix

package textsource

import "os"

type rawFile struct{ *os.File }

func openFile(name string) (rawFile, error) {
	f, err := os.Open(name)
	return rawFile{f}, err
}

func (f rawFile) Close() { f.File.Close() }
