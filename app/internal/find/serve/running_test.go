package serve

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/slicewright/slicewright/app/internal/find/evidence"
	"github.com/slicewright/slicewright/app/internal/find/objects"
)

// A new account is asked for once, after a pause; a reading with holes does not
// take away what is known.
func TestWorkloadsAreReadAgainForANewAccount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var reads []time.Duration
		began := time.Now()
		answers := []struct {
			pods     []string
			problems int
			err      error
		}{{pods: []string{"a"}}, {pods: []string{"a", "b"}}, {problems: 1}, {err: errors.New("gone")}}
		read := func(context.Context) (*objects.Snapshot, evidence.Coverage, error) {
			answer := answers[min(len(reads), len(answers)-1)]
			reads = append(reads, time.Since(began))
			var s objects.Snapshot
			for _, name := range answer.pods {
				s.Pods = append(s.Pods, objects.Pod{Ref: objects.Ref{Kind: "Pod", Namespace: "n", Name: name}, Spec: objects.PodSpec{ServiceAccount: name}})
			}
			return &s, evidence.Coverage{Problems: make([]evidence.Problem, answer.problems)}, answer.err
		}
		r := newRunning()
		done := make(chan error, 1)
		go func() { done <- r.follow(ctx, slog.New(slog.DiscardHandler), read) }()
		workloadOf := func(account string) string {
			findings := []evidence.Finding{{Subject: evidence.Subject{ServiceAccount: "n/" + account}}}
			r.name(findings)
			return findings[0].Subject.Workload.Name
		}
		synctest.Wait()
		if workloadOf("a") != "a" || workloadOf("b") != "" {
			t.Fatal("after the first reading a is known and b is not")
		}
		time.Sleep(workloadsPause + time.Second)
		if workloadOf("b") != "b" || len(reads) != 2 {
			t.Fatalf("b is not known a pause later; read at %v", reads)
		}
		if workloadOf("elsewhere") != "" {
			t.Fatal("an account of nobody has a workload")
		}
		time.Sleep(3 * workloadsPause)
		if workloadOf("elsewhere") != "" || workloadOf("b") != "b" || len(reads) != 3 {
			t.Fatalf("an account under which nothing runs is asked for once, and a reading with holes takes nothing away; read at %v", reads)
		}
		time.Sleep(workloadsInterval + workloadsPause)
		if workloadOf("b") != "b" || len(reads) != 4 {
			t.Fatalf("the interval has passed, and a failed reading takes nothing away; read at %v", reads)
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}
