# Two commands: `make run` and `make test`. What they need they install themselves.
SHELL := /bin/sh
PYTHON ?= python3
VENV ?= .venv
export VENV
BIN := $(VENV)/bin

.DEFAULT_GOAL := help
.PHONY: help run test dev model machine style types layers settings pytest postgres javascript conformance phoenix bench bench-traces soak format pictures

help:
	@echo "make run       install, migrate, start everything, print a sign-in link"
	@echo "               LOCAL_MODEL=1 with a small model, LOCAL_MODEL=FILE.gguf with yours"
	@echo "make test      everything that CI runs"
	@echo "make conformance  the MCP client against the public suite, also a part of make test"
	@echo "make phoenix   turns of the product, exported to a real receiver of OpenTelemetry"
	@echo "make bench     latency, CPU and memory at 1 to 200 concurrent streams"
	@echo "make bench-traces  how long pages take with 100,000 traces, on both databases"
	@echo "make format    put Python and templates in order"
	@echo "make pictures  the README's screenshots, from the running product"

run:
	@$(PYTHON) -m config.bootstrap && exec $(BIN)/python -m config.supervisor

# Quick checks first; then all tests; then those of the engine and the traces on PostgreSQL.
test: style types layers settings javascript pytest postgres
	@echo "All checks and tests have passed."

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

pytest: dev machine model
	$(BIN)/python -m pytest

postgres: dev machine
	$(BIN)/python -m tests.postgres $(BIN)/python -m pytest -m "engine and not browser"

conformance: dev
	$(BIN)/python -m tests.conformance.suite

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
