# Lucid. Everything is written to .venv, .build and build; nothing is installed on the system.

PYTHON ?= python3
JOBS ?= 2
VENV := .venv
BIN := $(VENV)/bin
SHELL := /bin/bash

SWIFT_SOURCES := Package.swift $(shell find Sources -type f 2>/dev/null)
PYTHON_SOURCES := pyproject.toml setup.py $(shell find python -type f -not -path '*/__pycache__/*' 2>/dev/null)
SWIFT_BUILD := swift build -j $(JOBS)

.PHONY: help all develop demo test test-fast test-swift test-python test-c lint format generate \
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

build/.installed: build/.requirements $(SWIFT_SOURCES) $(PYTHON_SOURCES)
	LUCID_BUILD_JOBS=$(JOBS) $(BIN)/python -m pip install -q --no-deps --no-build-isolation --force-reinstall .
	@touch $@

develop: build/.requirements ## Build in place: python/ can then be imported while it is edited
	LUCID_BUILD_JOBS=$(JOBS) $(BIN)/python setup.py -q build_ext --inplace

demo: build/.installed ## Train and compile a small model
	$(BIN)/python examples/demo.py

test: lint test-c test-swift test-python ## Everything that CI runs

test-fast: build/.installed ## The Python tests, stopping at the first failure
	$(BIN)/python -m pytest -x -m "not slow"

test-python: build/.installed
	$(BIN)/python -m pytest

test-swift: | prerequisites
	swift test -j $(JOBS) -Xcc -O2

test-c: | prerequisites
	@set -e; for dir in $$(dirname $$(ls tests/*/Makefile 2>/dev/null) 2>/dev/null); do \
	  echo "make -C $$dir"; $(MAKE) -s -C $$dir; done

lint: build/.requirements ## Format and style checks of Swift and Python
	swift format lint --strict -r Sources tests
	$(BIN)/ruff check python tests/python setup.py
	$(BIN)/ruff format --check python tests/python setup.py

format: build/.requirements ## Apply the formatters
	swift format -i -r Sources tests
	$(BIN)/ruff format python tests/python setup.py
	$(BIN)/ruff check --fix python tests/python setup.py

bench: build/.installed ## Time Lucid alone
	$(BIN)/python benchmarks/run.py

bench-peers: build/.installed ## Time Lucid beside PyTorch and JAX (installed into .venv first)
	$(BIN)/python -m pip install -q torch jax
	$(BIN)/python benchmarks/run.py --peers

wheel: build/.requirements ## Build a wheel into build/wheel
	LUCID_BUILD_JOBS=$(JOBS) $(BIN)/python -m pip wheel -q --no-deps --no-build-isolation -w build/wheel .
	@ls -l build/wheel

size: ## Lines of code per folder
	@for dir in Sources/*/ Sources/Portable/*/ python/lucid python/native tests/*/; do \
	  printf '%8d  %s\n' "$$(find $$dir -type f \( -name '*.swift' -o -name '*.[ch]' -o -name '*.py' \) -exec cat {} + | wc -l)" "$$dir"; done

clean: ## Remove everything that was built
	rm -rf .build build python/lucid/*.so python/lucid/*.dylib
	find python tests -name __pycache__ -type d -prune -exec rm -rf {} +
