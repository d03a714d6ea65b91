# `make demo` and `make test` do all the set-up themselves.
.DEFAULT_GOAL := help
SHELL := /bin/bash

# What pip installs torch from: `cpu` (the CPU build where one is offered) or `default`
# (whatever the package index gives, on Linux the CUDA build).
TORCH ?= cpu
# Any Python ≥ 3.11; empty: the first of python3.11 and python3 that is new enough.
PYTHON ?=
# Test files that run at once. Each process may hold a tagger and a small model: 2 GB.
WORKERS ?= 2
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
# An environment with vLLM for CPUs, and how vLLM runs on a small, shared machine: in the process
# that asks, on cores of the system's choice, with 1 GiB for the keys and values.
VLLM_VENV ?= .venv-vllm
VLLM_ENV := VLLM_ENABLE_V1_MULTIPROCESSING=0 VLLM_CPU_OMP_THREADS_BIND=nobind \
	VLLM_CPU_KVCACHE_SPACE=1 VLLM_NO_USAGE_STATS=1

.PHONY: help setup setup-vllm demo test test-vllm test-finetune lint types benchmark benchmark-vllm api clean

help: ## Show this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

setup: ## Make .venv with everything in it (seconds when nothing has changed)
	@TORCH="$(TORCH)" PYTHON="$(PYTHON)" bash scripts/setup.sh

setup-vllm: ## Make .venv-vllm: the project beside vLLM for CPUs (4 GB)
	@VLLM_VENV="$(VLLM_VENV)" PYTHON="$(PYTHON)" bash scripts/setup_vllm.sh

demo: setup ## Clean against errored English with a 135M model, in a few minutes
	@$(BIN)/sociolect demo --out build/demo $(ARGS)

test: lint types $(OLAH) ## Lint, types, and all tests, fast and slow
	$(TEST_ENV) SOCIOLECT_OLAH="$(CURDIR)/$(OLAH)" $(BIN)/pytest -n $(WORKERS) --dist loadfile \
		-m "not (benchmark or vllm or end_to_end)" $(ARGS)

$(OLAH): | setup
	@rm -rf .venv-olah && $(BIN)/python -m venv .venv-olah
	@.venv-olah/bin/pip install -q --disable-pip-version-check olah==$(OLAH_VERSION)

test-vllm: setup-vllm ## The tests that need vLLM, with a 135M model on the CPU (minutes)
	$(TEST_ENV) $(VLLM_ENV) $(VLLM_VENV)/bin/pytest tests/vllm -n $(WORKERS) --dist loadfile \
		-m "vllm and not benchmark" $(ARGS)

test-finetune: setup ## Training: killed, resumed, in two processes; and all of it with a 135M model (minutes)
	$(TEST_ENV) $(BIN)/pytest tests/steering -m end_to_end -rP $(ARGS)

lint: setup ## Ruff: rules and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup ## Mypy, strict
	$(BIN)/mypy

benchmark: setup ## The figures of the documentation (minutes)
	$(TEST_ENV) $(BIN)/pytest tests/benchmarks -m "benchmark and not vllm" -s $(ARGS)

benchmark-vllm: setup-vllm ## Tokens a second with vLLM and without
	$(TEST_ENV) $(VLLM_ENV) $(VLLM_VENV)/bin/pytest tests/benchmarks -m "benchmark and vllm" -s $(ARGS)

api: setup ## The API reference, from the docstrings, in build/api
	$(BIN)/python scripts/api.py --out build/api

clean: ## Remove the environments and everything that was built
	rm -rf .venv .venv-vllm .venv-olah build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
