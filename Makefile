# `make run`, `make test`, and `make quick` while changing something. What they need they install
# themselves.
SHELL := /bin/sh
PYTHON ?= python3
VENV ?= .venv
export VENV
BIN := $(VENV)/bin
# Processes of a test run. Browsers and products run beside them: more would wait for each other on two cores.
WORKERS ?= 2
PYTEST = $(BIN)/python -m pytest -n $(WORKERS) --no-loadscope-reorder

.DEFAULT_GOAL := help
.PHONY: help run test quick campaigns checks dev model machine style types layers settings pytest pytest-quick postgres javascript conformance phoenix clients bench bench-traces format pictures

help:
	@echo "make run       install, migrate, start everything, print a sign-in link"
	@echo "               LOCAL_MODEL=1 with a small model, LOCAL_MODEL=FILE.gguf with yours"
	@echo "make quick     static checks, and tests without browser, processes, PostgreSQL"
	@echo "make test      everything that CI runs"
	@echo "make campaigns  for hours: more examples, all of the engine on PostgreSQL too, fuzzing"
	@echo "make conformance  the MCP client against the public suite, also a part of make campaigns"
	@echo "make phoenix   turns of the product, exported to a real receiver of OpenTelemetry"
	@echo "make clients   litellm and LangChain against /v1 of the running product"
	@echo "make bench     latency, CPU and memory at 1 to 200 concurrent streams, in 18 minutes"
	@echo "make bench-traces  how long pages take with 100,000 traces, on both databases"
	@echo "make format    put Python and templates in order"
	@echo "make pictures  the README's screenshots, from the running product"

run:
	@$(PYTHON) -m config.bootstrap && exec $(BIN)/python -m config.supervisor

# Compiled files are kept: every product that a test starts imports a thousand modules.
test quick campaigns: export PYTHONDONTWRITEBYTECODE =

# What starts products, servers or browsers runs below a limit of time, and leaves no process,
# folder or mount behind, however it ends (tests/bounded.py).
BOUNDED = test quick campaigns pytest pytest-quick postgres conformance clients phoenix bench bench-traces pictures

ifndef ROUNDTRIP_BOUNDED

LIMIT = 85m
quick pytest-quick pictures: LIMIT = 20m
bench-traces: LIMIT = 3h
campaigns: LIMIT = 6h

$(BOUNDED):
	@$(PYTHON) -m tests.bounded $(LIMIT) $(MAKE) --no-print-directory $@

else

# What is installed, side by side; checks and tests too; then those whose statements differ, on
# PostgreSQL.
test:
	@$(MAKE) --no-print-directory -j 2 machine dev
	@$(MAKE) --no-print-directory -j 2 checks pytest
	@$(MAKE) --no-print-directory postgres
	@echo "All checks and tests have passed."

# For whoever changes something.
quick: dev
	@$(MAKE) --no-print-directory -j 3 checks pytest-quick
	@echo "The quick checks and tests have passed. make test runs all of them."

# Of which `make test` repeats on PostgreSQL only what is marked so.
ON_BOTH_DATABASES = chat/tests/engine chat/tests/groups chat/tests/presets tracing/tests

# Campaigns: what takes long, finds the rare, or needs more from the network. No part of CI.
campaigns: dev machine model
	DEATHS=200 GATEWAY_CALLS=2000 HYPOTHESIS_PROFILE=campaign $(PYTEST) --timeout 3600
	$(BIN)/python -m tests.postgres $(PYTEST) -m "not browser" $(ON_BOTH_DATABASES)
	$(BIN)/python -m tests.fuzz --seconds 600

pytest: dev machine model
	$(PYTEST) -m "not campaign"

# What is not even imported, of that which is not run.
IMPORTED_LATER = tests/browser tests/faults tests/supervision chat/tests/page tracing/tests/browser

pytest-quick: dev
	HYPOTHESIS_PROFILE=quick $(PYTEST) -m "not browser and not process and not long and not campaign" $(IMPORTED_LATER:%=--ignore=%)

postgres: dev machine
	$(BIN)/python -m tests.postgres $(PYTEST) -m postgres

conformance: dev
	$(BIN)/python -m tests.conformance.suite

# Installs them beside the project, in a minute: no part of `make test`.
clients: dev machine
	$(BIN)/python -m tests.clients

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

endif

checks: style types layers settings javascript

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

javascript: dev
	$(BIN)/python -m tests.javascript

format: dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	git ls-files -z 'templates/*.html' | xargs -0 $(BIN)/djade
