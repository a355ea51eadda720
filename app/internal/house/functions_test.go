package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A function of more than so many lines or branches is several functions.
const (
	mostLines    = 60
	mostBranches = 20
)

// TestFunctionsAreShort holds all functions of the programs to a length that one
// look takes in. Those that were longer before are in long_functions.txt, whose
// number of lines only gets smaller.
func TestFunctionsAreShort(t *testing.T) {
	data, err := os.ReadFile("long_functions.txt")
	if err != nil {
		t.Fatal(err)
	}
	looked := 0
	var long []string
	err = filepath.WalkDir(app.Dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), "_")):
			return fs.SkipDir
		case filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			looked++
			lines := fset.Position(fn.End()).Line - fset.Position(fn.Pos()).Line + 1
			if lines > mostLines || branches(fn.Body) > mostBranches {
				rel, err := filepath.Rel(app.Dir, name)
				if err != nil {
					return err
				}
				long = append(long, fmt.Sprintf("%s %s", filepath.ToSlash(rel), fn.Name.Name))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if looked < 1000 {
		t.Errorf("only %d functions were looked at", looked)
	}
	// A function that is moved or gets another name is still one.
	listed := strings.Split(strings.TrimSpace(string(data)), "\n")
	if len(long) != len(listed) {
		t.Errorf("functions of more than %d lines or %d branches; make a new one shorter, take one that is short now off long_functions.txt (-listed +found):\n%s",
			mostLines, mostBranches, cmp.Diff(listed, long))
	}
}

// branches counts the places where a function can go on in two ways.
func branches(body ast.Node) int {
	count := 0
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt:
			count++
		case *ast.CaseClause:
			if n.List != nil {
				count++
			}
		case *ast.CommClause:
			if n.Comm != nil {
				count++
			}
		case *ast.BinaryExpr:
			if n.Op == token.LAND || n.Op == token.LOR {
				count++
			}
		}
		return true
	})
	return count
}
