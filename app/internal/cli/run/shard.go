package run

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/slicewright/slicewright/endpointset"
)

// A shard is one of several parts of all Services. The zero value is all.
type shard struct{ part, of uint64 }

// String returns "I/N", "" for all.
func (s *shard) String() string {
	if s.of == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.part, s.of)
}

// Set reads "I/N".
func (s *shard) Set(text string) error {
	part, of, ok := strings.Cut(text, "/")
	i, errPart := strconv.ParseUint(part, 10, 16)
	n, errOf := strconv.ParseUint(of, 10, 16)
	if !ok || errPart != nil || errOf != nil || i < 1 || i > n {
		return fmt.Errorf("%q is not I/N with I from 1 to N", text)
	}
	s.part, s.of = i, n
	return nil
}

// Type names the flag's value in usage texts.
func (s *shard) Type() string { return "I/N" }

// has reports whether a Service is in the shard. Every Service is in one.
func (s *shard) has(key endpointset.ServiceKey) bool {
	if s.of == 0 {
		return true
	}
	h := fnv.New64a()
	h.Write([]byte(key.String()))
	return h.Sum64()%s.of == s.part-1
}
