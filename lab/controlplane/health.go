package controlplane

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/slicewright/slicewright/lab/process"
)

// pollInterval is how often a condition is looked at that nobody announces.
const pollInterval = 50 * time.Millisecond

// healthURL is where a component says that it is ready for work.
func healthURL(name string) string {
	switch name {
	case Etcd:
		return etcdURL + "/health"
	case APIServer:
		return fmt.Sprintf("https://127.0.0.1:%d/readyz", apiServerPort)
	case ControllerManager:
		return fmt.Sprintf("https://127.0.0.1:%d/healthz", controllerMgrPort)
	case Scheduler:
		return fmt.Sprintf("https://127.0.0.1:%d/healthz", schedulerPort)
	default:
		return fmt.Sprintf("http://127.0.0.1:%d/healthz", proxyHealthPort)
	}
}

// health asks one component's health page. The components sign their own
// certificates and the network is ours: there is nothing to verify.
func health(ctx context.Context, client *http.Client, name string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, healthURL(name), nil)
	if err != nil {
		return err
	}
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(answer.Body, 4<<10))
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", answer.Status, body)
	}
	return nil
}

func newHealthClient() *http.Client {
	return &http.Client{
		Timeout: 5 * time.Second,
		Transport: &http.Transport{
			DisableKeepAlives: true, // no idle connection to a component that was killed
			TLSClientConfig:   &tls.Config{InsecureSkipVerify: true},
		},
	}
}

// waitHealthy returns once the component is ready for work, or with the reason
// why it is not: its end, or its last answer when ctx ends.
func waitHealthy(ctx context.Context, name string, p *process.Process) error {
	client := newHealthClient()
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		err := health(ctx, client, name)
		if err == nil {
			return nil
		}
		select {
		case <-p.Done():
			return fmt.Errorf("%s ended: %w; the end of its log:\n%s", name, ended(p), p.LogTail(2000))
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready (%w): %w; its log is %s", name, context.Cause(ctx), err, p.Spec().Log)
		case <-ticker.C:
		}
	}
}

func ended(p *process.Process) error {
	if err := p.Err(); err != nil {
		return err
	}
	return fmt.Errorf("exit code 0")
}
