// Package settings knows the libraries that discover through Endpoints by
// default, and the settings that turn them to EndpointSlices. It reads dependency
// lists, properties and env files.
package settings
