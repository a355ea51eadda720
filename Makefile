# Every target installs or builds what it needs. `make help` lists them.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

# What the tests run for real. All of it is in Debian.
PACKAGES := haproxy nginx-light nftables iproute2 chromium prometheus postgresql jq ripgrep time curl

# As the control plane is built: with the same flags everywhere, what vet, tests
# and the lab have in common is compiled once.
export GOFLAGS := $(GOFLAGS) -trimpath

# The tools have a module of their own, so that nobody else gets their versions.
TOOLS := $(CURDIR)/bin/tools
GOTESTSUM := $(TOOLS)/gotestsum --format testname --format-hide-empty-pkg --

# The library and the programs: two modules in one workspace. The lab is a third,
# with a workspace of its own.
PRODUCT := ./... ./app/...

# Packages in which goroutines meet: their tests run once more, watched for races.
CONCURRENT := ./endpointset ./watch/... ./publish ./driver/... ./producer/... $(addprefix ./app/internal/,timeline/... find/audit/... verify/live verify/probe verify/hold/... verify/publication)

# Packages that import Kubernetes itself: staticcheck would have to read all of
# it first. go vet sees them.
KUBERNETES := /lab/(bench|cmd/lab-controlplane)$$

.PHONY: help
help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | column -t -s "$$(printf '\t')"

.PHONY: build
build: ## Build bin/slicewright and bin/slicewright-lab, without cgo: smaller on disk and in memory
	CGO_ENABLED=0 go build -trimpath -o bin/slicewright ./app/cmd/slicewright
	CGO_ENABLED=0 go build -C lab -trimpath -o ../bin/slicewright-lab ./cmd/slicewright-lab

$(TOOLS)/.installed: tools/go.mod tools/go.sum
	GOWORK=off GOBIN=$(TOOLS) go install -C tools tool
	@touch $@

.PHONY: deps
deps: ## Install the Debian packages that tests and demo run (asks apt only for what is missing)
	@missing=; for p in $(PACKAGES); do dpkg-query -W -f='$${Status}' $$p 2>/dev/null | grep -q 'ok installed' || missing="$$missing $$p"; done; \
	if [ -n "$$missing" ]; then \
	  echo "installing$$missing"; \
	  sudo=; if [ "$$(id -u)" != 0 ]; then sudo=sudo; fi; \
	  $$sudo apt-get update -q; DEBIAN_FRONTEND=noninteractive $$sudo apt-get install -q -y --no-install-recommends $$missing; \
	fi

.PHONY: control-plane
control-plane: ## Build the lab's Kubernetes control plane (a quarter of an hour the first time)
	go run -C lab ./cmd/slicewright-lab build

.PHONY: test
test: deps lint apidiff control-plane test-unit test-race test-consumers ## Everything: lint, all packages, race detector, lab scenarios, conformance of what needs no other module
	@# Both wait most of their time, each for a lab of its own.
	$(MAKE) --no-print-directory -j2 test-lab test-conformance
	@echo "make test: everything passed"

.PHONY: test-unit
test-unit: deps $(TOOLS)/.installed ## The product's packages, the tools' and the lab's own
	$(GOTESTSUM) -timeout 15m $(PRODUCT)
	@# The go command does not see what these tests read: a cached result may be old.
	go test -count=1 ./internal/house ./app/internal/house/...
	cd tools && GOWORK=off $(GOTESTSUM) ./...
	cd lab && $(GOTESTSUM) -timeout 15m $$(go list ./... | grep -vE '/lab/(scenarios|conformance/played)$$')

.PHONY: test-consumers
test-consumers: export GOWORK := off
test-consumers: $(TOOLS)/.installed ## What is ours in the modules around other people's consumers (the first build takes 10 minutes)
	for m in coredns grpc; do (cd lab/consumers/$$m && go vet ./... && $(TOOLS)/staticcheck ./... && go test ./...); done

