// Package main is two packages away from the read.
package main

import (
	"context"

	"corpus/wrapper/app"
)

func main() {
	app.Sync(context.Background(), nil) // want `go/wrapper get`
}
