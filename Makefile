# Only Go is needed; `make lint` fetches its tool through the module proxy.

GO ?= go

.PHONY: all build test bench lint cover clean

all: test build

build:
	$(GO) build -o bin/fmsop ./cmd/fmsop

test:
	$(GO) vet ./...
	$(GO) test ./...

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./...

lint:
	test -z "$$(gofmt -l .)" || { gofmt -l .; exit 1; }
	$(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...

cover:
	$(GO) test -coverpkg ./... -coverprofile cover.out ./...
	$(GO) tool cover -func cover.out | tail -n 1

clean:
	rm -rf bin cover.out
