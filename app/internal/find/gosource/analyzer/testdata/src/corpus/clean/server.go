package clean

import (
	"errors"
	"log"
	"net/http"
	"strings"
)

type router struct{}

func (router) GET(path string, h http.HandlerFunc) {}

func serve(mux *http.ServeMux, r router, h http.Handler) {
	mux.HandleFunc("/api/v1/endpoints", func(http.ResponseWriter, *http.Request) {})
	mux.Handle("GET /api/v1/endpoints/{id}", h)
	r.GET("/api/v1/endpoints", func(http.ResponseWriter, *http.Request) {})
}

func proxied(r *http.Request) bool {
	return strings.HasPrefix(r.URL.Path, "/api/v1/namespaces/default/endpoints") || r.URL.Path == "/api/v1/endpoints"
}

type tagged struct {
	Path string `json:"/api/v1/endpoints"`
}

func prose() error {
	log.Println("reading /api/v1/endpoints of kubernetes")
	return errors.New("cannot read /api/v1/namespaces/default/endpoints")
}
