# `make run`, `make test`, and `make quick` while changing something. What they need they install
# themselves.
SHELL := /bin/sh
PYTHON ?= python3
VENV ?= .venv
export VENV
BIN := $(VENV)/bin
# Processes of a test run. Browsers and products run beside them: more would wait for each other on two cores.
WORKERS ?= 2
PYTEST_OPTIONS = -n $(WORKERS) --no-loadscope-reorder
PYTEST = $(BIN)/python -m pytest $(PYTEST_OPTIONS)

.DEFAULT_GOAL := help
.PHONY: help run test quick soak chaos checks dev model machine style types layers settings locked lock wheel install pytest postgres javascript conformance phoenix clients deployment bench bench-traces format pictures

help:
	@echo "make run       install, migrate, start everything, print a sign-in link"
	@echo "               LOCAL_MODEL=1 with a small model, LOCAL_MODEL=FILE.gguf with yours"
	@echo "make quick     static checks, and all tests without browser, processes and PostgreSQL"
	@echo "make test      everything that CI runs"
	@echo "make soak      make test, all of it on PostgreSQL too, and long campaigns"
	@echo "make wheel     what pip installs, in dist/"
	@echo "make install   the wheel and make run into empty environments: seconds and megabytes"
	@echo "make lock      requirements*.txt from pyproject.toml; UPGRADE=1 with newer versions"
	@echo "make chaos     500 turns while processes, Redis and the database are killed; SEED=, DATABASE=postgres"
	@echo "make conformance  the MCP client against the public suite, also a part of make soak"
	@echo "make phoenix   turns of the product, exported to a real receiver of OpenTelemetry"
	@echo "make clients   litellm and LangChain against /v1 of the running product"
	@echo "make deployment  Dockerfile, composition, unit and Kubernetes example, with their schemas"
	@echo "make bench     latency, CPU and memory at 1 to 200 concurrent streams, in 18 minutes"
	@echo "make bench-traces  how long pages take with 100,000 traces, on both databases"
	@echo "make format    put Python and templates in order"
	@echo "make pictures  the README's screenshots, from the running product"

run:
	@$(PYTHON) -m config.bootstrap && exec $(BIN)/python -m config.supervisor

# Compiled files are kept: every product that a test starts imports a thousand modules.
test quick soak chaos: export PYTHONDONTWRITEBYTECODE =

# What is installed, side by side; checks and tests too; then those whose statements differ, on
# PostgreSQL.
test:
	@$(MAKE) --no-print-directory -j 2 machine dev
	@$(MAKE) --no-print-directory -j 2 checks pytest
	@$(MAKE) --no-print-directory postgres
	@echo "All checks and tests have passed."

# For whoever changes something: a minute and a half on two cores.
quick: dev
	@$(MAKE) --no-print-directory -j 3 checks pytest-quick
	@echo "The quick checks and tests have passed. make test runs all of them."

# Campaigns: what takes long, finds the rare, or needs more from the network.
soak: dev machine model
	DEATHS=200 GATEWAY_SOAK=2000 HYPOTHESIS_PROFILE=soak $(PYTEST) --timeout 3600
	$(BIN)/python -m tests.postgres $(PYTEST) -m "engine and not browser"
	$(BIN)/python -m tests.postgres $(PYTEST) --timeout 3600 tests/faults
	$(BIN)/python -m tests.fuzz --seconds 600
	$(BIN)/python -m tests.chaos --seed $(SEED) --turns 500 --database sqlite
	$(BIN)/python -m tests.chaos --seed $(SEED) --turns 500 --database postgres
	$(BIN)/python -m tests.soak --minutes $(SOAK_MINUTES)

# The run of one seed; its ledger is in the folder of temporary files, or where LEDGER says.
SEED ?= 1
TURNS ?= 500
DATABASE ?= sqlite
SOAK_MINUTES ?= 30
chaos: dev machine
	$(BIN)/python -m tests.chaos --seed $(SEED) --turns $(TURNS) --database $(DATABASE) $(if $(LEDGER),--ledger $(LEDGER))

