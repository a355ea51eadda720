// Lab-consumer is what runs in the Pods of the scenarios about find: each mode
// uses the API as one kind of program does, under the name that it is told.
//
// It prints a line for each thing it did, so that scripts can wait for it, and
// goes on until it is ended.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// consumer is one run: who it is and how often it asks.
type consumer struct {
	config    *rest.Config
	name      string
	namespace string
	interval  time.Duration
	times     int // 0 is without end
}

var modes = map[string]func(*consumer, context.Context) error{
	"informer": (*consumer).inform,
	"lister":   (*consumer).list,
	"curl":     (*consumer).curl,
	"walker":   (*consumer).walk,
	"producer": (*consumer).produce,
	"election": (*consumer).elect,
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "lab-consumer:", err)
		os.Exit(1)
	}
}

func run() error {
	var c consumer
	flag.StringVar(&c.name, "name", "", "the program that it plays, in its user agent")
	flag.StringVar(&c.namespace, "namespace", "", "where it looks")
	flag.DurationVar(&c.interval, "interval", 200*time.Millisecond, "between two requests")
	flag.IntVar(&c.times, "times", 0, "requests to make, 0 for no end")
	kubeconfig := flag.String("kubeconfig", "", "who it is")
	flag.Parse()
	mode, ok := modes[flag.Arg(0)]
	if !ok || flag.NArg() != 1 {
		var names []string
		for name := range modes {
			names = append(names, name)
		}
		slices.Sort(names)
		return fmt.Errorf("want one mode of %s", strings.Join(names, ", "))
	}
	var err error
	if c.config, err = clientcmd.BuildConfigFromFlags("", *kubeconfig); err != nil {
		return fmt.Errorf("read the kubeconfig: %w", err)
	}
	c.config.UserAgent = c.name + "/v1.2.3 (linux/amd64) lab"
	c.config.QPS = -1
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return mode(&c, ctx)
}

// repeat does something as often as it was told and then waits for its end: a
// Pod whose program ends would be restarted. What is refused is tried again.
func (c *consumer) repeat(ctx context.Context, do func(context.Context) error) error {
	ticker := time.NewTicker(c.interval)
	defer ticker.Stop()
	for n := 1; c.times == 0 || n <= c.times; n++ {
		if err := do(ctx); err != nil {
			fmt.Printf("request %d: %v\n", n, err)
		} else {
			fmt.Printf("request %d: done\n", n)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
	fmt.Println("all requests made")
	<-ctx.Done()
	return nil
}
