// Package endpoint is a stub with the shape of the real one.
package endpoint

import "context"

type Endpoint func(ctx context.Context, request any) (any, error)
