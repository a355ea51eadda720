// Package convert is the command that writes slices for Endpoints.
package convert

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"github.com/slicewright/slicewright/app/internal/cli/command"
	"github.com/slicewright/slicewright/app/internal/find/rbac"
	"github.com/slicewright/slicewright/app/internal/output"
	"github.com/slicewright/slicewright/producer"
)

// maxManifest bounds what is read of one file. A List of every Endpoints object
// of a large cluster has some tens of megabytes.
const maxManifest = 256 << 20

type convertFlags struct {
	files     []string
	recursive bool
	output    string
	options   producer.ConvertOptions
}

func New(streams command.Streams) *cobra.Command {
	var flags convertFlags
	cmd := &cobra.Command{
		Use:   "convert -f FILE|DIR|-",
		Short: "Write EndpointSlices from Endpoints manifests, and the RBAC rules for them",
		Long: `Write EndpointSlices from Endpoints manifests, and the RBAC rules for them.

Reads YAML or JSON: many documents, Lists, what helm template or kubectl get
prints. No cluster is needed. Endpoints become EndpointSlices that say the same.
Roles and ClusterRoles that have rules for endpoints and lack them for
endpointslices are written with the rules added. Other objects are skipped.

All of it is converted or nothing: an object that cannot be is an error that
names its document and line. Warnings go to stderr.

The slices have a generateName, which kubectl create takes and kubectl apply
does not: use --stable-names for manifests that are applied.`,
		Example: `  slicewright convert -f endpoints.yaml --managed-by vm-publisher.example.com
  helm template shop | slicewright convert -f - --stable-names | kubectl apply -f -
  slicewright convert -f roles.yaml`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return convert(streams, flags) },
	}
	f := cmd.Flags()
	f.StringArrayVarP(&flags.files, "filename", "f", nil, `file or directory to convert, "-" for stdin; can be given more than once`)
	f.BoolVarP(&flags.recursive, "recursive", "R", false, "go into directories within directories")
	f.StringVarP(&flags.output, "output", "o", "yaml", "output format: yaml or json")
	f.StringVarP(&flags.options.Namespace, "namespace", "n", "", "namespace for objects that name none")
	f.StringVar(&flags.options.ManagedBy, "managed-by", producer.DefaultConvertManagedBy, "value of the slices' label endpointslice.kubernetes.io/managed-by: the name of who looks after them")
	f.IntVar(&flags.options.MaxEndpoints, "max-endpoints", producer.DefaultMaxEndpoints, fmt.Sprintf("how many endpoints a slice gets at most, 1 to %d", producer.MaxEndpoints))
	f.BoolVar(&flags.options.StableNames, "stable-names", false, "give each slice a name that stays the same, instead of a generateName")
	return cmd
}

func convert(streams command.Streams, flags convertFlags) error {
	if err := flags.validate(); err != nil {
		return err
	}
	flags.options.Carry = rbac.Carry
	names, err := manifestFiles(flags.files, flags.recursive)
	if err != nil {
		return err
	}
	var objects []any
	var warnings []string
	skipped := 0
	for _, name := range names {
		data, err := readManifest(streams.In, name)
		if err != nil {
			return err
		}
		c, err := producer.Convert(command.InputName(name), data, flags.options)
		if err != nil {
			return err
		}
		for _, s := range c.Slices {
			objects = append(objects, s)
		}
		for _, r := range c.Roles {
			objects = append(objects, r)
		}
		warnings = append(warnings, c.Warnings...)
		skipped += c.Skipped
	}
	for _, w := range warnings {
		fmt.Fprintln(streams.Err, "Warning: "+w)
	}
	if len(objects) == 0 {
		return fmt.Errorf("nothing to convert in %s: no Endpoints (v1) with addresses and no role that lacks a rule, %d other objects", strings.Join(flags.files, ", "), skipped)
	}
	text, err := manifest(objects, flags.output)
	if err != nil {
		return err
	}
	// One write, after all is known to be well: a pipe gets all or nothing.
	_, err = streams.Out.Write(text)
	return err
}

func (f *convertFlags) validate() error {
	if len(f.files) == 0 {
		return command.UsageErrorf(`say what to convert: -f FILE, -f DIR or -f -`)
	}
	if err := command.CheckOutput(f.output, []string{"yaml", "json"}); err != nil {
		return err
	}
	if f.options.MaxEndpoints < 1 || f.options.MaxEndpoints > producer.MaxEndpoints {
		return command.UsageErrorf("--max-endpoints %d: a slice holds 1 to %d", f.options.MaxEndpoints, producer.MaxEndpoints)
	}
	if err := producer.ValidateManagedBy(f.options.ManagedBy); err != nil {
		return command.UsageErrorf("--managed-by: %w", err)
	}
	if n := slices.IndexFunc(f.files, func(name string) bool { return name == "-" }); n >= 0 && slices.Contains(f.files[n+1:], "-") {
		return command.UsageErrorf("-f - is given twice: stdin can be read once")
	}
	return nil
}

// manifestFiles lists the files that are named, and those of the directories
// that are, in order. Of a directory only manifests are read, by their ending.
func manifestFiles(names []string, recursive bool) ([]string, error) {
	var files []string
	for _, name := range names {
		if name == "-" {
			files = append(files, name)
			continue
		}
		err := filepath.WalkDir(name, func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && path != name && !recursive:
				return filepath.SkipDir
			case !entry.IsDir() && (path == name || slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(path))):
				files = append(files, path)
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("read manifests: %w", err)
		}
	}
	return files, nil
}

func readManifest(stdin io.Reader, name string) ([]byte, error) {
	in := stdin
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("read manifests: %w", err)
		}
		defer file.Close()
		in = file
	}
	data, err := io.ReadAll(io.LimitReader(in, maxManifest+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", command.InputName(name), err)
	}
	if len(data) > maxManifest {
		return nil, fmt.Errorf("read %s: more than %d MiB: convert it in parts", command.InputName(name), maxManifest>>20)
	}
	return data, nil
}

// manifest writes objects as kubectl takes them: YAML documents or a JSON List.
func manifest(objects []any, format string) ([]byte, error) {
	var out bytes.Buffer
	if format == "json" {
		err := output.JSON(&out, map[string]any{"apiVersion": "v1", "kind": "List", "items": objects})
		return out.Bytes(), err
	}
	for i, object := range objects {
		text, err := yaml.Marshal(object)
		if err != nil {
			return nil, errors.Join(errors.New("write the manifest"), err)
		}
		if i > 0 {
			out.WriteString("---\n")
		}
		out.Write(text)
	}
	return out.Bytes(), nil
}
