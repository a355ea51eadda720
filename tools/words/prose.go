package main

import (
	"go/scanner"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
)

// proseOf returns the lines of a file that people read, by their numbers: those
// of Markdown without code, or the comments and strings of Go. Strings of tests
// are often input, and are not looked at.
func proseOf(name, content string) map[int]string {
	if filepath.Ext(name) == ".go" {
		return proseOfGo(content, !strings.HasSuffix(name, "_test.go"))
	}
	return proseOfMarkdown(content)
}

var codeSpan = regexp.MustCompile("`[^`]*`")

func proseOfMarkdown(content string) map[int]string {
	prose, number, inCode := map[int]string{}, 0, false
	for line := range strings.Lines(content) {
		number++
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			inCode = !inCode
			continue
		}
		if !inCode {
			prose[number] = codeSpan.ReplaceAllString(line, "``")
		}
	}
	return prose
}

func proseOfGo(content string, withStrings bool) map[int]string {
	prose := map[int]string{}
	files := token.NewFileSet()
	file := files.AddFile("", files.Base(), len(content))
	var s scanner.Scanner
	// Errors are for the compiler: the scanner goes on after them.
	s.Init(file, []byte(content), func(token.Position, string) {}, scanner.ScanComments)
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			return prose
		}
		if tok != token.COMMENT && !(tok == token.STRING && withStrings) {
			continue
		}
		number := file.Line(pos)
		for line := range strings.Lines(text) {
			prose[number] += line
			number++
		}
	}
}
