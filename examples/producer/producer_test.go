package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	discovery "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	k8stesting "k8s.io/client-go/testing"

	"github.com/slicewright/slicewright/endpointset"
	"github.com/slicewright/slicewright/producer"
)

func TestReadTellsAnEmptyListFromABrokenFile(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"a.csv", "address,zone\n10.0.0.1,a\n10.0.0.2,b\n", "[10.0.0.1 10.0.0.2]"},
		{"a.csv", "state,address\ndraining,10.0.0.1\n", "[10.0.0.1 draining]"},
		{"a.csv", "address\n", "[]"},
		{"a.csv", "", "error: the file is empty"},
		{"a.csv", "10.0.0.1\n", `error: column "10.0.0.1"`},
		{"a.csv", "zone\na\n", "error: there is no column address"},
		{"a.csv", "address,zone\n10.0.0.1\n", "error: record on line 2"},
		{"a.csv", "address\n10.0.0.\n", `error: machine 1: address "10.0.0."`},
		{"a.csv", "address,state\n10.0.0.1,gone\n", `error: machine 1: 10.0.0.1: state "gone"`},
		{"a.json", `[{"address":"10.0.0.1","zone":"a"},{"address":"2001:db8::1"}]`, "[10.0.0.1 2001:db8::1]"},
		{"a.json", `[]`, "[]"},
		{"a.json", ``, "error: EOF"},
		{"a.json", `null`, "error: null"},
		{"a.json", `[{"address":"10.0.0.1"},{"add`, "error: unexpected EOF"},
		{"a.json", `[{"ip":"10.0.0.1"}]`, "error: json: unknown field"},
		{"a.json", `[] []`, "error: something follows"},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), tt.name)
			write(t, file, tt.text)
			endpoints, err := read(file)
			got := "error: "
			if err != nil {
				got += strings.TrimPrefix(err.Error(), file+": ")
			} else {
				var words []string
				for _, e := range endpoints {
					words = append(words, e.Addr.String())
					if e.State != producer.Ready {
						words = append(words, e.State.String())
					}
				}
				got = fmt.Sprint(words)
			}
			if !strings.HasPrefix(got, tt.want) {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

// The file is the truth, and a file that cannot be read is not an empty file.
func TestRunFollowsTheFile(t *testing.T) {
	client := fake.NewClientset()
	client.PrependReactor("create", "endpointslices", func(a k8stesting.Action) (bool, runtime.Object, error) {
		a.(k8stesting.CreateAction).GetObject().(*discovery.EndpointSlice).Name = "prices-1"
		return false, nil, nil
	})
	file := filepath.Join(t.TempDir(), "vms.csv")
	write(t, file, "address\n10.0.0.1\n")
	p := &publisher{
		file: file,
		desired: producer.Desired{
			Service:   endpointset.ServiceKey{Namespace: "shop", Name: "prices"},
			ManagedBy: "vms.example.com",
			Subsets:   []producer.Subset{{Ports: []endpointset.Port{{Name: "pg", Number: 5432}}}},
		},
		writer: writerTo(client),
	}
	failed := make(chan struct{}, 16)
	p.log = slog.New(slog.NewTextHandler(announce(failed), &slog.HandlerOptions{Level: slog.LevelError}))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- p.run(ctx) }()

	wait(t, client, "10.0.0.1")
	write(t, file, "address\n10.0.0.1\n10.0.0.2\n")
	wait(t, client, "10.0.0.1 10.0.0.2")
	write(t, file, "")
	<-failed
	wait(t, client, "10.0.0.1 10.0.0.2")
	write(t, file, "address\n10.0.0.2\n")
	wait(t, client, "10.0.0.2")
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("run ended with %v", err)
	}
}

// announce is a log that says that something was logged.
type announce chan struct{}

func (s announce) Write(p []byte) (int, error) {
	s <- struct{}{}
	return len(p), nil
}

// write replaces a file as a careful program does.
func write(t *testing.T, file, text string) {
	t.Helper()
	next := file + ".next"
	if err := os.WriteFile(next, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(next, file); err != nil {
		t.Fatal(err)
	}
}

// wait waits until exactly these addresses are published.
func wait(t *testing.T, client *fake.Clientset, want string) {
	t.Helper()
	got := ""
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		list, err := client.DiscoveryV1().EndpointSlices("shop").List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var words []string
		for _, s := range list.Items {
			for _, e := range s.Endpoints {
				words = append(words, e.Addresses...)
			}
		}
		if got = strings.Join(words, " "); got == want {
			return
		}
	}
	t.Fatalf("published %q, want %q", got, want)
}
