# The only set-up a newcomer needs. Each target installs what it lacks, then works.
#
#   make run        open Coterie, built from this checkout
#   make test       formatting, lints, every test, and the installed .deb in a real window
#   make bench      the measurements of docs/benchmarks.md
#   make bench-large  searches among very many texts, beside other stores of vectors
#   make bundle     the .deb that people install, with engine and models inside
#   make check-others  that the code for Windows and macOS compiles; what it needs for that comes from the network
#
# Downloads and compiled code go to $COTERIE_CACHE or ~/.cache/coterie if there is
# one, so that they outlive this checkout; else they stay in it.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := run
# Set-up comes before what needs it, also under `make -j`.
.NOTPARALLEL:
.PHONY: run test test-full bench bench-large bundle check-others setup setup-test assets assets-test ui fmt lint icons clean-ours

CACHE := $(or $(COTERIE_CACHE),$(wildcard $(HOME)/.cache/coterie))
export CARGO_TARGET_DIR ?= $(if $(CACHE),$(CACHE)/target,$(CURDIR)/target)

run: setup assets ui
	cargo build -p coterie-desktop -p coterie -p engine -p processes
	exec "$(CARGO_TARGET_DIR)/debug/coterie-desktop"

test: setup-test assets-test ui
	tools/test.sh

# The same tests with far more kills, far more random cases and a whole working day: hours, not minutes.
test-full: setup-test assets-test ui
	COTERIE_KILLS=$${COTERIE_KILLS:-5000} PROPTEST_CASES=$${PROPTEST_CASES:-5000} \
	COTERIE_ORPHAN_TRIES=$${COTERIE_ORPHAN_TRIES:-100} COTERIE_FUZZ_CASES=$${COTERIE_FUZZ_CASES:-1000000} \
	COTERIE_SOAK_HOURS=$${COTERIE_SOAK_HOURS:-8} NEXTEST_PROFILE=full tools/test.sh

# What `bench stream` and `bench embed` compare with. Without it the rest is measured all the same.
BENCH_PYTHON := openai==3.54.0 onnxruntime==1.31.1 tokenizers==0.23.2 numpy==2.4.6
BENCH_PYTHON_FOLDER := $(or $(CACHE),$(CURDIR)/assets/.work)/python-bench

SLOW_SYNC := $(or $(CACHE),$(CURDIR)/assets/.work)/slow_sync.so

bench: setup-test assets ui
	tools/setup.sh build bench
	test -d "$(BENCH_PYTHON_FOLDER)" || python3 -m pip install --quiet --disable-pip-version-check \
	--target "$(BENCH_PYTHON_FOLDER)" $(BENCH_PYTHON) || rm -rf "$(BENCH_PYTHON_FOLDER)"
	cargo build --release -p coterie-desktop -p coterie -p engine -p processes
	"$(CARGO_TARGET_DIR)/release/coterie" bench bus
	mkdir -p "$(dir $(SLOW_SYNC))"
	cc -O2 -shared -fPIC -o "$(SLOW_SYNC)" bench/slow_sync.c -ldl
	LD_PRELOAD="$(SLOW_SYNC)" "$(CARGO_TARGET_DIR)/release/coterie" bench bus --slow-disk
	"$(CARGO_TARGET_DIR)/release/coterie" bench agents 10000
	"$(CARGO_TARGET_DIR)/release/coterie" bench turn
	"$(CARGO_TARGET_DIR)/release/coterie" bench feed
	"$(CARGO_TARGET_DIR)/release/coterie" bench tool
	"$(CARGO_TARGET_DIR)/release/coterie" bench recover
	"$(CARGO_TARGET_DIR)/release/coterie" bench stop
	PYTHONPATH="$(BENCH_PYTHON_FOLDER)" "$(CARGO_TARGET_DIR)/release/coterie" bench stream
	PYTHONPATH="$(BENCH_PYTHON_FOLDER)" "$(CARGO_TARGET_DIR)/release/coterie" bench embed
	"$(CARGO_TARGET_DIR)/release/coterie" bench engine
	"$(CARGO_TARGET_DIR)/release/coterie" bench search 10000
	python3 -B tools/bench_window.py "$(CARGO_TARGET_DIR)/release/coterie-desktop"

