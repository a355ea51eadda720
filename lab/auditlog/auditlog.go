// Package auditlog reads from the API server's audit log who asked for
// Endpoints and for EndpointSlices.
package auditlog

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
)

// Log is an audit log from some moment on.
type Log struct {
	path string
	from int64 // bytes before that moment
}

// Now is the log at path from now on. One that is not there yet is empty.
func Now(path string) (Log, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return Log{path: path}, nil
	case err != nil:
		return Log{}, fmt.Errorf("look at the audit log: %w", err)
	}
	return Log{path: path, from: info.Size()}, nil
}

// CopyTo writes the events to a file, and returns the log from then on.
func (l Log) CopyTo(path string) (Log, error) {
	from, err := os.Open(l.path)
	if err != nil {
		return Log{}, fmt.Errorf("read the audit log: %w", err)
	}
	defer from.Close()
	if _, err := from.Seek(l.from, io.SeekStart); err != nil {
		return Log{}, fmt.Errorf("read the audit log: %w", err)
	}
	content, err := io.ReadAll(from)
	if err != nil {
		return Log{}, fmt.Errorf("read the audit log: %w", err)
	}
	// The line that is being written now is for the next part.
	content = content[:bytes.LastIndexByte(content, '\n')+1]
	if err := os.WriteFile(path, content, 0o600); err != nil {
		return Log{}, fmt.Errorf("copy the audit log: %w", err)
	}
	return Log{path: l.path, from: l.from + int64(len(content))}, nil
}

// Requests counts what somebody asked the API server for. A watch that has
// ended counts twice: its start and its end are events of their own.
type Requests struct {
	Endpoints, EndpointSlices int
	// Refused counts those of both that were answered 403.
	Refused int
	// Example is one request for Endpoints, "" if the log has no such
	// request.
	Example string
}

// Of counts the requests of a user. With a suffix, only those whose user agent
// ends with it.
func (l Log) Of(user, agentSuffix string) (Requests, error) {
	var r Requests
	err := l.read(func(e *auditv1.Event) {
		if e.User.Username != user || !strings.HasSuffix(e.UserAgent, agentSuffix) || e.ObjectRef == nil {
			return
		}
		r.count(e)
	})
	return r, err
}

func (r *Requests) count(e *auditv1.Event) {
	switch e.ObjectRef.APIGroup + "/" + e.ObjectRef.Resource {
	case "/endpoints":
		r.Endpoints++
		r.Example = fmt.Sprintf("%s %s by %q", e.Verb, e.RequestURI, e.UserAgent)
	case "discovery.k8s.io/endpointslices":
		r.EndpointSlices++
	default:
		return
	}
	if e.ResponseStatus != nil && e.ResponseStatus.Code == http.StatusForbidden {
		r.Refused++
	}
}

// read hands over every event. A line that an API server was killed in the
// middle of has the next server's first event behind it: what comes after its
// last beginning is read, the rest was never answered.
func (l Log) read(each func(*auditv1.Event)) error {
	file, err := os.Open(l.path)
	if err != nil {
		return fmt.Errorf("read the audit log: %w", err)
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || info.Size() < l.from {
		return fmt.Errorf("read the audit log: it is shorter than before (%v)", err)
	}
	if _, err := file.Seek(l.from, io.SeekStart); err != nil {
		return fmt.Errorf("read the audit log: %w", err)
	}
	const begin = `{"kind":"Event"`
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		line := lines.Text()
		if at := strings.LastIndex(line, begin); at > 0 {
			line = line[at:]
		}
		var e auditv1.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			continue // cut off: the log's end, or an API server's
		}
		each(&e)
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read the audit log: %w", err)
	}
	return nil
}
