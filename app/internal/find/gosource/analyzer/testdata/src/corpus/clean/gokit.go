package clean

import (
	"context"

	"github.com/go-kit/kit/endpoint"
)

type goKitEndpoints struct{ List, Get endpoint.Endpoint }

func gokit(ctx context.Context, endpoints goKitEndpoints) {
	_, _ = endpoints.List(ctx, "endpoints")
}