# Among a hundred thousand and a million texts, and beside other stores of vectors. The indexes stay for the next time.
LARGE := $(or $(CACHE),$(CURDIR)/assets/.work)/bench-large
PEERS := $(or $(CACHE),$(CURDIR)/assets/.work)/python-peers
bench-large: setup-test assets
	cargo build --release -p coterie
	test -d "$(PEERS)" || python3 -m pip install --quiet --disable-pip-version-check --target "$(PEERS)" \
	-r bench/peers/requirements.txt || rm -rf "$(PEERS)"
	mkdir -p "$(LARGE)/100000" "$(LARGE)/1000000"
	PYTHONPATH="$(PEERS)" python3 -B bench/peers/run.py "$(CARGO_TARGET_DIR)/release/coterie" 100000 "$(LARGE)/100000"
	"$(CARGO_TARGET_DIR)/release/coterie" bench search 1000000 --keep "$(LARGE)/1000000"

bundle: setup assets ui
	cargo build --release -p coterie-desktop -p coterie -p engine -p processes
	tools/bundle.sh release

# Servers that we did not write and the official conformance suite, each with its version and hash.
MCP_PARTS := assets/tests/mcp

setup:
	tools/setup.sh build

setup-test:
	tools/setup.sh build test

assets:
	python3 -B tools/assets.py

# Also the server that we did not write, for the tests of the OpenAI client, and those for the tests of MCP.
assets-test: $(MCP_PARTS)/.installed
	python3 -B tools/assets.py --tests

$(MCP_PARTS)/.installed: tools/mcp/package-lock.json tools/mcp/requirements.txt
	rm -rf $(MCP_PARTS) && mkdir -p $(MCP_PARTS)
	cp tools/mcp/package.json tools/mcp/package-lock.json $(MCP_PARTS)/
	npm --prefix $(MCP_PARTS) ci --no-audit --no-fund --ignore-scripts
	python3 -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes --only-binary=:all: \
	--target $(MCP_PARTS)/python --requirement tools/mcp/requirements.txt
	touch $@

# The pages of the window, built anew only when one of their sources changed.
UI_SOURCES := $(shell find ui \( -name node_modules -o -name dist \) -prune -o -type f -print)
ui: ui/dist/index.html

ui/dist/index.html: $(UI_SOURCES) ui/node_modules/.installed
	npm --prefix ui run build
	touch $@

ui/node_modules/.installed: ui/package-lock.json
	npm --prefix ui ci --no-audit --no-fund
	touch $@

fmt:
	cargo fmt --all
	npm --prefix ui run --if-present format

lint: setup-test ui
	tools/test.sh lint

check-others: ui
	tools/check-other-systems.sh

# Draws the icon files again after icons/icon.svg was changed.
ICON_SIZES := 16 24 32 48 64 128 256
icons: ui/node_modules/.installed
	drawn=$$(mktemp -d) && ui/node_modules/.bin/tauri icon icons/icon.svg -o "$$drawn" && \
	cp "$$drawn"/icon.{png,ico,icns} icons/ && \
	ui/node_modules/.bin/tauri icon icons/icon.svg -o "$$drawn" $(foreach size,$(ICON_SIZES),--png $(size)) && \
	cp $(foreach size,$(ICON_SIZES),"$$drawn/$(size)x$(size).png") icons/ && rm -r "$$drawn"

# Removes what this checkout built, and keeps what was downloaded and the compiled dependencies.
clean-ours:
	rm -rf ui/dist assets/.work/bundle artifacts
	cargo clean $(foreach package,domain store llm gguf engine secrets search memory processes mcp tools agent workspace door coterie coterie-desktop tests,-p $(package))
