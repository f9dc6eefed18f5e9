# Go is needed, for the tests also a C++ compiler and Python with pip. `make lint`
# fetches its tool through the module proxy.

GO ?= go

.PHONY: all build servers test bench lint cover clean

all: test build

build:
	$(GO) build -o bin/fmsop ./cmd/fmsop

# The model servers that tests talk to, and Python packages that check our
# statistics: minutes, once a machine.
servers:
	$(GO) run ./llm/localserver/install

test: servers
	$(GO) vet ./...
	$(GO) vet -tags hftokenizers ./tokens
	$(GO) test -timeout 20m ./...

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./...

lint:
	test -z "$$(gofmt -l .)" || { gofmt -l .; exit 1; }
	$(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...

cover: servers
	$(GO) test -coverpkg ./... -coverprofile cover.out ./...
	$(GO) tool cover -func cover.out | tail -n 1

clean:
	rm -rf bin cover.out
