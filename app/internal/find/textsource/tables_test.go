package textsource

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/slicewright/slicewright/app/internal/find/textsource/detect"
	"github.com/slicewright/slicewright/app/internal/find/textsource/table"
)

// TestEveryRowOfTheTablesIsTried takes each row out of its table in turn. A row
// without which the examples read the same is a row that nobody has tried. The
// examples are the fixtures, and testdata/rows for names that no fixture needs.
func TestEveryRowOfTheTablesIsTried(t *testing.T) {
	texts := examples(t)
	before, spelled := map[string]string{}, map[string]string{}
	for name, data := range texts {
		before[name], spelled[name] = reading(name, data), spelling(string(data))
	}
	rows := 0
	for _, loaded := range table.All() {
		eachRow(reflect.ValueOf(loaded.Table).Elem(), loaded.Name, func(row, word string) {
			rows++
			word = spelling(word)
			for name, data := range texts {
				if strings.Contains(spelled[name], word) && reading(name, data) != before[name] {
					return
				}
			}
			t.Errorf("no example needs %s", row)
		})
	}
	if rows < 300 {
		t.Errorf("only %d rows", rows)
	}
}

// spelling drops what tells the spellings of one name in several languages.
func spelling(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

func examples(t *testing.T) map[string][]byte {
	t.Helper()
	texts := map[string][]byte{}
	for _, dir := range []string{"fixtures", "rows"} {
		err := filepath.WalkDir(filepath.Join("testdata", dir), func(name string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			texts[name], err = os.ReadFile(name)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return texts
}

// reading is what a text has, for comparing.
func reading(name string, data []byte) string {
	kind, _ := detect.FileOf(name)
	if kind.Kind == detect.Other {
		kind = detect.FileByContent(data)
	}
	w := (&scan{}).newWorker()
	w.judge(job{path: name}, kind, slices.Clone(data))
	return fmt.Sprintf("%+v", w.results)
}

// absent is in no text.
const absent = "\x00"

// eachRow calls try for each row below a value, while it is taken out. word is
// what a text must have for the row to matter.
func eachRow(v reflect.Value, path string, try func(row, word string)) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			eachRow(v.Field(i), path+" "+v.Type().Field(i).Name, try)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			row := path + " " + key.String()
			value := v.MapIndex(key)
			if below := value.Kind(); below == reflect.Map || below == reflect.Slice {
				eachRow(value, row, try)
				continue
			}
			v.SetMapIndex(key, reflect.Value{})
			try(row, key.String())
			v.SetMapIndex(key, value)
		}
	case reflect.Slice:
		for i := range v.Len() {
			row := v.Index(i)
			// A slice in a map cannot be made shorter.
			other := reflect.New(row.Type()).Elem()
			saved, word := reflect.New(row.Type()).Elem(), ""
			saved.Set(row)
			if row.Kind() == reflect.Struct {
				word = row.Field(0).String()
				other.Field(0).SetString(absent)
			} else {
				word = row.String()
				other.SetString(absent)
			}
			v.Index(i).Set(other)
			try(fmt.Sprintf("%s %s", path, word), word)
			v.Index(i).Set(saved)
		}
	}
}

// TestTablesAreWellFormed: each action is a verb of the API.
func TestTablesAreWellFormed(t *testing.T) {
	verbs := []string{"get", "list", "watch", "create", "update", "patch", "delete"}
	checked := 0
	for _, loaded := range table.All() {
		eachVerb(reflect.ValueOf(loaded.Table).Elem(), func(verb string) {
			checked++
			if !slices.Contains(verbs, verb) {
				t.Errorf("%s: %q is no verb of the API", loaded.Name, verb)
			}
		})
	}
	if checked < 100 {
		t.Errorf("only %d verbs", checked)
	}
}

// eachVerb calls check for each verb below a value: a field of that name, and
// the values of maps to text, which are notes where they have a blank.
func eachVerb(v reflect.Value, check func(string)) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Name == "Verb" {
				check(v.Field(i).String())
				continue
			}
			eachVerb(v.Field(i), check)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			if value := v.MapIndex(key); value.Kind() != reflect.String {
				eachVerb(value, check)
			} else if !strings.Contains(value.String(), " ") {
				check(value.String())
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			eachVerb(v.Index(i), check)
		}
	}
}
