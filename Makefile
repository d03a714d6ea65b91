# `make demo` and `make test` do all the set-up themselves.
.DEFAULT_GOAL := help
SHELL := /bin/bash

# What pip installs torch from: `cpu` (the CPU build where one is offered) or `default`
# (whatever the package index gives, on Linux the CUDA build).
TORCH ?= cpu
# Any Python ≥ 3.11; empty: the first of python3.11 and python3 that is new enough.
PYTHON ?=
# Further arguments of pytest and of the demo: `make test ARGS="-k labels -x"`.
ARGS ?=

BIN := .venv/bin
# A dataset server that speaks the Hub's protocol, for the test of publishing; in an environment
# of its own, since its dependencies are pinned otherwise.
OLAH := .venv-olah/bin/olah-cli
OLAH_VERSION := 0.5.4
# One thread: small models on shared cores get slower with more, and results stay the same.
TEST_ENV := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 \
	TOKENIZERS_PARALLELISM=false HF_HUB_OFFLINE=1 HF_HUB_DISABLE_TELEMETRY=1

.PHONY: help setup demo test lint types benchmark clean

help: ## Show this list
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

setup: ## Make .venv with everything in it (seconds when nothing has changed)
	@TORCH="$(TORCH)" PYTHON="$(PYTHON)" bash scripts/setup.sh

demo: setup ## Clean against errored English with a 135M model, in a few minutes
	@$(BIN)/sociolect demo --out build/demo $(ARGS)

test: lint types $(OLAH) ## Lint, types, and all tests, fast and slow
	$(TEST_ENV) SOCIOLECT_OLAH="$(CURDIR)/$(OLAH)" $(BIN)/pytest -m "not benchmark" $(ARGS)

$(OLAH): | setup
	@rm -rf .venv-olah && $(BIN)/python -m venv .venv-olah
	@.venv-olah/bin/pip install -q --disable-pip-version-check olah==$(OLAH_VERSION)

lint: setup ## Ruff: rules and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup ## Mypy, strict
	$(BIN)/mypy

benchmark: setup ## The figures of the documentation (minutes)
	$(TEST_ENV) $(BIN)/pytest tests/benchmarks -m benchmark -s $(ARGS)

clean: ## Remove .venv and everything that was built
	rm -rf .venv .venv-olah build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