checks: style types layers settings locked javascript

dev:
	@$(PYTHON) -m config.bootstrap requirements-dev.txt

model: dev
	@LOCAL_MODEL=1 $(PYTHON) -m config.bootstrap requirements-dev.txt

machine:
	@$(PYTHON) -m tests.machine

style: dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	git ls-files -z 'templates/*.html' | xargs -0 $(BIN)/djade --check

types: dev
	$(BIN)/mypy

layers: dev
	$(BIN)/lint-imports --no-logo

# On a home of their own; the deployment's check as behind HTTPS.
settings: dev
	home=$$(mktemp -d) && trap 'rm -rf "$$home"' EXIT && export ROUNDTRIP_HOME="$$home" && \
	$(BIN)/python manage.py makemigrations --check --dry-run && \
	ROUNDTRIP_URL=https://roundtrip.example $(BIN)/python manage.py check --deploy --fail-level INFO

# That the requirements are those of pyproject.toml; asks no registry.
locked: dev
	$(BIN)/python -m tests.packaging.requirements check

# Resolves them anew where a bound changed; UPGRADE=1 takes the newest of all.
lock: dev
	$(BIN)/python -m tests.packaging.requirements write $(if $(UPGRADE),--upgrade)

# dist/*.whl and dist/*.tar.gz.
wheel: dev
	$(BIN)/python -m tests.packaging.wheel dist

# Into an empty environment, with what it needs from the registry: no part of `make test`.
install: dev
	$(BIN)/python -m tests.packaging.fresh

javascript: dev
	$(BIN)/python -m tests.javascript

# The few tests that fail run once more, alone (tests/twice.py).
pytest: dev machine model
	$(BIN)/python -m tests.twice $(PYTEST_OPTIONS) -m "not soak"

# What is not even imported, of that which is not run.
IMPORTED_LATER = tests/browser tests/chaos/test_chaos.py tests/faults tests/supervision chat/tests/page tracing/tests/browser

.PHONY: pytest-quick
pytest-quick: dev
	HYPOTHESIS_PROFILE=quick $(PYTEST) -m "not browser and not process and not long" $(IMPORTED_LATER:%=--ignore=%)

postgres: dev machine
	$(BIN)/python -m tests.postgres $(BIN)/python -m tests.twice $(PYTEST_OPTIONS) -m postgres

conformance: dev
	$(BIN)/python -m tests.conformance.suite

# Installs them beside the project, in a minute: no part of `make test`.
clients: dev machine
	$(BIN)/python -m tests.clients

# The schemas of Kubernetes are installed beside the project: no part of `make test`.
deployment: dev
	$(BIN)/python -m pytest -q tests/deployment
	$(BIN)/python -m tests.deployment.kubernetes

# Installs 860 MB beside the project, in minutes: so it is no part of `make test`, which runs these
# tests only where Phoenix is there already.
phoenix: dev
	$(BIN)/python -m tests.phoenix.receiver
	$(BIN)/python -m pytest -m phoenix tests/phoenix

bench: dev
	$(BIN)/python -m benchmarks.run

# Fills a home of its own, which takes some minutes and a gigabyte, for each database.
bench-traces: dev machine
	home=$$(mktemp -d) && trap 'rm -rf "$$home"' EXIT && export ROUNDTRIP_HOME="$$home" && \
	$(BIN)/python -m benchmarks.traces && $(BIN)/python -m benchmarks.pages && \
	$(BIN)/python -m tests.postgres sh -c "$(BIN)/python -m benchmarks.traces && $(BIN)/python -m benchmarks.pages"

pictures: dev machine
	$(BIN)/python -m tests.screenshots

format: dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	git ls-files -z 'templates/*.html' | xargs -0 $(BIN)/djade