.PHONY: test-race
test-race: deps $(TOOLS)/.installed ## Packages with goroutines, under the race detector
	$(GOTESTSUM) -race -short -timeout 20m $(CONCURRENT)

.PHONY: test-lab
test-lab: deps $(TOOLS)/.installed control-plane ## Scenarios against a real control plane, real listeners and a real HAProxy
	cd lab && $(TOOLS)/gotestsum --format testname -- -count=1 -timeout 30m ./scenarios

.PHONY: test-conformance
test-conformance: deps $(TOOLS)/.installed control-plane ## The conformance scenarios with our consumers, kube-proxy, and two that are wrong
	cd lab && $(TOOLS)/gotestsum --format testname -- -count=1 -timeout 20m ./conformance/played

.PHONY: conformance
conformance: deps control-plane ## Run every consumer through every scenario, and write docs/conformance.md
	go run -C lab ./cmd/slicewright-lab conformance --write

# Swaps that survive are places where a mistake would go unnoticed. Neither
# make test nor CI runs it: CONTRIBUTING.md says how it is used.
.PHONY: mutate
mutate: ## Swap one operator at a time and print what no test notices: PACKAGE=./endpointset (all places), N=200 SEED=7 (random ones)
	@GOWORK=off go build -C tools -o $(TOOLS)/mutate ./mutate
	@nice $(TOOLS)/mutate $(if $(N),-n $(N)) $(if $(SEED),-seed $(SEED)) $(if $(JOBS),-j $(JOBS)) $(if $(BORDERS),-borders) $(or $(PACKAGE),$(PRODUCT))

.PHONY: lint
lint: $(TOOLS)/.installed ## gofumpt, go vet, staticcheck, and words to avoid in added text (see CONTRIBUTING.md)
	@unformatted=$$($(TOOLS)/gofumpt -l $$(git ls-files -co --exclude-standard '*.go' | grep -v /testdata/)); \
	if [ -n "$$unformatted" ]; then echo "not formatted (run make format):"; echo "$$unformatted"; exit 1; fi
	go vet $(PRODUCT)
	$(TOOLS)/staticcheck $(PRODUCT)
	cd lab && go vet ./... && $(TOOLS)/staticcheck $$(go list ./... | grep -vE '$(KUBERNETES)')
	cd tools && GOWORK=off go vet ./... && GOWORK=off $(TOOLS)/staticcheck ./...
	GOWORK=off go run -C tools ./words

.PHONY: apidiff
apidiff: $(TOOLS)/.installed ## What changed in the library's public API since the last release (or BASE=REVISION)
	APIDIFF=$(TOOLS)/apidiff tools/apidiff.sh $(BASE)

.PHONY: format
format: $(TOOLS)/.installed ## Format all Go code
	$(TOOLS)/gofumpt -w $$(git ls-files -co --exclude-standard '*.go' | grep -v /testdata/)

.PHONY: tidy
tidy: ## Tidy the module files of library, programs and lab
	tools/tidy.sh

.PHONY: bench
bench: deps ## Benchmarks beside kube-proxy's own code, and of reading audit logs beside jq
	app/internal/find/audit/bench/bench.sh
	cd lab && go test -run '^$$' -bench . -count 3 -timeout 30m ./bench

.PHONY: demo
demo: deps ## The main job on the lab: 240 real backends, a real HAProxy, and what an Endpoints reader would do
	$(MAKE) --no-print-directory build
	cd lab && ../bin/slicewright-lab demo

.PHONY: experiment
experiment: deps ## The stop experiment for real, from Kubernetes 1.36 to 1.37 on the same data (the first time it builds both)
	$(MAKE) --no-print-directory build
	cd lab && ../bin/slicewright-lab experiment --from v1.36.3 --out ../bin/experiment.json

.PHONY: clean
clean: ## Remove what was built here (the lab's cache stays: see docs/lab.md)
	rm -rf bin dist
