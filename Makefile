# Two commands: `make run` and `make test`. Everything that they need they install themselves.
SHELL := /bin/sh
PYTHON ?= python3
VENV ?= .venv
export VENV

.DEFAULT_GOAL := help
.PHONY: help run test lint unit bench format

help:
	@echo "make run     install, migrate, start everything, print a sign-in link"
	@echo "make test    everything that CI runs"
	@echo "make bench   latency, CPU and memory at 1 to 200 concurrent streams"
	@echo "make format  what a formatter can mend"

run:
	@$(PYTHON) -m config.bootstrap && exec $(VENV)/bin/python -m config.supervisor

test:
	@$(PYTHON) -m config.bootstrap requirements-dev.txt && exec $(VENV)/bin/python -m tests.run

lint unit:
	@$(PYTHON) -m config.bootstrap requirements-dev.txt
	@$(VENV)/bin/python -m tests.run $(if $(filter unit,$@),tests,lint)

bench:
	@$(PYTHON) -m config.bootstrap requirements-dev.txt && exec $(VENV)/bin/python -m benchmarks.run

format:
	@$(PYTHON) -m config.bootstrap requirements-dev.txt
	@$(VENV)/bin/ruff check --fix -q . ; $(VENV)/bin/ruff format -q .
