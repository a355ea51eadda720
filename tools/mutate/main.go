// Command mutate asks of tests whether they would notice a mistake. It swaps one
// operator at a time in a package's code, runs the package's tests, and prints
// each swap with which they still pass.
//
// No file of the tree is changed: the compiler reads the files of a package from a
// temporary folder (go test -overlay). They hold all swaps, and an environment
// variable says which one is made, so that a package is compiled once. The tests
// are those of the package and of the packages above it that import it. Without
// any they are those of all that import it.
//
// A place is left out if its line ends in a comment that says why both
// operators mean the same there:
//
//	if a.weight < b.weight { //mutate:same equal weights returned above
//
// The exit code is 0 if every swap was noticed, 1 if something failed, 2 for
// wrong usage, and 3 if a swap survived.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"text/tabwriter"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, out, errOut io.Writer) int {
	flags := flag.NewFlagSet("mutate", flag.ContinueOnError)
	flags.SetOutput(errOut)
	flags.Usage = func() {
		fmt.Fprintln(errOut, "usage: mutate [-n N] [-seed SEED] [-j JOBS] [-borders] PACKAGE...")
		flags.PrintDefaults()
	}
	n := flags.Int("n", 0, "try this many random places; 0 tries all")
	seed := flags.Uint64("seed", 0, "the random places to choose; 0 takes another seed each time, and prints it")
	jobs := flags.Int("j", 1, "swaps at once")
	borders := flags.Bool("borders", false, "swap < for <= in the place of >=, and so on: what tests do not look at is often the same there")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if flags.NArg() == 0 || *n < 0 || *jobs < 1 {
		flags.Usage()
		return 2
	}
	if *seed == 0 {
		*seed = rand.Uint64()
	}
	packages, err := load(ctx, flags.Args(), *borders)
	survived := 0
	if err == nil {
		survived, err = mutate(ctx, packages, *n, *seed, *jobs, out, errOut)
	}
	switch {
	case err != nil:
		fmt.Fprintln(errOut, "mutate:", err)
		return 1
	case survived > 0:
		return 3
	}
	return 0
}

// mutate tries n places of the packages, or all of them, and returns how many
// swaps survived.
func mutate(ctx context.Context, packages []*pkg, n int, seed uint64, jobs int, out, errOut io.Writer) (int, error) {
	var all []*place
	for _, p := range packages {
		if err := p.find(); err != nil {
			return 0, err
		}
		all = append(all, p.places...)
	}
	if n > 0 {
		fmt.Fprintf(errOut, "mutate: %d of %d places, -seed %d\n", min(n, len(all)), len(all), seed)
		random := rand.New(rand.NewPCG(seed, 0))
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	} else {
		n = len(all)
	}
	dir, err := os.MkdirTemp("", "mutate-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	t := &tally{left: n, seen: map[*pkg]*counts{}, out: out}
	var workers sync.WaitGroup
	next := make(chan *place)
	errs := make(chan error, jobs)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for range jobs {
		workers.Go(func() {
			for p := range next {
				o, err := try(ctx, dir, p)
				if err != nil {
					errs <- err
					cancel()
					return
				}
				t.add(p, o)
			}
		})
	}
	for _, p := range all {
		if !t.take() {
			break
		}
		select {
		case next <- p:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			break
		}
	}
	close(next)
	workers.Wait()
	// What was tried before an interrupt or an error is worth knowing.
	t.table()
	select {
	case err := <-errs:
		return 0, err
	default:
		return t.survived(), context.Cause(ctx)
	}
}

type counts struct{ noticed, survived, invalid int }

// tally counts what became of the swaps.
type tally struct {
	mu   sync.Mutex
	left int // guarded by mu: places still to be tried
	seen map[*pkg]*counts
	out  io.Writer
}

// take reports whether one more place is to be tried.
func (t *tally) take() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.left--
	return t.left >= 0
}

func (t *tally) add(p *place, o outcome) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.seen[p.in]
	if c == nil {
		c = &counts{}
		t.seen[p.in] = c
	}
	switch o {
	case noticed:
		c.noticed++
	case survived:
		c.survived++
		fmt.Fprintf(t.out, "%v\n\t%s\n", p, p.line)
	case invalid:
		// It does not compile, as a difference of two texts: another takes its turn.
		c.invalid++
		t.left++
	}
}

func (t *tally) survived() int {
	n := 0
	for _, c := range t.seen {
		n += c.survived
	}
	return n
}

func (t *tally) table() {
	var total counts
	w := tabwriter.NewWriter(t.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "TRIED\tNOTICED\tSURVIVED\tPACKAGE")
	row := func(name string, c counts) {
		fmt.Fprintf(w, "%d\t%d\t%d\t%s\n", c.noticed+c.survived, c.noticed, c.survived, name)
	}
	packages := make([]*pkg, 0, len(t.seen))
	for p := range t.seen {
		packages = append(packages, p)
	}
	slices.SortFunc(packages, func(a, b *pkg) int { return strings.Compare(a.ImportPath, b.ImportPath) })
	for _, p := range packages {
		c := *t.seen[p]
		total.noticed += c.noticed
		total.survived += c.survived
		if c.noticed+c.survived > 0 {
			row(p.ImportPath, c)
		}
	}
	row("total", total)
	w.Flush()
}
